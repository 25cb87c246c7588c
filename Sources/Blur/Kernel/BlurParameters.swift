/// The standard deviation of a blur in pixels, which may differ by axis. 0 leaves the axis as it is.
public struct Sigma: Hashable, Sendable {
  /// Standard deviation along a row and along a column.
  public let x: Double, y: Double

  /// The values a sigma may have.
  public static let allowed = 0.0...1000.0

  /// Makes a sigma that differs by axis.
  ///
  /// - Throws: ``BlurError/invalidSigma(_:)`` outside ``allowed`` or not a number.
  public init(x: Double, y: Double) throws(BlurError) {
    for value in [x, y] where !Self.allowed.contains(value) { throw .invalidSigma(value) }
    self.x = x
    self.y = y
  }

  /// Makes the same sigma for both axes.
  ///
  /// - Throws: ``BlurError/invalidSigma(_:)`` outside ``allowed`` or not a number.
  public init(_ both: Double) throws(BlurError) { try self.init(x: both, y: both) }

  /// No blur at all.
  public var isIdentity: Bool { x == 0 && y == 0 }
}

/// What a user asks for, apart from the images' layout.
public struct BlurParameters: Hashable, Sendable {
  /// Standard deviation in pixels by axis.
  public var sigma: Sigma
  /// What is read beyond the image.
  public var edge: EdgeMode
  /// The part of the blurred image that is wanted; nil for all of it. Pixels outside it are read as
  /// neighbours, so the result equals that part of the whole blurred image.
  public var region: Region?
  /// The widest instruction set that may be used.
  public var instructionSet: InstructionSet

  /// Makes parameters; by default the whole image, clamped edges, the best instruction set of this CPU.
  public init(
    sigma: Sigma, edge: EdgeMode = .clamp, region: Region? = nil, instructionSet: InstructionSet = .best
  ) {
    self.sigma = sigma
    self.edge = edge
    self.region = region
    self.instructionSet = instructionSet
  }
}
