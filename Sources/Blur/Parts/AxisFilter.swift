/// One step of eight lines that are filtered at once: their samples at one position.
package typealias Lanes = SIMD8<Double>

/// A linear filter along a line, in double precision.
///
/// What lies beyond a line's ends is its first and its last sample, for ever: that suffices for every edge
/// mode, for ``AxisBlur`` continues lines by as many samples as the filter asks for before it hands them over.
package protocol AxisFilter: Sendable {
  /// How far away a sample still counts, in pixels: beyond it weigh at most 1e-12 together. Lines that
  /// continue in some pattern are continued this far.
  var reach: Int { get }
  /// How far lines are continued that go on with equal samples: 0 for filters that begin and end as if they
  /// had seen such a sample for ever, ``reach`` for others.
  var constantReach: Int { get }
  /// Room the filter needs for itself, in lanes, for a line of `count`.
  func scratchCount(_ count: Int) -> Int
  /// Replaces a line of `count` lanes by its filtered samples. Those within ``constantReach`` of an end need
  /// not be right.
  func filter(_ line: UnsafeMutablePointer<Lanes>, _ count: Int, _ scratch: UnsafeMutablePointer<Lanes>)
}

extension AxisFilter {
  package func scratchCount(_ count: Int) -> Int { 0 }

  /// How far lines are continued for an edge mode. The constant is one sample at least, which the filter then
  /// takes to go on.
  func margin(_ edge: EdgeMode) -> Int {
    switch edge {
    case .clamp: constantReach
    case .constant: max(1, constantReach)
    case .mirror, .reflect, .wrap: reach
    }
  }
}

/// A kernel that filters along rows and then along columns: ``AxisBlur`` does all of it.
///
/// Where one promises an approximation, that is a quarter or more above the largest error of any image with
/// samples from 0 to full scale, 255·max(Σe⁺, Σe⁻) with e the difference of their two-dimensional response from the Gaussian of
/// the definition, at sigmas from .02 to 1.2 in steps of .01, to 4 of .04, to 12 of .23, and fifteen to 60, 100,
/// 300 and 1000. The quarter is for sigmas between, and for samples below 0.
package protocol AxisKernel: CountingKernel {
  /// The filters, made ready.
  var plan: AxisBlur { get }
  /// Operations on a sample of a line of `length`, in the filter of that order, where there are several.
  static func operations(length: Double, order: Int) -> Double
  /// How far lines that repeat themselves are continued, in sigmas.
  static var reachInSigmas: Double { get }
}

extension AxisKernel {
  package static var reachInSigmas: Double { 18 }

  package static func cost(_ problem: BlurProblem, _ accuracy: Accuracy, order: Int) -> Cost {
    let (layout, repeats) = (problem.layout, problem.edge.period(1) != nil)
    func lines(_ length: Int, _ count: Int, _ sigma: Double) -> Cost {
      let all = Double(length) + (repeats ? 2 * reachInSigmas * sigma : 0)
      let groups = (Double(count) * Double(layout.format.channels)).pieces(of: Lanes.scalarCount)
      // Samples are taken apart and put together one by one.
      let each = operations(length: all, order: order) * 4 + 2 * Double(Lanes.scalarCount)
      return Cost(scalars: groups * all * each, rows: 2 * groups)
    }
    var cost =
      lines(layout.width, layout.height, problem.sigma.x) + lines(layout.height, layout.width, problem.sigma.y)
    cost.pieces = Double(max(layout.width, layout.height)) / Double(Lanes.scalarCount)
    return cost
  }

  package var phases: [Phase] { plan.phases }
  package var sharedBytes: Int { plan.sharedBytes }
  package var scratchBytes: Int { plan.scratchBytes }
  package func run(_ phase: Int, _ units: Range<Int>, _ buffers: BlurBuffers) {
    plan.run(phase, units, buffers)
  }
}
