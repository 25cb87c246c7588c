import Blur

/// Selects kernels for the workloads that the command line asks for, based on existing records or on new
/// measurements.
public struct SelectionRun {
  package let bound: ErrorBound
  package let kernels: [Kernel]
  package let lists: CaseLists
  package let cores: Int
  package let catalog: SceneCatalog

  /// Creates a run that selects a kernel for each of the described workloads.
  ///
  /// - Parameters:
  ///   - lists: Comma-separated lists of values for properties of the workloads, such as `2,10` for sigma.
  ///     Every combination of the listed values is a workload.
  ///   - cores: The number of threads to use if a thread count is given as `all`.
  /// - Throws: ``MeasurementError/usage(_:)`` if a list is invalid.
  public init(
    lists: [CaseDimension: String], within bound: ErrorBound, kernels: [Kernel] = Registry.kernels,
    cores: Int,
    catalog: SceneCatalog = .none
  ) throws(MeasurementError) {
    self.lists = try CaseLists(lists, Vocabulary(kernels: kernels.map(\.name), catalog: catalog))
    self.catalog = catalog
    self.bound = bound
    self.kernels = kernels
    self.cores = cores
  }

  /// Selects the fastest accurate kernel for each workload, from the records that match the lists of this
  /// run. If there is a list of sigmas, for example, records with any other sigma are ignored. A property
  /// that has no list can have any value.
  ///
  /// - Throws: ``MeasurementError/usage(_:)`` if no record matches.
  public func selections(from records: [Record]) throws(MeasurementError) -> [Selection] {
    Selection.all(try named(records), within: bound, kernels: kernels)
  }

  private func named(_ records: [Record]) throws(MeasurementError) -> [Record] {
    let wanted = records.filter {
      $0.item.map { $0.workload.mask == nil && lists.name($0, cores: cores) } ?? false
    }
    guard wanted.isEmpty else { return wanted }
    let all = records.compactMap(\.item)
    for dimension in CaseDimension.allCases {
      guard let list = lists[dimension] else { continue }
      let isKnown = { (item: Case) in list.contains { item.has($0, of: dimension, cores: cores) } }
      if all.contains(where: isKnown) { continue }
      let known = Set(all.compactMap { $0.word(dimension) }).sorted()
      throw .usage(
        "--from: no record has the value that --\(dimension.key) asks for; the records have "
          + (known.isEmpty ? "none" : known.listed))
    }
    throw .usage("--from: no record matches all of the other options together")
  }
}
