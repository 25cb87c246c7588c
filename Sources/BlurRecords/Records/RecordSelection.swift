extension [Record] {
  /// Returns the records of the cases that the filter selects, or all records if there is no filter.
  ///
  /// - Throws: ``MeasurementError/usage(_:)`` if the filter is malformed or selects none of the records.
  public func kept(by filter: String?) throws(MeasurementError) -> [Record] {
    guard let filter = try filter.map({ (text) throws(MeasurementError) in try CaseFilter(text) }) else {
      return self
    }
    let kept = kept(by: filter)
    if kept.isEmpty, !isEmpty {
      throw filter.matchesNone(of: Set(map(\.name)).sorted().compactMap { try? Case(name: $0) })
    }
    return kept
  }

  /// Returns the records of the cases that the filter selects.
  public func kept(by filter: CaseFilter) -> [Record] {
    self.filter { (try? Case(name: $0.name)).map(filter.keeps) ?? false }
  }

  /// Returns the names of the cases that one process measured. Pass nil for a run that used a single process.
  package func names(inProcess process: Int?) -> Set<String> {
    Set(filter { $0.process == process }.map(\.name))
  }
}
