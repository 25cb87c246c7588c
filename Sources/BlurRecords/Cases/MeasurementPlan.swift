import Blur

/// The measurements that a command line asks for. The plan takes a suite, applies the command-line options
/// that override parts of the suite, and lists the workloads to measure on this machine with their kernels.
public struct MeasurementPlan: Sendable {
  /// The suite, with all overrides from the command line applied.
  public let suite: Suite
  /// The YAML text of the suite.
  public let suiteText: String
  /// The jobs to measure, in order. If the suite is divided into shards, only this shard's jobs are included.
  public let jobs: [Job]
  /// Facts about the shard that this run measures, or nil if it measures the whole suite.
  public let shard: ShardFacts?

  /// Loads the suite, replaces its lists with the given ones, and filters its cases.
  ///
  /// - Parameters:
  ///   - suite: The name of a built-in suite, or the path of a YAML file.
  ///   - lists: Comma-separated lists that replace the suite's lists of the same properties.
  ///   - filter: The text of a ``CaseFilter``, or nil to keep all cases.
  ///   - shard: The shard to measure, or nil to measure all cases.
  ///   - cores: The number of threads to use if a thread count is given as `all`.
  /// - Throws: ``MeasurementError`` for an unknown name, an unreadable file, or a plan without cases.
  public init(
    suite: String, lists: [CaseDimension: String] = [:], filter: String? = nil, repetitions: Int? = nil,
    minTime: Double? = nil, shard: Shard? = nil, cores: Int, kernels: [Kernel] = Registry.all,
    catalog: SceneCatalog = .none
  ) throws(MeasurementError) {
    let names = kernels.map(\.name)
    suiteText = try Suite.yaml(of: suite)
    let read = try SuiteReader(file: suite, kernels: names, catalog: catalog).read(suiteText)
    var overridden = try read.overridden(by: CaseLists(lists, Vocabulary(kernels: names, catalog: catalog)))
    overridden.settings.repetitions = repetitions ?? overridden.settings.repetitions
    overridden.settings.minTime = minTime ?? overridden.settings.minTime
    let all = try overridden.jobs(kernels: kernels, cores: cores, catalog: catalog)
    guard all.caseCount > 0 else {
      throw .usage(
        "suite '\(suite)' only measures kernels of plug-ins; add some with --plugin, --python or --peers")
    }
    let wanted = try filter.map { (text) throws(MeasurementError) in try CaseFilter(text) }
    let chosen = wanted.map { filter in all.filtered(filter.keeps) } ?? all
    if let wanted, chosen.isEmpty, let example = all.first(where: { !$0.cases.isEmpty })?.cases.first {
      throw wanted.matchesNone(example: example.name)
    }
    self.shard = shard.map { ShardFacts($0, of: chosen, overridden.settings) }
    jobs = shard?.own(chosen) ?? chosen
    self.suite = overridden
  }

  /// The largest number of threads that any job in the plan uses.
  public var threads: Int { jobs.map(\.workload.threads).max() ?? 1 }
}

extension [Job] {
  /// The number of cases in all jobs, not counting the memcpys.
  var caseCount: Int { reduce(0) { $0 + $1.cases.count } }
}
