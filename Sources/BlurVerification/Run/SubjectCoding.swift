import Blur

// The conditions of checks are sent to other processes as JSON.

extension PixelFormat: Codable {}
extension InstructionSet: Codable {}

extension Sigma: Codable {
  public init(from decoder: any Decoder) throws {
    let axes = try decoder.singleValueContainer().decode([Double].self)
    guard axes.count == 2 else { throw BlurError.invalidSigma(.nan) }
    try self.init(x: axes[0], y: axes[1])
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode([x, y])
  }
}
