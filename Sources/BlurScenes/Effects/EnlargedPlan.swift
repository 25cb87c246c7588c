import Blur
import CSceneColours

/// The plan of an effect with a strong blur. It blurs into an image with a quarter of the width and height,
/// changes the colours there, and enlarges the result, as apps usually do. This is faster, because most steps
/// have only a sixteenth of the pixels to process.
final class EnlargedPlan: Plan {
  /// The factor by which the small image is enlarged. The loop `enlarge` works only for this factor.
  static let factor = 4
  /// The smallest sigma in pixels for which a blur is enlarged. Two neighbours in the small image then differ
  /// so little that interpolation between them causes an error of at most 0.7 levels.
  static let leastSigma = 32.0

  private let inner: any Plan
  /// The number of phases of the inner plan.
  private let innerPhases: Int
  private let small: ImageLayout
  /// The offset of the small image in the shared scratch memory, in bytes.
  private let smallStart: Int
  private let steps: ColourSteps
  private let loops: scene_colour_loops
  let facts: PlanFacts

  /// Plans an effect for whole rgba8 images that are mirrored at their edges. `kernel` blurs, and `steps`
  /// changes the colours of the small image.
  init(_ problem: BlurProblem, _ kernel: Kernel, _ steps: ColourSteps) throws(BlurError) {
    var problem = problem
    problem.downscaled = Self.factor
    inner = try kernel.plan(problem)
    small = problem.result
    self.steps = steps
    loops = .compiled(upTo: problem.instructionSet)
    var facts = inner.facts
    innerPhases = facts.phases.count
    smallStart = (facts.sharedBytes + 63) / 64 * 64
    facts.sharedBytes = smallStart + small.byteCount
    facts.scratchBytes = max(facts.scratchBytes, 2 * small.rowBytes)
    facts.phases += [Phase(units: small.height), Phase(units: problem.region.height)]
    facts.hasRowEpilogue = true
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
        enlarge(image.readOnly, to: y, buffers)
        buffers.finished(y..<y + 1)
      }
    }
  }

  /// Writes row `y` of the result, which is interpolated between two adjacent rows of the small image.
  private func enlarge(_ image: ImageView, to y: Int, _ buffers: PhaseContext) {
    // The distance in eighths of a small row from the centre of the first small row to the centre of row `y`.
    let distance = 2 * y - (Self.factor - 1)
    let above = distance >> 3
    func row(_ index: Int) -> UnsafePointer<UInt8> {
      image.unsafeRow(min(max(index, 0), small.height - 1)).assumingMemoryBound(to: UInt8.self)
    }
    // SAFETY: a row of the result has at least four times as many pixels as the small image, and the scratch
    // memory has two bytes for each component of a small row.
    loops.enlarge(
      buffers.destination.unsafeRow(y).assumingMemoryBound(to: UInt8.self), buffers.destination.layout.width,
      row(above), row(above + 1), small.width, distance & 7,
      buffers.scratch.assumingMemoryBound(to: UInt16.self))
  }
}
