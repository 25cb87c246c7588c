import Blur
import BlurRecords

/// What it takes to share a blur with another thread, in nanoseconds: the constants that no kernel counts.
public struct ThreadCosts: Hashable, Sendable {
  /// Where the other thread sleeps.
  public var waking: Double
  /// Where it is awake, as between blurs that follow each other at once.
  public var handing: Double

  /// Those that the library is compiled with.
  public static let compiled = ThreadCosts(waking: CostConstants.waking, handing: CostConstants.handing)

  /// Longer than waking takes, so that the other thread comes in time, and than it stays awake.
  private static let piece = Duration.microseconds(500)
  private static let samples = 101

  /// Measures them: by how much a blur of two equal pieces on two threads takes longer than one piece. The
  /// median of many blurs, after a rest or at once after one another.
  public static func measured() throws(BlurError) -> ThreadCosts {
    let layout = try ImageLayout(.gray8, width: 1, height: 1)
    let kernel = Kernel(name: "two-pieces", summary: "", promise: .exact()) { _ in TwoPieces() }
    let plan = try BlurPlan(
      TwoPieces(), kernel, nil, for: layout, BlurParameters(sigma: Sigma(1)), threads: 2,
      isAlwaysShared: true)
    let source = try Image(layout)
    var target = try Image(layout)
    func median(rests: Bool) throws(BlurError) -> Double {
      var lost: [Double] = []
      for _ in 0..<samples {
        if rests { TwoPieces.spin(for: piece) }
        let start = ContinuousClock.now
        try plan.blur(source, into: &target)
        lost.append((ContinuousClock.now - start - piece).nanoseconds)
      }
      return Statistics.median(lost) ?? 0
    }
    return ThreadCosts(waking: try median(rests: true), handing: try median(rests: false))
  }

  /// Works for a fixed time in each of two pieces.
  private final class TwoPieces: Plan {
    let facts = PlanFacts(phases: [Phase(units: 2)])

    func run(_ phase: Int, _ units: Range<Int>, _ buffers: PhaseContext) {
      for _ in units { Self.spin(for: ThreadCosts.piece) }
    }

    static func spin(for time: Duration) {
      let end = ContinuousClock.now + time
      while ContinuousClock.now < end {}
    }
  }
}

extension Duration {
  fileprivate var nanoseconds: Double { self / .nanoseconds(1) }
}
