import Blur

/// Selects kernels for the workloads that lists name, among records or by measuring.
public struct SelectionRun {
  package let bound: ErrorBound
  package let kernels: [Kernel]
  package let lists: CaseLists
  package let cores: Int
  package let catalog: SceneCatalog

  /// - Parameters:
  ///   - lists: comma-separated lists; their product is selected for.
  ///   - cores: what `all` threads means.
  /// - Throws: ``MeasurementError/usage(_:)``.
  public init(
    lists: [CaseDimension: String], within bound: ErrorBound, kernels: [Kernel] = Registry.kernels,
    cores: Int,
    catalog: SceneCatalog = .none
  ) throws(MeasurementError) {
    self.lists = try CaseLists(lists, Vocabulary(kernels: kernels.map(\.name), catalog: catalog))
    guard self.lists[.mask]?.contains(where: { $0 != .mask(nil) }) != true else {
      throw .usage("--mask: kernels are selected for one sigma; `run --mask` compares the methods for masks")
    }
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
    from records: [Record], origins: [ProvenanceReader.Line]
  ) throws(MeasurementError) -> FleetSelection {
    guard lists[.threads]?.contains(.threads(.all)) != true else {
      throw .usage("--threads all: machines of a fleet may have other numbers of cores; give numbers")
    }
    return FleetSelection(try named(records), origins: origins, kernels: kernels) { _ in bound }
  }

  private func named(_ records: [Record]) throws(MeasurementError) -> [Record] {
    let wanted = records.filter {
      $0.item.map { $0.workload.mask == nil && lists.name($0, cores: cores) } ?? false
    }
    guard !wanted.isEmpty else { throw .usage("--from: no record is of such a workload") }
    return wanted
  }
}
