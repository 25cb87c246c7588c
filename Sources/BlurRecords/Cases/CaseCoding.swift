// Cases and jobs are sent to other processes as JSON. A case is sent as its name, which says everything about
// it.

extension Case: Codable {
  public init(from decoder: any Decoder) throws {
    try self.init(name: decoder.singleValueContainer().decode(String.self))
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(name)
  }
}

extension Job: Codable {
  /// Decodes the cases of a job. They must have a workload in common, so there must be at least one.
  public init(from decoder: any Decoder) throws {
    let cases = try decoder.singleValueContainer().decode([Case].self)
    guard let workload = cases.first?.workload else {
      throw MeasurementError.failed("internal error: a job in the request has no cases")
    }
    self.init(workload: workload, cases: cases)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(cases)
  }
}
