extension [Record] {
  /// The records of the cases that a filter chooses, or all without a filter.
  public func kept(by filter: String?) throws(MeasurementError) -> [Record] {
    guard let filter else { return self }
    let chosen = try CaseFilter(filter)
    return self.filter { (try? Case(name: $0.name)).map(chosen.keeps) ?? false }
  }

  /// The names of the cases in one process of a run with several, or in a run of one.
  package func names(inProcess process: Int?) -> Set<String> {
    Set(filter { $0.process == process }.map(\.name))
  }
}
