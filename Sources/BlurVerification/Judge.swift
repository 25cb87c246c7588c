import Blur

/// The verdict on one blurred image.
public struct Judgement: Sendable {
  /// The image's deviation from the exact Gaussian blur, independent of what the kernel promises.
  public var deviation: Deviation
  /// A description of how the image violates the kernel's promise, with the size and position of the error,
  /// in one line. It is nil if the image keeps the promise.
  public var violation: String?
}

/// Decides whether blurs of one image keep the promises of the kernels that computed them. All of the blurs
/// must have the same sigma and edge mode.
///
/// Kernels may promise to equal different blur definitions. The correct result according to a definition is
/// called its truth. Each truth is computed only once, when it is first needed.
public final class Judge {
  private let image: Image
  private let sigma: Sigma
  private let edge: EdgeMode
  private let rows: [Int]?
  private let mask: Image?
  private var truths: [Truth.Definition: Truth] = [:]
  private lazy var scale = largestScale

  /// The largest distance from the halfway point between two code values, as a fraction of a code value, at
  /// which a correct value may be rounded either way. It is used for kernels that promise to equal a
  /// definition exactly.
  static let tieMargin = 1e-6
  /// The largest accepted error of float results, as a fraction of full scale, for kernels that promise to
  /// equal a definition exactly.
  static let specifiedShare = 1e-5

  /// Creates a judge for blurs of `image`.
  ///
  /// - Parameters:
  ///   - rows: The output rows to judge, or nil for all rows.
  ///   - mask: The mask of a blur with a variable sigma, or nil for a blur with one sigma.
  public init(_ image: Image, sigma: Sigma, edge: EdgeMode, rows: [Int]? = nil, mask: Image? = nil) {
    self.mask = mask
    self.image = image
    self.sigma = sigma
    self.edge = edge
    self.rows = rows
  }

  /// Judges `result`, a whole image that `kernel` has blurred.
  public func judge(_ result: ImageView, by kernel: Kernel) -> Judgement {
    let deviation = truth(.gaussian).deviation(of: result)
    return Judgement(deviation: deviation, violation: violation(result, kernel.promise, deviation))
  }

  private func violation(_ result: ImageView, _ promise: Promise, _ deviation: Deviation) -> String? {
    if case .specification(let name) = promise { return violation(result, ofSpecification: name) }
    guard let levels = promise.bound(for: blurredFormat) else { return nil }
    let bound = levels * scale + rounding
    guard deviation.maxLevels > bound else { return nil }
    return "\(deviation.off("the Gaussian")); promised: at most \(bound.inLevels)"
  }

  private func violation(_ result: ImageView, ofSpecification name: String) -> String? {
    guard let definition = Truth.Definition(specification: name) else {
      return "the kernel promises to equal '\(name)', but blurbench has no definition of that name; "
        + "add one to Truth.Definition"
    }
    let isFloat = blurredFormat.component == .float32
    let bound = (isFloat ? Self.specifiedShare * 255 * scale : 0) + rounding
    let deviation = truth(definition).deviation(of: result, tieMargin: Self.tieMargin)
    guard deviation.maxLevels > bound else { return nil }
    return "\(deviation.off("the definition '\(name)'")); allowed: at most \(bound.inLevels)"
  }

  /// Returns the images that illustrate a violation: the source, the result and the truth around the worst
  /// pixel.
  func failureImages(of result: Image, by kernel: Kernel) -> FailureImages {
    let truth = truth(kernel.promise.definition)
    let place = result.withView { truth.deviation(of: $0, tieMargin: Self.tieMargin) }
    return FailureImages(source: image, result: result, truth: truth, around: place)
  }

  /// Returns the correct result for the image: the blur that `definition` specifies, such as the Gaussian
  /// blur. If there is a mask, the result is instead the blur whose sigma varies from pixel to pixel as the
  /// mask says.
  func truth(_ definition: Truth.Definition) -> Truth {
    if let truth = truths[definition] { return truth }
    let truth =
      mask.map { Truth.of(image, sigma: sigma.x, mask: $0, edge: edge, rows: rows) }
      ?? Truth.of(image, definition, sigma: sigma, edge: edge, rows: rows)
    truths[definition] = truth
    return truth
  }

  /// The format of the images that kernels blur. If the user's image has straight alpha, its colours are
  /// multiplied by alpha before the blur. In this case, the format has more bits per component than the
  /// image, so that the multiplication loses no colour.
  private var blurredFormat: PixelFormat { image.layout.forKernels(sigma).format }

  /// The allowed error, in levels, from rounding when the image is converted to the format that kernels blur.
  /// It is 0 if the image is not converted, or if that format is a float format.
  private var rounding: Double {
    blurredFormat == image.layout.format ? 0 : blurredFormat.straightRounding
  }

  /// The factor by which the allowed errors are multiplied for this image. In float formats, errors grow with
  /// the pixel values, so the factor is the largest magnitude in the image, but at least 1.
  private var largestScale: Double {
    guard image.layout.format.component == .float32 else { return 1 }
    let constant = edge.constantRow(image.layout).prefix(image.layout.format.channels).map(abs).max() ?? 0
    return max(1, image.largestMagnitude, constant)
  }
}

extension Promise {
  /// The blur definition with which the kernel's results are compared. It is the Gaussian, unless the kernel
  /// promises to equal another blur that blurbench knows.
  var definition: Truth.Definition {
    guard case .specification(let name) = self else { return .gaussian }
    return Truth.Definition(specification: name) ?? .gaussian
  }
}
