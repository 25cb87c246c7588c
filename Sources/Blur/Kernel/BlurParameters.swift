/// The standard deviation of a blur in pixels, which may differ between the two axes. If the value for an
/// axis is 0, the image is not blurred along that axis.
public struct Sigma: Hashable, Sendable {
  /// The standard deviation along a row, and along a column, in pixels.
  public let x: Double, y: Double

  /// The range of allowed standard deviations in pixels.
  public static let allowed = 0.0...1000.0

  /// Creates a sigma with a value for each axis.
  ///
  /// - Throws: ``BlurError/invalidSigma(_:)`` if a value is outside ``allowed`` or is NaN.
  public init(x: Double, y: Double) throws(BlurError) {
    for value in [x, y] where !Self.allowed.contains(value) { throw .invalidSigma(value) }
    self.x = x
    self.y = y
  }

  /// Creates a sigma with the same value for both axes.
  ///
  /// - Throws: ``BlurError/invalidSigma(_:)`` if the value is outside ``allowed`` or is NaN.
  public init(_ both: Double) throws(BlurError) { try self.init(x: both, y: both) }

  /// Whether a blur with this sigma leaves the image unchanged.
  public var isIdentity: Bool { x == 0 && y == 0 }
}

/// The settings of a blur: its sigma, edge mode, wanted region and instruction set. The layout of the images
/// is given separately.
public struct BlurParameters: Hashable, Sendable {
  /// The standard deviation in pixels along each axis.
  public var sigma: Sigma
  /// The edge mode, which defines the pixels beyond the edges of the image.
  public var edge: EdgeMode
  /// The part of the blurred image that is wanted, or nil for all of it. Pixels outside this region are still
  /// read as neighbours, so the result equals the same part of the whole blurred image.
  public var region: Region?
  /// The widest instruction set that may be used.
  public var instructionSet: InstructionSet
  /// The thresholds at which kernels switch to a different method.
  package var thresholds = Thresholds()

  /// Creates parameters. The defaults are the whole image, clamped edges and the best instruction set of this
  /// CPU.
  public init(
    sigma: Sigma, edge: EdgeMode = .clamp, region: Region? = nil, instructionSet: InstructionSet = .best
  ) {
    self.sigma = sigma
    self.edge = edge
    self.region = region
    self.instructionSet = instructionSet
  }
}
