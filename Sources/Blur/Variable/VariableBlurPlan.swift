/// A blur whose sigma differs from pixel to pixel, made ready for one layout and one mask: as below a bar
/// whose edge is soft, or for the depth of a photograph. It blurs any number of images without allocating.
///
/// Sigma at a pixel is `sigma` times the mask there, in 255ths; 0 leaves the pixel as it is.
/// ```swift
/// let plan = try VariableBlurPlan(for: image.layout, sigma: 24, mask: mask)
/// var result = try Image(image.layout)
/// try plan.blur(image, into: &result)
/// ```
public final class VariableBlurPlan: Sendable {
  /// The layout of the images; other strides are accepted.
  public let layout: ImageLayout
  /// Standard deviation in pixels where the mask is 255.
  public let sigma: Double
  /// What is read beyond the image.
  public let edge: EdgeMode
  /// How it is done.
  public let method: VariableMethod
  /// The largest error of any image by the method, in levels. The blurs that it mixes err by up to a level
  /// more, and rounding adds to both: with ``VariableMethod/levels`` an 8-bit result is within three levels
  /// of the Gaussian of each pixel's own sigma. Nil where it depends on the mask
  /// (``VariableMethod/twoPass``): the harness measures it for masks.
  public let error: Double?

  private let work: Lock<any VariableWork>

  /// Plans a variable blur.
  ///
  /// - Parameters:
  ///   - layout: the format and size of the images.
  ///   - sigma: standard deviation in pixels where the mask is 255.
  ///   - mask: gray8, of the size of the images. Blurs are only made where it needs them.
  ///   - edge: what is read beyond the image.
  ///   - method: how it is done.
  ///   - kernel: makes the blurs that are mixed, whole ones where it refuses regions, as plug-ins do; the
  ///     library's choice if nil, which is within a level.
  ///   - isa: the widest instruction set to use.
  ///   - threads: how many threads work on each blur; the result is the same for any number.
  ///   - scratch: that of plans which blur in turn with this one; its own if nil.
  /// - Throws: ``BlurError/invalidSigma(_:)``, ``BlurError/maskMismatch(expected:found:)``, and what
  ///   ``BlurPlan`` throws.
  public init(
    for layout: ImageLayout, sigma: Double, mask: Image, edge: EdgeMode = .clamp,
    method: VariableMethod = .levels, kernel: Kernel? = nil, isa: InstructionSet = .best, threads: Int = 1,
    scratch: SharedScratch? = nil
  ) throws(BlurError) {
    _ = try Sigma(sigma)
    guard (1...1024).contains(threads) else { throw .invalidThreads(threads) }
    try mask.layout.check(isMaskFor: layout)
    (self.layout, self.sigma, self.edge, self.method) = (layout, sigma, edge, method)
    if method == .twoPass {
      error = nil
      work = Lock(try TwoPassWork(layout, sigma: sigma, mask: mask, edge: edge))
      return
    }
    let steps = SigmaSteps(method, sigma: sigma)
    error = 255 * steps.error
    let scratch = scratch ?? SharedScratch()
    let work = try MixedWork(layout, steps, mask) { (sigma, region) throws(BlurError) in
      let parameters = BlurParameters(
        sigma: try Sigma(sigma), edge: edge, region: region, instructionSet: isa)
      if let kernel {
        return try .covering(kernel, for: layout, parameters, threads: threads, scratch: scratch)
      }
      // Chosen for one thread: the number of threads must not change a bit.
      let chosen = try BlurPlan(for: layout, parameters, scratch: scratch)
      guard threads != 1 else { return chosen }
      return try BlurPlan(chosen.kernel, for: layout, chosen.parameters, threads: threads, scratch: scratch)
    }
    self.work = Lock(work)
  }

  /// Blurs `image` into `result`, which has its layout.
  ///
  /// - Throws: ``BlurError/layoutMismatch(of:expected:found:)``.
  public func blur(_ image: Image, into result: inout Image) throws(BlurError) {
    try image.withView { (source) throws(BlurError) in
      try result.withMutableView { (target) throws(BlurError) in try blur(source, into: target) }
    }
  }

  /// Blurs the pixels at `source` into those at `target`, which must not overlap.
  ///
  /// - Throws: ``BlurError/layoutMismatch(of:expected:found:)``, ``BlurError/overlap(kernel:)``.
  public func blur(_ source: ImageView, into target: MutableImageView) throws(BlurError) {
    try source.layout.check("image", is: layout.format, layout.width, layout.height)
    try target.layout.check("result", is: layout.format, layout.width, layout.height)
    guard source.isApart(from: target) else { throw .overlap(kernel: method.rawValue) }
    if let failure = work.withLock({ $0.run(source, target) }) { throw failure }
  }
}

extension BlurPlan {
  /// A plan for a region, or for the whole image where the kernel refuses regions.
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
  /// The image blurred with a sigma that differs from pixel to pixel, within three levels of the Gaussian in
  /// 8 bits by the default method; see ``VariableBlurPlan``. The result has the layout of the image.
  ///
  /// - Parameters:
  ///   - sigma: standard deviation in pixels where the mask is 255.
  ///   - mask: gray8, of the size of the image.
  ///   - edge: what pixels outside of the image are.
  ///   - method: how images of fixed sigma are made into one.
  ///   - threads: how many threads work on the image; the result is the same for any number.
  /// - Throws: what ``VariableBlurPlan`` throws.
  public func blurred(
    sigma: Double, mask: Image, edge: EdgeMode = .clamp, method: VariableMethod = .levels, threads: Int = 1
  ) throws(BlurError) -> Image {
    var result = try Image(layout)
    try VariableBlurPlan(for: layout, sigma: sigma, mask: mask, edge: edge, method: method, threads: threads)
      .blur(self, into: &result)
    return result
  }
}

/// What a method does when it runs, with its buffers.
protocol VariableWork: AnyObject, Sendable {
  /// Blurs views of the planned layout; the error of a blur, if one failed.
  func run(_ source: ImageView, _ target: MutableImageView) -> BlurError?
}
