import BlurRecords
import Dispatch
import Synchronization

/// Detects when other programs slow the cores down, by timing a loop that always does the same work.
///
/// On a virtual machine, the second hardware thread of a core may belong to another virtual machine. While
/// that thread is busy, blurs take up to twice as long, and some kernels slow down more than others. No
/// counter of the operating system shows this. The probe's loop does show it, because it keeps the arithmetic
/// units of the core as busy as a blur does. The loop runs for a few microseconds and accesses no memory.
package final class CoreProbe {
  /// The maximum slowdown of the loop on a core that counts as quiet, as a multiple of the loop's shortest
  /// time. A lower clock frequency slows the loop down less than this limit. A busy second hardware thread
  /// slows it down more.
  let limit: Double
  /// The shortest time of the probe's loop so far, in nanoseconds. The key is the number of threads that run
  /// the loop at once, because two threads may share a core and slow each other down.
  private var least: [Int: Double] = [:]

  /// Runs the probe's loop once and returns its time in nanoseconds. The loop does the same amount of work
  /// each time.
  private let loop: @Sendable () -> Double

  /// Creates a probe. A core counts as quiet if `loop` takes at most `limit` times as long as in its fastest
  /// run so far.
  package init(limit: Double = 1.3, loop: @escaping @Sendable () -> Double = CoreProbe.arithmetic) {
    (self.limit, self.loop) = (limit, loop)
  }

  /// Returns the shortest time, in nanoseconds, that the probe's loop has taken so far on `threads` threads.
  /// The time is infinite if the loop has not run on `threads` threads yet.
  func least(threads: Int) -> Double { least[threads] ?? .infinity }

  /// Runs the probe's loop now and returns its time as a multiple of the shortest time so far. With several
  /// threads, all of them run the loop at the same time, and the slowest thread counts.
  func slowdown(threads: Int) -> Double {
    let time = threads > 1 ? slowest(of: threads) : loop()
    let best = min(time, least[threads] ?? .infinity)
    least[threads] = best
    return time / best
  }

  /// Runs the probe's loop repeatedly until no other program slows the cores down, or until `goesOn` returns
  /// false.
  ///
  /// - Returns: The slowdown in the last run of the loop.
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

  /// The mean time of the probe's loop in nanoseconds, measured over about 20 ms. If other programs use the
  /// core during this time, they slow the loop down as much as they would slow down a blur.
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

  /// Runs six independent chains of multiplications and additions, and returns the time in nanoseconds. No
  /// chain has to wait for another one, so together they keep the arithmetic units of a core busy.
  @inline(never)
  package static func arithmetic() -> Double {
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
    // The variables `a` to `f` converge to 1, so their sum stays finite. Because the result of this function
    // depends on the sum, the compiler cannot remove the loop.
    let used = (a + b + c + d + e + f).sum() > 0
    return used ? (end - start) / .nanoseconds(1) : .infinity
  }
}
