import Blur

/// The plan of an effect with a strong blur. It blurs into an image with a quarter of the width and height,
/// changes the colours of this small image, and then enlarges it, as apps usually do. This is faster, because
/// most steps process only a sixteenth of the pixels.
final class EnlargedPlan: Plan {
  /// The smallest sigma, in pixels, for which a blur is computed in a small image and enlarged. Neighbours in
  /// the small image then differ so little that interpolation between them causes an error of at most 0.7
  /// levels. In the last five columns and rows, which repeat the last pixel, the error can be 3 levels.
  static let leastSigma = 32.0

  private let inner: any Plan
  /// The number of phases of the inner plan.
  private let innerPhases: Int
  private let small: ImageLayout
  /// The offset of the small image in the shared scratch memory, in bytes.
  private let smallStart: Int
  private let steps: ColourSteps
  let facts: PlanFacts

  /// Returns whether a blur can be computed as a smaller image that is enlarged afterwards. The blur must be
  /// strong, and its kernel must be able to compute a smaller result directly. The blur must also cover a
  /// whole image and mirror its edges. The blurred image then hardly changes near its edges, so the outermost
  /// pixels can be repeated when it is enlarged.
  static func suits(_ blur: BlurPlan) -> Bool {
    let (layout, parameters) = (blur.layout, blur.parameters)
    return blur.kernel.downscales && layout.format == .rgba8 && parameters.edge == .mirror
      && blur.region == layout.bounds && min(layout.width, layout.height) >= 4
      && min(parameters.sigma.x, parameters.sigma.y) >= leastSigma
  }

  /// Plans the same blur as `blur`, followed by `steps`. The result of ``suits(_:)`` must be true for the
  /// blur.
  init(_ blur: BlurPlan, _ steps: ColourSteps) throws(BlurError) {
    var parameters = blur.parameters
    parameters.downscaled = 4
    let problem = try blur.kernel.problem(parameters, for: blur.layout, threads: blur.threads)
    inner = try blur.kernel.plan(problem)
    small = problem.result
    self.steps = steps
    var facts = inner.facts
    innerPhases = facts.phases.count
    smallStart = facts.share(small)
    facts.scratchBytes = max(facts.scratchBytes, 2 * small.rowBytes)
    facts.phases += [Phase(units: small.height), Phase(units: blur.region.height)]
    facts.hasRowEpilogue = true
    facts.integerWeights = nil
    // Enlarging takes about 9 vector instructions for 16 bytes of the result.
    facts.cost = facts.cost + Cost(vectors: 9 * Double(blur.layout.byteCount) / 16)
    self.facts = facts
  }

  func run(_ phase: Int, _ units: Range<Int>, _ buffers: PhaseContext) {
    // SAFETY: the shared memory holds `facts.sharedBytes` bytes. This is enough for the bytes of the inner
    // plan, followed by the small image.
    let image = MutableImageView(buffers.shared + smallStart, small)
    switch phase - innerPhases {
    case ..<0:
      inner.run(phase, units, buffers.with(buffers.source, image))
    case 0:
      for y in units { steps.changeColours(of: image.unsafeRow(y), small.width) }
    default:
      for y in units {
        // The distance in eighths of a small row from the centre of the first small row to the centre of row
        // `y`. In the first and last rows of the result, both neighbours are the same small row.
        let distance = 2 * y - 3
        let (above, below) = (distance >> 3, distance >> 3 + 1)
        let last = small.height - 1
        // SAFETY: a row of the result has at least four times as many pixels as a small row, and the scratch
        // memory has two bytes for each component of a small row.
        steps.enlarge(
          image.unsafeRow(min(max(above, 0), last)), image.unsafeRow(min(max(below, 0), last)), small.width,
          distance & 7, to: buffers.destination.unsafeRow(y), buffers.scratch)
        buffers.finished(y..<y + 1)
      }
    }
  }
}
