import BlurRecords

/// A request to prepare a case for timing.
public struct BenchRequest: Codable, Equatable, Sendable {
  /// The name of the case.
  public var name: String
  /// Whether the output of the case is compared with the exact blur.
  public var isVerified: Bool
  /// The artificial slowdown for experiments, as a fraction of the case's own time. The value 0 means no
  /// slowdown.
  public var slowdown: Double
  /// The index of the CPU on which a case with one thread runs, if the system can pin threads to CPUs. All
  /// builds or kernels that are compared with each other use the same CPU, because other programs slow
  /// different CPUs down by different amounts.
  public var cpu = 0

  /// Creates a request for the case of this name.
  public init(_ name: String, isVerified: Bool = false, slowdown: Double = 0) {
    self.name = name
    self.isVerified = isVerified
    self.slowdown = slowdown
  }

  /// Decodes a request. Every field except the name may be missing and then gets its default value, because
  /// the request may come from another build that does not know the field.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    name = try values.decode(String.self, forKey: .name)
    isVerified = try values.decodeIfPresent(Bool.self, forKey: .isVerified) ?? false
    slowdown = try values.decodeIfPresent(Double.self, forKey: .slowdown) ?? 0
    cpu = try values.decodeIfPresent(Int.self, forKey: .cpu) ?? 0
  }
}
