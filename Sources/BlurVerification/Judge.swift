import Blur

/// The judgement of one result.
public struct Judgement: Sendable {
  /// The distance from the Gaussian, whatever the kernel promises.
  public var deviation: Deviation
  /// Nil where the kernel's promise is kept on this image; otherwise one line: by how much, and where.
  public var violation: String?
}

/// Holds results for one image, sigma and edge mode to what their kernels promise.
///
/// Each truth is computed once, when it is first needed.
public final class Judge {
  private let image: Image
  private let sigma: Sigma
  private let edge: EdgeMode
  private let rows: [Int]?
  private let mask: Image?
  private var truths: [Truth.Definition: Truth] = [:]
  private lazy var scale = largestScale

  /// How near to halfway, in stored units, a rounding may go either way for a specification.
  static let tieMargin = 1e-6
  /// The share of full scale by which float values may miss a specification.
  static let specifiedShare = 1e-5

  /// Prepares to judge blurs of `image`, on the output rows `rows` only if they are given; with a mask, blurs
  /// of variable sigma.
  public init(_ image: Image, sigma: Sigma, edge: EdgeMode, rows: [Int]? = nil, mask: Image? = nil) {
    self.mask = mask
    self.image = image
    self.sigma = sigma
    self.edge = edge
    self.rows = rows
  }

  /// Judges the whole blurred image `result`, made by `kernel`.
  public func judge(_ result: ImageView, by kernel: Kernel) -> Judgement {
    let deviation = truth(.gaussian).deviation(of: result)
    return Judgement(deviation: deviation, violation: violation(result, kernel.promise, deviation))
  }

  private func violation(_ result: ImageView, _ promise: Promise, _ deviation: Deviation) -> String? {
    if case .specification(let name) = promise { return violation(result, ofSpecification: name) }
    guard let share = promise.bound(for: image.layout.format) else { return nil }
    let bound = share * scale
    guard deviation.maxLevels > bound else { return nil }
    return "\(deviation.off("the Gaussian")); promised: at most \(bound.inLevels)"
  }

  private func violation(_ result: ImageView, ofSpecification name: String) -> String? {
    guard let definition = Truth.Definition(specification: name) else {
      return "promises '\(name)', which the harness has no definition of; add it to Truth.Definition"
    }
    let isFloat = image.layout.format.component == .float32
    let bound = isFloat ? Self.specifiedShare * 255 * scale : 0
    let deviation = truth(definition).deviation(of: result, tieMargin: Self.tieMargin)
    guard deviation.maxLevels > bound else { return nil }
    return "\(deviation.off("the definition '\(name)'")); allowed: \(bound.inLevels)"
  }

  /// What a picture of a violation shows.
  func failureImages(of result: Image, by kernel: Kernel) -> FailureImages {
    let truth = truth(kernel.promise.definition)
    let place = result.withView { truth.deviation(of: $0, tieMargin: Self.tieMargin) }
    var images = FailureImages(source: image, result: result, truth: truth, around: place)
    if mask == nil { images.blur = (sigma, edge) }
    return images
  }

  /// What a definition makes of the image; computed once.
  func truth(_ definition: Truth.Definition) -> Truth {
    if let truth = truths[definition] { return truth }
    let truth =
      mask.map { Truth.of(image, sigma: sigma.x, mask: $0, edge: edge, rows: rows) }
      ?? Truth.of(image, definition, sigma: sigma, edge: edge, rows: rows)
    truths[definition] = truth
    return truth
  }

  /// Errors of float images grow with their values: bounds are shares of the largest, if that is above 1.
  private var largestScale: Double {
    guard image.layout.format.component == .float32 else { return 1 }
    let constant = edge.constantRow(image.layout).prefix(image.layout.format.channels).map(abs).max() ?? 0
    return max(1, image.largestMagnitude, constant)
  }
}

extension Promise {
  /// The definition of what is promised; the Gaussian, where no other is known.
  var definition: Truth.Definition {
    guard case .specification(let name) = self else { return .gaussian }
    return Truth.Definition(specification: name) ?? .gaussian
  }
}
