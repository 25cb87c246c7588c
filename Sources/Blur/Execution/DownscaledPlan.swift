/// The plan for a result that is smaller than the blurred image, for kernels that cannot compute such a
/// result directly. It blurs into scratch memory. The last phase averages blocks of 2×2 or 4×4 blurred
/// pixels.
final class DownscaledPlan: Plan {
  private let inner: any Plan
  private let factor: Int
  private let blurred: ImageLayout
  /// The offset of the blurred image in the shared scratch memory, in bytes.
  private let blurredStart: Int
  let facts: PlanFacts

  /// Creates a plan for a problem whose result is smaller than the region.
  ///
  /// - Parameter planner: A function that makes a plan for the same problem with a result in full size.
  init(
    _ problem: BlurProblem, _ planner: (BlurProblem) throws(BlurError) -> any Plan
  ) throws(BlurError) {
    let whole = problem.inFullSize
    inner = try planner(whole)
    (factor, blurred) = (problem.downscaled, whole.result)
    var facts = inner.facts
    blurredStart = AlignedBuffer.roundedUp(facts.sharedBytes)
    facts.sharedBytes = blurredStart + blurred.byteCount
    facts.phases.append(Phase(units: problem.result.height))
    facts.hasRowEpilogue = true
    facts.integerWeights = nil
    facts.cost = facts.cost + Self.averaging(problem)
    self.facts = facts
  }

  /// Returns the draft of a plan that averages blocks of pixels. `drafter` returns the draft for the result
  /// in full size.
  static func draft(_ problem: BlurProblem, _ drafter: (BlurProblem) -> PlanDraft) -> PlanDraft {
    let whole = drafter(problem.inFullSize)
    return PlanDraft(cost: whole.cost + averaging(problem)) { (problem) throws(BlurError) in
      try DownscaledPlan(problem, whole.plan)
    }
  }

  /// Returns the cost of averaging blocks of pixels. Each component of the full-size image is read and added.
  private static func averaging(_ problem: BlurProblem) -> Cost {
    Cost(scalars: 2 * Double(problem.layout.rowComponents * problem.layout.height))
  }

  func run(_ phase: Int, _ units: Range<Int>, _ buffers: PhaseContext) {
    // SAFETY: the shared memory holds `facts.sharedBytes` bytes. This is enough for the bytes of the inner
    // plan, followed by the blurred image.
    let target = MutableImageView(buffers.shared + blurredStart, blurred)
    if phase < facts.phases.count - 1 {
      return inner.run(phase, units, buffers.with(buffers.source, target))
    }
    for y in units {
      switch blurred.format.component {
      case .uint8: average(y, target.readOnly, buffers.destination, as: UInt8.self)
      case .uint16: average(y, target.readOnly, buffers.destination, as: UInt16.self)
      case .float32: average(y, target.readOnly, buffers.destination, as: Float.self)
      }
      buffers.finished(y..<y + 1)
    }
  }

  /// Computes row `y` of the result.
  private func average<C: PixelComponent>(
    _ y: Int, _ source: ImageView, _ target: MutableImageView, as type: C.Type
  ) {
    let (channels, row) = (blurred.format.channels, target.unsafeRow(y))
    let share = 1 / Float(factor * factor)
    for x in 0..<target.layout.width {
      for c in 0..<channels {
        var sum: Float = 0
        for line in factor * y..<factor * (y + 1) {
          for i in factor * x..<factor * (x + 1) {
            sum += source.unsafeRow(line).component(i * channels + c, as: type).single
          }
        }
        row.setComponent(x * channels + c, to: C(rounding: sum * share))
      }
    }
  }
}

extension BlurProblem {
  /// The problem with a result in full size. Columns and rows that do not fill a block are left out.
  fileprivate var inFullSize: BlurProblem {
    var whole = self
    whole.downscaled = 1
    whole.region = Region(
      x: region.x, y: region.y, width: result.width * downscaled, height: result.height * downscaled)
    return whole
  }
}
