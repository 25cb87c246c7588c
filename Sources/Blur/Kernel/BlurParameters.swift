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
  /// The factor by which the result is downscaled along each axis: 1, 2 or 4. With the factor 2, for example,
  /// each pixel of the result is the mean of a block of 2×2 blurred pixels. Columns and rows at the end of
  /// ``region`` that do not fill a block are left out. The region must begin at multiples of this factor.
  public var downscaled: Int
  /// The widest instruction set that may be used.
  public var instructionSet: InstructionSet
  /// The thresholds at which kernels switch to a different method.
  package var thresholds = Thresholds()

  /// Creates parameters. The defaults are the whole image in its full size, clamped edges and the best
  /// instruction set of this CPU.
  public init(
    sigma: Sigma, edge: EdgeMode = .clamp, region: Region? = nil, downscaled: Int = 1,
    instructionSet: InstructionSet = .best
  ) {
    self.sigma = sigma
    self.edge = edge
    self.region = region
    self.downscaled = downscaled
    self.instructionSet = instructionSet
  }

  /// Returns the layout of the result for images with the given layout. If the result is the whole blurred
  /// image at full size, it has the same padding between its rows as the images. Otherwise, it has none. The
  /// parameters are not checked again, so a plan must already have been made with them for this layout.
  func result(of layout: ImageLayout) -> ImageLayout {
    if region == nil && downscaled == 1 { return layout }
    return layout.result(of: region ?? layout.bounds, downscaled: downscaled)
  }

  /// The allowed values of ``downscaled``.
  static let factors = [1, 2, 4]

  /// Throws an error if the region does not lie inside an image of this layout, or if a blur of this region
  /// cannot be downscaled by ``downscaled``.
  func check(_ layout: ImageLayout) throws(BlurError) {
    let region = region ?? layout.bounds
    guard region.fits(layout) else { throw .invalidRegion(region, layout) }
    guard Self.factors.contains(downscaled), region.x % downscaled == 0, region.y % downscaled == 0,
      min(region.width, region.height) >= downscaled
    else { throw .invalidDownscaling(downscaled, region) }
  }
}

extension ImageLayout {
  /// Returns the layout of a result, without padding.
  ///
  /// - Parameters:
  ///   - region: The part of the blurred image that the result shows.
  ///   - factor: The factor by which the width and the height of the region are divided.
  func result(of region: Region, downscaled factor: Int) -> ImageLayout {
    let width = region.width / factor
    return ImageLayout(format, width, region.height / factor, width * format.bytesPerPixel, order, alpha)
  }
}
