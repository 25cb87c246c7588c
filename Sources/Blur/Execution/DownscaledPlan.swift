/// The plan for a result that is smaller than the blurred image, for kernels that cannot compute such a
/// result directly. The full-size blurred image is stored in scratch memory. The last phase averages its
/// pixels in blocks of 2×2 or 4×4.
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
  private init(
    _ problem: BlurProblem, _ planner: (BlurProblem) throws(BlurError) -> any Plan
  ) throws(BlurError) {
    let whole = problem.inFullSize
    inner = try planner(whole)
    (factor, blurred) = (problem.downscaled, whole.result)
    var facts = inner.facts
    blurredStart = facts.share(blurred)
    facts.scratchBytes = max(facts.scratchBytes, 4 * blurred.rowComponents)
    facts.phases.append(Phase(units: problem.result.height))
    facts.hasRowEpilogue = true
    facts.integerWeights = nil
    facts.cost = facts.cost + Self.averaging(problem)
    self.facts = facts
  }

  /// Returns the draft of a plan that averages blocks of pixels. `drafter` returns the draft for the result
  /// in full size.
  static func draft(_ problem: BlurProblem, _ drafter: (BlurProblem) -> PlanDraft) -> PlanDraft {
    let draft = drafter(problem.inFullSize)
    return PlanDraft(cost: draft.cost + averaging(problem)) { (problem) throws(BlurError) in
      try DownscaledPlan(problem, draft.plan)
    }
  }

  /// Returns the cost of averaging blocks of pixels, which is proportional to the number of components of the
  /// full-size image. The factor was measured.
  private static func averaging(_ problem: BlurProblem) -> Cost {
    Cost(scalars: 0.55 * Double(problem.layout.rowComponents * problem.layout.height))
  }

  func run(_ phase: Int, _ units: Range<Int>, _ buffers: PhaseContext) {
    // SAFETY: the shared memory holds `facts.sharedBytes` bytes. This is enough for the bytes of the inner
    // plan, followed by the blurred image.
    let target = MutableImageView(buffers.shared + blurredStart, blurred)
    if phase < facts.phases.count - 1 {
      return inner.run(phase, units, buffers.with(buffers.source, target))
    }
    let shift = UInt32(2 * factor.trailingZeroBitCount)
    let (half, share) = (UInt32(1) << (shift - 1), 1 / Float(factor * factor))
    for y in units {
      let row = buffers.destination.unsafeRow(y)
      // SAFETY: the scratch memory has four bytes for each component of a row of the blurred image.
      let sums = buffers.scratch.assumingMemoryBound(to: UInt32.self)
      let floats = buffers.scratch.assumingMemoryBound(to: Float.self)
      switch blurred.format.component {
      case .uint8:
        average(
          y, of: target, sums, &+, { (value: UInt8) in UInt32(value) },
          { row.setComponent($0, to: UInt8(truncatingIfNeeded: ($1 &+ half) &>> shift)) })
      case .uint16:
        average(
          y, of: target, sums, &+, { (value: UInt16) in UInt32(value) },
          { row.setComponent($0, to: UInt16(truncatingIfNeeded: ($1 &+ half) &>> shift)) })
      case .float32:
        average(
          y, of: target, floats, +, { (value: Float) in value }, { row.setComponent($0, to: $1 * share) })
      }
      buffers.finished(y..<y + 1)
    }
  }

  /// Adds up the components of each block in row `y` of the result, and passes the sums to `write`.
  ///
  /// - Parameters:
  ///   - sums: Memory for the sums of a row of the blurred image.
  ///   - value: A function that converts a component to a type that can hold a sum.
  ///   - write: A function that gets the index of a component of the result, and the sum of its block.
  @inline(__always)
  private func average<C: PixelComponent, Sum: BitwiseCopyable>(
    _ y: Int, of source: MutableImageView, _ sums: UnsafeMutablePointer<Sum>, _ add: (Sum, Sum) -> Sum,
    _ value: (C) -> Sum, _ write: (_ component: Int, _ sum: Sum) -> Void
  ) {
    // SAFETY: the indices belong to components of the blurred image, and `sums` has space for each of them.
    for line in 0..<factor {
      let row = UnsafeRawPointer(source.unsafeRow(factor * y + line))
      for i in 0..<blurred.rowComponents {
        let value = value(row.component(i, as: C.self))
        sums[i] = line == 0 ? value : add(sums[i], value)
      }
    }
    // The loop is compiled once for each number of channels, because it is much faster with a constant.
    switch blurred.format.channels {
    case 1: addNeighbours(1, sums, add, write)
    case 3: addNeighbours(3, sums, add, write)
    default: addNeighbours(4, sums, add, write)
    }
  }

  @inline(__always)
  private func addNeighbours<Sum: BitwiseCopyable>(
    _ channels: Int, _ sums: UnsafeMutablePointer<Sum>, _ add: (Sum, Sum) -> Sum,
    _ write: (_ component: Int, _ sum: Sum) -> Void
  ) {
    // SAFETY: `sums` holds a sum for each component of a row of the blurred image, and each block lies inside
    // this row.
    for x in 0..<blurred.width / factor {
      for c in 0..<channels {
        let first = sums + (x &* factor &* channels &+ c)
        var sum = add(first[0], first[channels])
        if factor == 4 { sum = add(sum, add(first[2 &* channels], first[3 &* channels])) }
        write(x &* channels &+ c, sum)
      }
    }
  }
}

extension BlurProblem {
  /// This problem, but with a result in full size.
  fileprivate var inFullSize: BlurProblem {
    var problem = self
    problem.downscaled = 1
    return problem
  }
}
