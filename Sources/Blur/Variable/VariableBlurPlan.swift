/// A blur whose sigma differs from pixel to pixel, prepared for one layout and one mask. For example, such a
/// blur can fade out gradually behind a toolbar, or imitate the depth of field of a photograph. The plan
/// blurs any number of images without allocating memory.
///
/// The sigma of a pixel is `sigma` times the mask value of this pixel divided by 255. A mask value of 0
/// leaves the pixel unchanged. In images with straight alpha, however, the colours of a pixel whose alpha is
/// 0 become 0, and float colours are rounded.
/// ```swift
/// let plan = try VariableBlurPlan(for: image.layout, sigma: 24, mask: mask)
/// var result = try Image(image.layout)
/// try plan.blur(image, into: &result)
/// ```
public final class VariableBlurPlan: Sendable {
  /// The layout of the images. An image may have a different stride.
  public let layout: ImageLayout
  /// The standard deviation in pixels where the mask is 255.
  public let sigma: Double
  /// The edge mode, which defines the pixels beyond the edges of the image.
  public let edge: EdgeMode
  /// The method by which the blur is computed.
  public let method: VariableMethod
  /// The largest error that mixing blurs with fixed sigmas causes in any image, in levels (1/255 of full
  /// scale). It is nil for ``VariableMethod/twoPass``, because the error of this method depends on the mask.
  ///
  /// Two further errors are not included: each of the mixed blurs can differ from its Gaussian by up to one
  /// level, and the mixture is rounded. With ``VariableMethod/levels``, the total error of an 8-bit result is
  /// at most three levels, compared with the Gaussian of each pixel's own sigma.
  public let error: Double?

  private let work: Lock<any VariableWork>

  /// Creates a plan for a blur with a variable sigma.
  ///
  /// - Parameters:
  ///   - layout: The format and size of the images.
  ///   - sigma: The standard deviation in pixels where the mask is 255.
  ///   - mask: A gray8 image of the same size as the images. Each of the blurs to be mixed is computed only
  ///     in the rectangle where the mask needs it.
  ///   - edge: How the image continues beyond its edges.
  ///   - method: The method by which the blur is computed.
  ///   - kernel: The kernel that computes the blurs to be mixed. A kernel that does not support regions, such
  ///     as the kernel of a plug-in, blurs whole images. If nil, the library chooses a kernel whose error is
  ///     at most one level.
  ///   - isa: The widest instruction set to use.
  ///   - threads: The number of threads that work on each blur. It does not change the result.
  ///   - scratch: Scratch memory shared with plans that never blur at the same time as this one, or nil to
  ///     give the plan memory of its own.
  /// - Throws: ``BlurError/invalidSigma(_:)``, ``BlurError/maskMismatch(expected:found:)``, or an error of
  ///   ``BlurPlan``.
  public init(
    for layout: ImageLayout, sigma: Double, mask: Image, edge: EdgeMode = .clamp,
    method: VariableMethod = .levels, kernel: Kernel? = nil, isa: InstructionSet = .best, threads: Int = 1,
    scratch: SharedScratch? = nil
  ) throws(BlurError) {
    _ = try Sigma(sigma)
    guard (1...1024).contains(threads) else { throw .invalidThreads(threads) }
    try mask.layout.check(isMaskFor: layout)
    (self.layout, self.sigma, self.edge, self.method) = (layout, sigma, edge, method)
    // If the images have straight alpha, their colours are first multiplied by alpha. The blurs are computed
    // and mixed in this premultiplied form. Only the mixed result is converted back to straight alpha.
    let isConverted = try layout.isConverted(Sigma(sigma))
    let inner = isConverted ? try layout.forKernels(Sigma(sigma)) : layout
    let edge = isConverted ? edge.forKernels(of: layout) : edge
    func converting(_ work: any VariableWork) throws(BlurError) -> any VariableWork {
      isConverted ? try StraightWork(work, StraightAlpha(layout, min(isa, .best)), inner) : work
    }
    if method == .twoPass {
      error = nil
      let twoPass = try TwoPassWork(inner, sigma: sigma, mask: mask, edge: edge.forKernels(of: inner))
      work = Lock(try converting(twoPass))
      return
    }
    let steps = SigmaSteps(method, sigma: sigma)
    error = 255 * steps.error
    let scratch = scratch ?? SharedScratch()
    let work = try MixedWork(inner, steps, mask) { (sigma, region) throws(BlurError) in
      let parameters = BlurParameters(
        sigma: try Sigma(sigma), edge: edge, region: region, instructionSet: isa)
      if let kernel {
        return try .covering(kernel, for: inner, parameters, threads: threads, scratch: scratch)
      }
      // The kernel is chosen as if there were one thread. Otherwise, a different number of threads could lead
      // to a different kernel, and so change the bits of the result.
      let chosen = try BlurPlan(for: inner, parameters, scratch: scratch)
      guard threads != 1 else { return chosen }
      return try BlurPlan(chosen.kernel, for: inner, chosen.parameters, threads: threads, scratch: scratch)
    }
    self.work = Lock(try converting(work))
  }

