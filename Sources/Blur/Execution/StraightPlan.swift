/// The plan for images with straight alpha. It multiplies the colours by alpha, blurs with the plan of a
/// kernel, and divides the colours by the blurred alpha.
///
/// The multiplied image and the blurred image are stored in scratch memory. Their components have more bits
/// than the user's images, so that multiplying by a small alpha loses no colour: 16 bits if the user's images
/// have 8 bits, and floats if the user's images have 16 bits.
final class StraightPlan: Plan {
  private let inner: any Plan
  private let alpha: StraightAlpha
  /// The part of the image that the inner plan reads.
  private let reads: Region
  /// The layouts of the premultiplied image (`source`) and of the blurred image (`result`). The premultiplied
  /// image holds only the pixels in the region `reads`.
  private let source: ImageLayout, result: ImageLayout
  /// The offsets of the premultiplied and of the blurred image in the shared scratch memory, in bytes.
  private let sourceStart: Int, resultStart: Int
  let facts: PlanFacts

  /// Creates a plan for images with the given layout.
  ///
  /// - Parameters:
  ///   - inner: A plan for the premultiplied images.
  ///   - layout: The layout of the user's images.
  ///   - problem: The problem that `inner` solves.
  init(_ inner: any Plan, for layout: ImageLayout, _ problem: BlurProblem) throws(BlurError) {
    var facts = inner.facts
    let format = problem.layout.format
    reads = facts.reads ?? layout.bounds
    source = try ImageLayout(format, width: reads.width, height: reads.height)
    result = problem.result.packed(as: format)
    (self.inner, alpha) = (inner, StraightAlpha(layout, problem.instructionSet))
    (sourceStart, resultStart) = (facts.share(source), facts.share(result))
    facts.phases = [Phase(units: reads.height)] + facts.phases + [Phase(units: result.height)]
    facts.hasRowEpilogue = true
    facts.integerWeights = nil
    // Multiplying a vector by alpha takes 13 instructions, and dividing a vector by alpha takes 25. Each
    // vector belongs to a premultiplied image, which has more bits per component than the user's image.
    let bytes = 13 * Double(source.byteCount) + 25 * Double(result.byteCount)
    facts.cost = facts.cost + Cost(vectors: bytes / Double(problem.instructionSet.vectorBytes))
    self.facts = facts
  }

  func run(_ phase: Int, _ units: Range<Int>, _ buffers: PhaseContext) {
    // SAFETY: the shared memory holds `facts.sharedBytes` bytes. This is enough for the bytes of the inner
    // plan, followed by both images.
    let multiplied = MutableImageView(buffers.shared + sourceStart, source)
    let blurred = MutableImageView(buffers.shared + resultStart, result)
    switch phase {
    case 0:
      alpha.multiply(units, of: buffers.source, x: reads.x, y: reads.y, into: multiplied)
    case facts.phases.count - 1:
      for y in units {
        alpha.divide(y..<y + 1, of: blurred.readOnly, into: buffers.destination)
        buffers.finished(y..<y + 1)
      }
    default:
      // SAFETY: `whole` is the address where the whole image would begin, although only the region `reads` is
      // in memory. The inner plan computes addresses relative to `whole`, but accesses only this region.
      let whole =
        UnsafeRawPointer(multiplied.unsafeBase) - reads.y * source.stride - reads.x
        * source.format.bytesPerPixel
      inner.run(phase - 1, units, buffers.with(ImageView(whole, source), blurred))
    }
  }
}

extension ImageLayout {
  /// Returns a plan for images with this layout. If kernels cannot blur these images directly, because they
  /// have straight alpha, the plan multiplies the colours by alpha, runs `inner`, and divides by alpha.
  /// Otherwise, the plan is `inner` itself.
  ///
  /// - Parameters:
  ///   - inner: A plan for the images that kernels blur; see ``forKernels(_:)``.
  ///   - problem: The problem that `inner` solves.
  func plan(_ inner: any Plan, _ problem: BlurProblem) throws(BlurError) -> any Plan {
    isConverted(problem.sigma) ? try StraightPlan(inner, for: self, problem) : inner
  }
}
