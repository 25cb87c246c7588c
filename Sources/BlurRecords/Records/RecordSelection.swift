extension [Record] {
  /// Returns the records of the cases that the filter selects, or all records if there is no filter.
  public func kept(by filter: String?) throws(MeasurementError) -> [Record] {
    guard let filter else { return self }
    let chosen = try CaseFilter(filter)
    return self.filter { (try? Case(name: $0.name)).map(chosen.keeps) ?? false }
  }

  /// Returns the names of the cases that one process measured. Pass nil for a run that used a single process.
  package func names(inProcess process: Int?) -> Set<String> {
    Set(filter { $0.process == process }.map(\.name))
  }
}
