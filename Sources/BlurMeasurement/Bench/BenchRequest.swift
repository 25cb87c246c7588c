import BlurRecords

/// A case that is to be made ready.
public struct BenchRequest: Codable, Equatable, Sendable {
  /// The case's name.
  public var name: String
  /// Whether its result is held to the truth.
  public var isVerified: Bool
  /// By which share of its time it is made slower, for experiments. 0 for not at all.
  public var slowdown: Double
  /// The CPU that a case of one thread is kept on, if the system has that: all sides of a comparison on the
  /// same one, for CPUs have different neighbours.
  public var cpu = 0

  /// Asks for a case.
  public init(_ name: String, isVerified: Bool = false, slowdown: Double = 0) {
    self.name = name
    self.isVerified = isVerified
    self.slowdown = slowdown
  }

  /// Another build may leave out what it does not know.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    name = try values.decode(String.self, forKey: .name)
    isVerified = try values.decodeIfPresent(Bool.self, forKey: .isVerified) ?? false
    slowdown = try values.decodeIfPresent(Double.self, forKey: .slowdown) ?? 0
    cpu = try values.decodeIfPresent(Int.self, forKey: .cpu) ?? 0
  }
}