  /// Blurs `image` into `result`, which must have the format and size of the image.
  ///
  /// - Throws: ``BlurError/layoutMismatch(of:expected:found:)``.
  public func blur(_ image: Image, into result: inout Image) throws(BlurError) {
    try image.withViews(into: &result) { (source, target) throws(BlurError) in
      try blur(source, into: target)
    }
  }

  /// Blurs the pixels at `source` into the pixels at `target`. The two views must not overlap.
  ///
  /// - Throws: ``BlurError/layoutMismatch(of:expected:found:)`` or ``BlurError/overlap(kernel:)``.
  public func blur(_ source: ImageView, into target: MutableImageView) throws(BlurError) {
    try source.layout.check("image", is: layout)
    try target.layout.check("result", is: layout)
    guard source.isApart(from: target) else { throw .overlap(kernel: method.rawValue) }
    if let failure = work.withLock({ $0.run(source, target) }) { throw failure }
    if layout.alpha == .opaque { target.makeOpaque(0..<layout.height) }
  }
}

extension BlurPlan {
  /// Returns a plan that blurs only the region of `parameters`, or the whole image if the kernel does not
  /// support regions.
  fileprivate static func covering(
    _ kernel: Kernel, for layout: ImageLayout, _ parameters: BlurParameters, threads: Int,
    scratch: SharedScratch
  ) throws(BlurError) -> BlurPlan {
    do throws(BlurError) {
      return try BlurPlan(kernel, for: layout, parameters, threads: threads, scratch: scratch)
    } catch {
      guard case .unsupported = error, parameters.region != nil else { throw error }
      var whole = parameters
      whole.region = nil
      return try BlurPlan(kernel, for: layout, whole, threads: threads, scratch: scratch)
    }
  }
}

extension Image {
  /// Returns the image blurred with a sigma that differs from pixel to pixel. The result has the layout of
  /// the image.
  ///
  /// With the default method, an 8-bit result is within three levels of the Gaussian of each pixel's own
  /// sigma; see ``VariableBlurPlan``.
  ///
  /// - Parameters:
  ///   - sigma: The standard deviation in pixels where the mask is 255.
  ///   - mask: A gray8 image of the same size as the image.
  ///   - edge: How the image continues beyond its edges.
  ///   - method: The method by which the blur is computed.
  ///   - threads: The number of threads that work on the image. It does not change the result.
  /// - Throws: An error of ``VariableBlurPlan``.
  public func blurred(
    sigma: Double, mask: Image, edge: EdgeMode = .clamp, method: VariableMethod = .levels, threads: Int = 1
  ) throws(BlurError) -> Image {
    var result = try Image(layout)
    try VariableBlurPlan(for: layout, sigma: sigma, mask: mask, edge: edge, method: method, threads: threads)
      .blur(self, into: &result)
    return result
  }
}

/// An implementation of one method for blurs with a variable sigma, with the buffers that it needs.
protocol VariableWork: AnyObject, Sendable {
  /// Blurs `source` into `target`. Both images must have the format and the size that the plan was made for.
  /// Returns nil if the blur succeeded, and otherwise the error.
  func run(_ source: ImageView, _ target: MutableImageView) -> BlurError?
}
