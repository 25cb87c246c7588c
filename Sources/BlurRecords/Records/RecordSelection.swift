extension [Record] {
  /// Returns the records of the cases that the filter selects, or all records if there is no filter.
  ///
  /// - Throws: ``MeasurementError/usage(_:)`` if the filter is malformed or selects none of the records.
  public func kept(by filter: String?) throws(MeasurementError) -> [Record] { try [self].kept(by: filter)[0] }

  /// Returns the names of the cases that one process measured. Pass nil for a run that used a single process.
  package func names(inProcess process: Int?) -> Set<String> {
    Set(filter { $0.process == process }.map(\.name))
  }
}

extension [[Record]] {
  /// Applies a filter to several sets of records, or to none of them if there is no filter. Some of the sets
  /// may lack all of the selected cases, but not all of them.
  ///
  /// - Throws: ``MeasurementError/usage(_:)`` if the filter is malformed or selects none of the records.
  public func kept(by filter: String?) throws(MeasurementError) -> [[Record]] {
    guard let filter else { return self }
    let chosen = try CaseFilter(filter)
    let kept = map { set in set.filter { (try? Case(name: $0.name)).map(chosen.keeps) ?? false } }
    guard kept.allSatisfy(\.isEmpty), let first = joined().first else { return kept }
    throw chosen.matchesNone(example: first.name)
  }
}
