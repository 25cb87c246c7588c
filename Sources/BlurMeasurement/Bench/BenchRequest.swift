import BlurRecords

/// A case that is to be made ready.
public struct BenchRequest: Codable, Equatable, Sendable {
  /// The case's name.
  public var name: String
  /// Whether its result is held to the truth.
  public var isVerified: Bool
  /// The share of its rows that the kernel does twice: a slowdown of a known size. 0 for none.
  public var repeatedShare: Double
  /// The CPU that a case of one thread is kept on, if the system has that: all sides of a comparison on the
  /// same one, for CPUs have different neighbours.
  public var cpu = 0

  /// Asks for a case.
  public init(_ name: String, isVerified: Bool = false, repeatedShare: Double = 0) {
    self.name = name
    self.isVerified = isVerified
    self.repeatedShare = repeatedShare
  }

  /// Another build may leave out what it does not know.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    name = try values.decode(String.self, forKey: .name)
    isVerified = try values.decodeIfPresent(Bool.self, forKey: .isVerified) ?? false
    repeatedShare = try values.decodeIfPresent(Double.self, forKey: .repeatedShare) ?? 0
    cpu = try values.decodeIfPresent(Int.self, forKey: .cpu) ?? 0
  }
}
