import Blur

/// What a command line asks for: a suite with overrides, as jobs for this machine.
public struct MeasurementPlan: Sendable {
  /// The suite with all overrides.
  public let suite: Suite
  /// The text of its file.
  public let suiteText: String
  /// What is measured, in order; of a shard, its own share.
  public let jobs: [Job]
  /// How the suite is divided, where this is a shard of it.
  public let shardPlan: ShardPlan?

  /// Finds and reads the suite, puts the lists in place of its own, and filters the cases.
  ///
  /// - Parameters:
  ///   - suite: a name, or the path of a YAML file.
  ///   - lists: comma-separated lists, which take the place of the suite's.
  ///   - filter: see ``CaseFilter``.
  ///   - shard: which share of the cases is measured.
  ///   - cores: what `all` threads means.
  /// - Throws: ``MeasurementError`` for unknown names, unreadable files, and when no case is left.
  public init(
    suite: String, lists: [CaseDimension: String] = [:], filter: String? = nil, repetitions: Int? = nil,
    minTime: Double? = nil, shard: Shard? = nil, cores: Int, kernels: [Kernel] = Registry.all,
    catalog: SceneCatalog = .none
  ) throws(MeasurementError) {
    let names = kernels.map(\.name)
    let text = try SuiteText(suite)
    suiteText = text.yaml
    var suite = try SuiteReader(file: text.name, kernels: names, catalog: catalog).read(text.yaml)
      .overridden(by: try CaseLists(lists, Vocabulary(kernels: names, catalog: catalog)))
    suite.settings.repetitions = repetitions ?? suite.settings.repetitions
    suite.settings.minTime = minTime ?? suite.settings.minTime
    let all = try suite.jobs(kernels: kernels, cores: cores, catalog: catalog)
    guard all.caseCount > 0 else {
      throw .usage(
        "suite '\(text.name)' measures kernels of plug-ins alone: name them by --plugin, --python or --peers")
    }
    let wanted = try filter.map { (text) throws(MeasurementError) in try CaseFilter(text) }
    let chosen = wanted.map { filter in all.filtered(filter.keeps) } ?? all
    guard !chosen.isEmpty else {
      throw .usage(
        "--filter '\(filter ?? "")' matches none of the \(all.caseCount) cases, such as "
          + all.filtered { _ in true }[0].cases[0].name)
    }
    shardPlan = shard.map { ShardPlan(chosen, $0, suite.settings) }
    jobs = shardPlan?.own(chosen) ?? chosen
    self.suite = suite
  }

  /// The largest number of threads in the plan.
  public var threads: Int { jobs.map(\.workload.threads).max() ?? 1 }
}

extension [Job] {
  /// How many cases the jobs have, without the memcpys.
  var caseCount: Int { reduce(0) { $0 + $1.cases.count } }
}
