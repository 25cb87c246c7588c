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

extension Subject: Codable {
  private enum CodingKeys: CodingKey { case format, sigma, edge, instructionSet, threads, image }

  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    let format = try values.decode(PixelFormat.self, forKey: .format)
    let name = try values.decode(String.self, forKey: .edge)
    guard let edge = Self.edge(named: name, for: format) else {
      throw DecodingError.dataCorruptedError(
        forKey: .edge, in: values, debugDescription: "no edge mode is called '\(name)'")
    }
    self.init(
      format, sigma: try values.decode(Sigma.self, forKey: .sigma), edge: edge,
      instructionSet: try values.decode(InstructionSet.self, forKey: .instructionSet),
      threads: try values.decode(Int.self, forKey: .threads),
      image: try values.decodeIfPresent(SampleImage.self, forKey: .image))
  }

  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(format, forKey: .format)
    try values.encode(sigma, forKey: .sigma)
    try values.encode(edgeName, forKey: .edge)
    try values.encode(instructionSet, forKey: .instructionSet)
    try values.encode(threads, forKey: .threads)
    try values.encodeIfPresent(image, forKey: .image)
  }
}
