import Blur
import BlurVerification

/// Measures the kernels that may be selected for workloads, or finds them in records.
public struct SelectionRun {
  private let bound: ErrorBound
  private let kernels: [Kernel]
  private let lists: Overrides
  private let cores: Int
  private let catalog: SceneCatalog

  /// - Parameters:
  ///   - lists: comma-separated lists by option, see ``Overrides``; their product is selected for.
  ///   - cores: what `all` threads means.
  /// - Throws: ``MeasurementError/usage(_:)``.
  public init(
    lists: [String: String], within bound: ErrorBound, kernels: [Kernel] = Registry.kernels, cores: Int,
    catalog: SceneCatalog = .none
  ) throws(MeasurementError) {
    self.lists = try Overrides(lists, kernels: kernels.map(\.name), catalog: catalog)
    self.catalog = catalog
    self.bound = bound
    self.kernels = kernels
    self.cores = cores
  }

  /// Selects among the records of the cases that the lists name; all cases where they name none.
  ///
  /// - Throws: ``MeasurementError/usage(_:)`` when there are no such records.
  public func selections(from records: [Record]) throws(MeasurementError) -> [Selection] {
    Selection.all(try named(records), within: bound, kernels: kernels)
  }

  /// Compares the machines that such records are of, and selects one kernel for all of them.
  ///
  /// - Parameter origins: the lines of provenance beside the records.
  /// - Throws: ``MeasurementError/usage(_:)`` when there are no such records, or `all` threads are asked for.
  public func fleet(
    from records: [Record], origins: [Origin.Line]
  ) throws(MeasurementError) -> FleetSelection {
    guard lists.threads?.contains(.all) != true else {
      throw .usage("--threads all: machines of a fleet may have other numbers of cores; give numbers")
    }
    return FleetSelection(try named(records), origins: origins, kernels: kernels) { _ in bound }
  }

  private func named(_ records: [Record]) throws(MeasurementError) -> [Record] {
    let wanted = records.filter { record in
      (try? Case(name: record.name)).map { lists.name($0, cores: cores) } ?? false
    }
    guard !wanted.isEmpty else { throw .usage("--from: no record is of such a workload") }
    return wanted
  }

  /// Receives the records of a job.
  public typealias Found = ([Record]) throws(MeasurementError) -> Void
  /// Measures jobs of scenes.
  public typealias SceneMeasurer = ([Job], Found) throws(MeasurementError) -> Void

  /// Measures now.
  ///
  /// - Parameters:
  ///   - measuresAll: whether kernels take part that are estimated to be hopeless.
  ///   - certifySeconds: what is taken is certified unless that takes longer; 0 for none.
  public func selections(
    measuresAll: Bool, settings: TimingSettings, certifySeconds: Double, machineKey: String,
    progress: @escaping (Progress) -> Void, scenes: SceneMeasurer? = nil
  ) throws(MeasurementError) -> [Selection] {
    let jobs = try workloads.map { workload in
      Job(workload: workload, cases: cases(of: workload, measuresAll: measuresAll))
    }
    let options = RunnerOptions(settings: settings, certifySeconds: 0, machineKey: machineKey)
    var selections: [Selection] = []
    // Jobs without a candidate have nothing to measure, but something to say.
    for job in jobs where job.cases.isEmpty {
      selections.append(Selection(job.workload, [], within: bound, kernels: kernels))
    }
    let measure = { (jobs: [Job], found: Found) throws(MeasurementError) in
      if let scenes, lists.scenes != nil { return try scenes(jobs, found) }
      try Runner(GoogleBenchmark(), options, kernels: kernels, progress: progress).run(jobs, record: found)
    }
    try measure(jobs.filter { !$0.cases.isEmpty }) { (records) throws(MeasurementError) in
      let found = Selection.all(records, within: bound, kernels: kernels)
      selections += zip(found, found.map { _ in Case.workload(of: records) }).map { selection, workload in
        certified(selection, workload, limit: certifySeconds)
      }
    }
    return selections
  }

  private var workloads: [Workload] {
    get throws(MeasurementError) {
      var usual = Suite.Entry(
        kernels: kernels.map(\.name), formats: [.rgba8], sizes: [Size(width: 1920, height: 1080)],
        sigmas: [10])
      // Named scenes take the place of the blur.
      if lists.scenes != nil { (usual.scenes, usual.devices) = ([""], ["phone-3x"]) }
      let suite = Suite(
        name: "select", why: "", settings: TimingSettings(repetitions: 1, minTime: 0.1, warmUp: 0),
        entries: [usual])
      return try suite.overridden(by: lists).entries[0].workloads(cores: cores, catalog)
    }
  }

  private func cases(of workload: Workload, measuresAll: Bool) -> [Case] {
    let sets = lists.isas ?? [.all]
    let candidates = workload.candidates(kernels).filter { candidate in
      candidate.bound <= bound.levels
        && sets.contains { $0.sets(of: candidate.kernel).contains(candidate.instructionSet) }
        && lists.kernels?.contains(candidate.kernel.name) ?? true
    }
    return (measuresAll ? candidates : LikelyKernel.open(candidates))
      .map { Case(kernel: $0.kernel.name, isa: $0.instructionSet, workload: workload) }
  }

  /// The selection with the certificate of what is taken.
  private func certified(_ selection: Selection, _ workload: Workload?, limit: Double) -> Selection {
    guard limit > 0, let workload, let chosen = selection.chosen,
      let isa = InstructionSet(rawValue: chosen.isa),
      let kernel = kernels.first(where: { $0.name == chosen.kernel })
    else { return selection }
    var selection = selection
    let item = Case(kernel: chosen.kernel, isa: isa, workload: workload)
    let certificate = try? CertificateBook(limit: limit).certificate(kernel, item)
    selection.chosen?.certifiedLevels = certificate?.worst?.levels.finite
    return selection
  }
}

extension Case {
  /// The workload of the first record.
  fileprivate static func workload(of records: [Record]) -> Workload? {
    records.first.flatMap { try? Case(name: $0.name) }?.workload
  }
}

extension InstructionSetChoice {
  /// Whether records of that instruction set are meant.
  fileprivate func allows(_ isa: InstructionSet) -> Bool {
    if case .upTo(let widest) = self { isa <= widest } else { true }
  }
}

extension Overrides {
  /// Whether the lists name that case, on a machine of so many cores.
  func name(_ item: Case, cores: Int) -> Bool {
    name(item.workload, cores: cores) && kernels?.contains(item.kernel) ?? true
      && isas?.contains { $0.allows(item.isa) } ?? true
  }

  private func name(_ workload: Workload, cores: Int) -> Bool {
    formats?.contains(workload.layout.format) ?? true && sizes?.contains(Size(workload.layout)) ?? true
      && sigmas?.contains(workload.sigma) ?? true && edges?.contains(workload.edge) ?? true
      && threads?.contains { $0.count(cores: cores) == workload.threads } ?? true
      && scenes.map { $0.contains(workload.scene?.scene ?? "") } ?? true
      && devices.map { $0.contains(workload.scene?.device ?? "") } ?? true
  }
}
