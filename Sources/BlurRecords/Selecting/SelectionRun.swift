import Blur

/// Selects kernels for the workloads that lists name, among records or by measuring.
public struct SelectionRun {
  package let bound: ErrorBound
  package let kernels: [Kernel]
  package let lists: Overrides
  package let cores: Int
  package let catalog: SceneCatalog

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
