import Blur

/// All cases of a sharded suite, and which shard measures each. Every shard makes the same plan of the same
/// suite, and writes all of it beside its records, so that a merge knows what is missing.
public struct ShardPlan: Equatable, Sendable {
  /// A case of the suite.
  public struct Item: Hashable, Sendable {
    /// The case's name.
    public let name: String
    /// Which shard measures it, from 1.
    public let shard: Int
  }

  /// The shard that made this plan.
  public let shard: Shard
  /// How many samples a complete case has.
  public let repetitions: Int
  /// The cases in the suite's order, without the memcpys.
  public let items: [Item]

  /// Divides jobs among shards, so that each takes about as long. Workloads that differ in threads alone stay
  /// together: their outputs are held against each other, and share the truth.
  public init(_ jobs: [Job], _ shard: Shard, _ settings: TimingSettings) {
    let owners = Division(jobs, count: shard.count, settings).owners
    self.shard = shard
    repetitions = settings.repetitions
    items = jobs.flatMap { job in
      job.cases.map { Item(name: $0.name, shard: owners[job.workload.picture] ?? 1) }
    }
  }

  /// Those of the jobs that its own shard measures.
  public func own(_ jobs: [Job]) -> [Job] {
    let names = Set(items.filter { $0.shard == shard.index }.map(\.name))
    return jobs.filter { job in job.cases.contains { names.contains($0.name) } }
  }

  /// Whether both are of the same division, whichever shard made them.
  public func isSame(as other: ShardPlan) -> Bool {
    shard.count == other.shard.count && repetitions == other.repetitions && items == other.items
  }
}

// MARK: In provenance

extension ShardPlan {
  private static let shardKey = "shard", repetitionsKey = "repetitions", countKey = "planned cases"
  private static let itemKey = "planned in shard "

  /// The lines of FILE.txt that hold the plan.
  var lines: [(key: String, value: String)] {
    [
      (Self.shardKey, shard.text), (Self.repetitionsKey, String(repetitions)),
      (Self.countKey, String(items.count)),
    ] + items.map { (Self.itemKey + String($0.shard), $0.name) }
  }

  /// Reads the lines back; nil where the records are of no shard.
  ///
  /// - Throws: ``MeasurementError/usage(_:)`` for lines that make no plan.
  init?(_ origin: ProvenanceReader) throws(MeasurementError) {
    guard let text = origin[Self.shardKey] else { return nil }
    shard = try Shard(text, environment: [:])
    guard let count = origin[Self.repetitionsKey].flatMap({ Int($0) }), count > 0 else {
      throw .usage("no line '\(Self.repetitionsKey): ' with a number")
    }
    repetitions = count
    var items: [Item] = []
    for line in origin.lines where Self.isItem(line) {
      guard let owner = Int(line.key.dropFirst(Self.itemKey.count)), (1...shard.count).contains(owner) else {
        throw .usage("'\(line.key)' is none of \(shard.count) shards")
      }
      items.append(Item(name: try Case(name: line.value).name, shard: owner))
    }
    // A run that was killed while it wrote the plan left a part of it.
    guard origin[Self.countKey] == String(items.count), Set(items.map(\.name)).count == items.count else {
      throw .usage("the plan is cut short, or names a case twice")
    }
    self.items = items
  }

  /// Whether records are of a shard.
  static func isOfShard(_ origin: ProvenanceReader) -> Bool { origin[shardKey] != nil }

  /// Whether a line of FILE.txt is of the plan.
  static func isPlan(_ line: ProvenanceReader.Line) -> Bool {
    isItem(line) || [shardKey, repetitionsKey, countKey].contains(line.key)
  }

  private static func isItem(_ line: ProvenanceReader.Line) -> Bool { line.key.hasPrefix(itemKey) }
}

// MARK: Balance

/// Pictures divided by longest processing time first: each, from the longest on, goes to the shard that has
/// least. No shard then takes longer than 4/3 − 1/(3n) of the best division (Graham 1969).
struct Division {
  /// Which shard, from 1, has each picture.
  private(set) var owners: [Workload: Int] = [:]
  /// The estimated seconds of each shard.
  private(set) var loads: [Double]

  init(_ jobs: [Job], count: Int, _ settings: TimingSettings) {
    loads = Array(repeating: 0, count: count)
    let pictures = Dictionary(grouping: jobs, by: \.workload.picture).map { picture, jobs in
      (picture, name: Case.copying(picture).name, seconds: jobs.reduce(0) { $0 + $1.estimate(settings) })
    }
    // Names settle ties, so that all machines divide alike.
    for (picture, _, seconds) in pictures.sorted(by: { ($1.seconds, $0.name) < ($0.seconds, $1.name) }) {
      let least = loads.indices.min { loads[$0] < loads[$1] } ?? 0
      owners[picture] = least + 1
      loads[least] += seconds
    }
  }
}

extension Job {
  /// About how many seconds measuring takes. A guess that is the same on every machine, for shares must be;
  /// it only balances them, and no result depends on it.
  func estimate(_ settings: TimingSettings) -> Double {
    let layout = workload.layout
    let values = Double(layout.pixelCount * layout.format.channels)
    // The truth is a plain window of ±6 sigma in each direction; of large images it is taken of some rows.
    let truth = 2e-9 * min(values, 1e6) * (12 * workload.sigma + 1)
    // A sample lasts as long as is asked for, or one blur; a scene blurs some hundred frames.
    let blur = 3e-9 * values * (workload.scene == nil ? 1 : 100)
    let sample = max(workload.scene == nil ? settings.minTime : 0, blur)
    // Finding the number of iterations takes about one more sample; planning, verifying and certifying some
    // blurs.
    let each = Double(settings.repetitions + 1) * sample + settings.warmUp + 10 * blur
    return truth + each * Double(cases.count + 1)
  }
}
