import Blur

/// The assignment of all cases of a suite to shards.
///
/// Every shard computes the same plan from the same suite, and writes the whole plan to the provenance file
/// next to its records. When the records are merged, the plan shows which cases are missing.
public struct ShardPlan: Equatable, Sendable {
  /// A case of the suite and the shard that measures it.
  public struct Item: Hashable, Sendable {
    /// The case's name.
    public let name: String
    /// The index of the shard that measures the case, starting at 1.
    public let shard: Int
  }

  /// The shard that computed this plan.
  public let shard: Shard
  /// The number of samples that each case should have. A case with fewer samples is incomplete.
  public let repetitions: Int
  /// All cases of the suite, in the suite's order. The suite also times memcpy, as a comparison for the
  /// blurs, but these measurements are not listed here.
  public let items: [Item]

  /// Divides the jobs among the shards so that all shards take about the same time.
  ///
  /// Workloads that differ only in their number of threads stay together, because their outputs are compared
  /// with each other and share one reference result.
  public init(_ jobs: [Job], _ shard: Shard, _ settings: TimingSettings) {
    let owners = Division(jobs, count: shard.count, settings).owners
    self.shard = shard
    repetitions = settings.repetitions
    items = jobs.flatMap { job in
      job.cases.map { Item(name: $0.name, shard: owners[job.workload.picture] ?? 1) }
    }
  }

  /// Returns those of the given jobs that this machine has to measure, because the plan assigns them to its
  /// shard.
  public func own(_ jobs: [Job]) -> [Job] {
    let names = Set(items.filter { $0.shard == shard.index }.map(\.name))
    return jobs.filter { job in job.cases.contains { names.contains($0.name) } }
  }

  /// Returns whether the two plans assign the same cases to the same shards, with the same number of samples.
  /// It does not matter which shard computed each plan.
  public func isSame(as other: ShardPlan) -> Bool {
    shard.count == other.shard.count && repetitions == other.repetitions && items == other.items
  }
}

// MARK: The plan in provenance files

extension ShardPlan {
  private static let shardKey = "shard", repetitionsKey = "repetitions", countKey = "planned cases"
  private static let itemKey = "planned in shard "

  /// The lines that store the plan in the provenance file (FILE.txt), as pairs of key and value.
  var lines: [(key: String, value: String)] {
    [
      (Self.shardKey, shard.text), (Self.repetitionsKey, String(repetitions)),
      (Self.countKey, String(items.count)),
    ] + items.map { (Self.itemKey + String($0.shard), $0.name) }
  }

  /// Reads the plan from the provenance text of a shard's records. Returns nil if the provenance does not
  /// mention a shard.
  ///
  /// - Throws: ``MeasurementError/usage(_:)`` if the lines do not form a valid plan.
  init?(_ origin: ProvenanceReader) throws(MeasurementError) {
    guard let text = origin[Self.shardKey] else { return nil }
    shard = try Shard(text, environment: [:])
    guard let count = origin[Self.repetitionsKey].flatMap({ Int($0) }), count > 0 else {
      throw .usage("there is no line '\(Self.repetitionsKey): N' with a positive number N")
    }
    repetitions = count
    var items: [Item] = []
    for line in origin.lines where Self.isItem(line) {
      guard let owner = Int(line.key.dropFirst(Self.itemKey.count)), (1...shard.count).contains(owner) else {
        throw .usage("'\(line.key)' does not name one of the \(shard.count) shards")
      }
      items.append(Item(name: try Case(name: line.value).name, shard: owner))
    }
    // The shard plan is incomplete if a run was killed while it wrote the plan to the provenance file.
    guard origin[Self.countKey] == String(items.count), Set(items.map(\.name)).count == items.count else {
      throw .usage("the shard plan is incomplete, or contains a case twice")
    }
    self.items = items
  }

  /// Returns whether the provenance belongs to records of a shard.
  static func isOfShard(_ origin: ProvenanceReader) -> Bool { origin[shardKey] != nil }

  /// Returns whether a line of a provenance file (FILE.txt) is part of a shard plan, which assigns the cases
  /// of a suite to several machines.
  static func isPlan(_ line: ProvenanceReader.Line) -> Bool {
    isItem(line) || [shardKey, repetitionsKey, countKey].contains(line.key)
  }

  private static func isItem(_ line: ProvenanceReader.Line) -> Bool { line.key.hasPrefix(itemKey) }
}

// MARK: Load balancing

/// Divides images among shards by the rule "longest processing time first": each image, starting with the
/// slowest, goes to the shard with the least work so far.
///
/// For n shards, no shard takes longer than 4/3 − 1/(3n) times the longest shard of the best division (Graham
/// 1969).
struct Division {
  /// The index of the shard that measures each image, starting at 1.
  private(set) var owners: [Workload: Int] = [:]
  /// The estimated number of seconds that each shard takes.
  private(set) var loads: [Double]

  init(_ jobs: [Job], count: Int, _ settings: TimingSettings) {
    loads = Array(repeating: 0, count: count)
    let pictures = Dictionary(grouping: jobs, by: \.workload.picture).map { picture, jobs in
      (picture, name: Case.copying(picture).name, seconds: jobs.reduce(0) { $0 + $1.estimate(settings) })
    }
    // Images with equal estimated times are sorted by name. Each machine computes this division of the images
    // by itself, and all machines must arrive at the same division.
    for (picture, _, seconds) in pictures.sorted(by: { ($1.seconds, $0.name) < ($0.seconds, $1.name) }) {
      let least = loads.indices.min { loads[$0] < loads[$1] } ?? 0
      owners[picture] = least + 1
      loads[least] += seconds
    }
  }
}

extension Job {
  /// Returns a rough estimate of the number of seconds that the measurement of the job takes.
  ///
  /// The estimate is the same on every machine, because all shards must compute the same plan. It only
  /// affects how evenly the shards are loaded, and changes no result.
  func estimate(_ settings: TimingSettings) -> Double {
    let layout = workload.layout
    let values = Double(layout.pixelCount * layout.format.channels)
    // The estimated seconds for computing the exact reference result. Each value is computed from the pixels
    // within ±6 sigma in each direction. For large images, the reference is computed for some of the rows
    // only.
    let truth = 2e-9 * min(values, 1e6) * (12 * workload.sigma + 1)
    // The estimated seconds for one blur, or for playing a scene, which consists of about a hundred blurs. A
    // sample lasts at least this long, even if the minimum duration of a sample is shorter.
    let blur = 3e-9 * values * (workload.scene == nil ? 1 : 100)
    let sample = max(workload.scene == nil ? settings.minTime : 0, blur)
    // The estimate includes one additional sample for finding the number of iterations, and ten blurs for
    // planning, verification and certification.
    let each = Double(settings.repetitions + 1) * sample + settings.warmUp + 10 * blur
    return truth + each * Double(cases.count + 1)
  }
}
