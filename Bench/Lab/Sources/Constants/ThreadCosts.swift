import Blur
import BlurMeasurement
import BlurRecords

/// The extra time, in nanoseconds, that it takes to share a blur with another thread. The time of a blur is
/// estimated from counts of its operations, which do not include this extra time, so it is measured here.
struct ThreadCosts {
  /// The cost of sharing a blur with a thread that is asleep.
  var waking: Double
  /// The cost of sharing a blur with a thread that is still awake from the previous blur.
  var handing: Double

  /// The constants in the library's source code for the costs of sharing work between threads.
  static let compiled = ThreadCosts(waking: CostConstants.waking, handing: CostConstants.handing)

  /// The duration of each of the two blocks of work of a simulated blur. A sleeping thread needs less time
  /// than this to wake up, so the second block starts before the first has ended. A thread that is idle for
  /// this time falls asleep.
  private static let piece = Duration.microseconds(500)
  private static let samples = 101

  /// Measures the costs on this machine, with simulated blurs of two equal blocks of work on two threads.
  ///
  /// Without any costs, a simulated blur would take exactly as long as one block. The cost is the median of
  /// the additional time. It is measured twice: with a pause before each blur, in which the second thread
  /// falls asleep, and without a pause.
  static func measured() throws(BlurError) -> ThreadCosts {
    let layout = try ImageLayout(.gray8, width: 1, height: 1)
    let kernel = Kernel(name: "two-pieces", summary: "", promise: .exact()) { _ in TwoPieces() }
    let plan = try BlurPlan(
      TwoPieces(), kernel, nil, for: layout, BlurParameters(sigma: Sigma(1)), threads: 2,
      sharing: .always)
    let source = try Image(layout)
    var target = try Image(layout)
    var failure: BlurError?
    func cost(rests: Bool) -> Double {
      let task = TimedTask(name: kernel.name, threads: 2) {
        if rests { TwoPieces.spin(for: piece) }
      } iterate: {
        do throws(BlurError) { try plan.blur(source, into: &target) } catch { failure = error }
      }
      let times = Sampler().oneByOne([task]) { turns, _ in turns < samples }.times[0].times
      return (Statistics.median(times) ?? 0) - piece / .nanoseconds(1)
    }
    let costs = ThreadCosts(waking: cost(rests: true), handing: cost(rests: false))
    if let failure { throw failure }
    return costs
  }

  /// A plan that simulates a blur on two threads. It has two equal blocks of work, each of which takes a
  /// fixed time.
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
