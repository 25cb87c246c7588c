import BlurRecords
import Dispatch
import Synchronization

/// Tells when other programs slow the cores down, by a loop that always does the same.
///
/// On a virtual machine the other half of a core may belong to another machine. While that is busy, blurs
/// take up to twice as long, some kernels more so than others, and no counter of the system shows it. The
/// loop keeps the core's arithmetic busy as blurs do, for some microseconds, and touches no memory.
final class CoreProbe {
  /// How many times as long as at best the loop may take on a core that is quiet: more than between clock
  /// frequencies, less than with a neighbour.
  let limit: Double
  /// The shortest time of the loop so far, in nanoseconds, by the number of threads: two may share a core.
  private var least: [Int: Double] = [:]

  /// Nanoseconds of the loop.
  private let loop: @Sendable () -> Double

  /// - Parameter loop: what is timed.
  init(limit: Double = 1.3, loop: @escaping @Sendable () -> Double = CoreProbe.arithmetic) {
    (self.limit, self.loop) = (limit, loop)
  }

  /// That time, infinite while the loop was never run on this number of threads.
  func least(threads: Int) -> Double { least[threads] ?? .infinity }

  /// How many times as long as at best the loop takes now: on that number of threads at once, the slowest of
  /// them.
  func slowdown(threads: Int) -> Double {
    let time = threads > 1 ? slowest(of: threads) : loop()
    let best = min(time, least[threads] ?? .infinity)
    least[threads] = best
    return time / best
  }

  /// Waits until the cores are quiet, or `goesOn` says no.
  ///
  /// - Returns: the slowdown, as it was at the end.
  func waitForQuiet(threads: Int, while goesOn: () -> Bool) -> Double {
    while true {
      let slowdown = slowdown(threads: threads)
      if slowdown <= limit || !goesOn() { return slowdown }
    }
  }

  private func slowest(of threads: Int) -> Double {
    let slowest = Atomic<UInt64>(0)
    DispatchQueue.concurrentPerform(iterations: threads) { [loop] _ in
      slowest.max(UInt64(loop()), ordering: .relaxed)
    }
    return Double(slowest.load(ordering: .relaxed))
  }

  /// The mean time of the loop during 20 ms, as long as a sample: other programs that want the core lengthen
  /// both.
  static var meanTime: Double {
    let start = ContinuousClock.now
    var elapsed = Duration.zero
    var count = 0.0
    repeat {
      _ = arithmetic()
      count += 1
      elapsed = ContinuousClock.now - start
    } while elapsed < .milliseconds(20)
    return elapsed / .nanoseconds(1) / count
  }

  /// Nanoseconds of independent chains of multiplications and additions, more than there are units for them.
  @inline(never)
  static func arithmetic() -> Double {
    typealias Vector = SIMD8<Float>
    let (factor, summand) = (Vector(repeating: 0.75), Vector(repeating: 0.25))
    var (a, b, c, d, e, f) = (summand, summand * 2, summand * 3, summand * 4, summand * 5, summand * 6)
    let start = ContinuousClock.now
    for _ in 0..<1000 {
      a = a * factor + summand
      b = b * factor + summand
      c = c * factor + summand
      d = d * factor + summand
      e = e * factor + summand
      f = f * factor + summand
    }
    let end = ContinuousClock.now
    // All tend to 1: so they are used, and stay finite.
    let used = (a + b + c + d + e + f).sum() > 0
    return used ? (end - start) / .nanoseconds(1) : .infinity
  }
}
