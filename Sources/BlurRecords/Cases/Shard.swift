import Blur

/// One part of a suite that is divided among several machines. For example, `2/5` is the second of five
/// shards.
public struct Shard: Hashable, Sendable {
  /// The index of this shard, starting at 1.
  public let index: Int
  /// The total number of shards.
  public let count: Int

  /// The maximum number of shards. This is more than enough: by default, the job scheduler Slurm does not
  /// even allow that many tasks in an array job.
  static let most = 10_000

  /// Parses the text of a shard, such as `2/5`.
  ///
  /// - Throws: ``MeasurementError/usage(_:)`` if the text does not have this form, or if there is no such
  ///   shard.
  public init(_ text: String) throws(MeasurementError) {
    let numbers = text.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
    guard numbers.count == 2, let index = numbers[0], let count = numbers[1] else {
      throw .usage("--shard '\(text)': must be i/n, such as 2/5")
    }
    guard (1...Self.most).contains(count) else {
      throw .usage("--shard: the number of shards is \(count); it must be from 1 to \(Self.most)")
    }
    guard (1...count).contains(index) else {
      throw .usage("--shard: there is no shard \(index) of \(count); the index must be from 1 to \(count)")
    }
    (self.index, self.count) = (index, count)
  }

  /// The shard written as text, in the form that the initializer parses.
  public var text: String { "\(index)/\(count)" }

  /// Returns the jobs of this shard. The images of the suite are dealt out to the shards like cards: the
  /// first image goes to the first shard, the second image to the second shard, and so on. After the last
  /// shard, the dealing continues with the first.
  ///
  /// Workloads that differ only in their number of threads stay together, because their outputs are compared
  /// with each other and with one reference.
  func own(_ jobs: [Job]) -> [Job] {
    let pictures = jobs.inGroups { $0.workload.picture }.map(\.key)
    let own = Set(pictures.indices.filter { $0 % count == index - 1 }.map { pictures[$0] })
    return jobs.filter { own.contains($0.workload.picture) }
  }
}

/// Facts about the records of a shard. `blurbench run` writes these facts to the provenance file.
/// `blurbench merge` reads them to check that the shards belong to the same suite and that none is missing or
/// incomplete.
public struct ShardFacts: Equatable, Sendable {
  /// The shard that was measured.
  public let shard: Shard
  /// The number of cases in the shard, not counting memcpys, and the number of samples per case.
  public let cases: Int, repetitions: Int
  /// A hash of the number of shards, the timing settings, and the names of all cases in all shards. If two
  /// shards have different hashes, they don't belong together.
  public let division: String

  /// Collects the facts about a shard of the given jobs.
  init(_ shard: Shard, of jobs: [Job], _ settings: TimingSettings) {
    self.shard = shard
    cases = shard.own(jobs).caseCount
    repetitions = settings.repetitions
    let names = jobs.flatMap { $0.cases.map(\.name) }
    division = FNV1a(of: "\(shard.count) \(settings) \(names.joined(separator: "\n"))").digits
  }

  /// The keys of the lines that describe a shard in a provenance file.
  static let keys = ["shard", "shard cases", "repetitions", "division"]

  /// The facts as key-value pairs, one for each line of the provenance file.
  var lines: [(String, String)] {
    Array(zip(Self.keys, [shard.text, String(cases), String(repetitions), division]))
  }

  /// Reads the facts about a shard (one part of a divided suite) from a provenance text, which describes the
  /// origin of a file with records. Returns nil if one of the facts is missing, as in the text of a run that
  /// was not divided.
  init?(_ origin: ProvenanceReader) {
    let values = Self.keys.compactMap { origin[$0] }
    guard values.count == Self.keys.count, let shard = try? Shard(values[0]), let cases = Int(values[1]),
      let repetitions = Int(values[2])
    else { return nil }
    (self.shard, self.cases, self.repetitions, division) = (shard, cases, repetitions, values[3])
  }
}
