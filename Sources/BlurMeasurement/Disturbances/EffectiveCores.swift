import BlurRecords
import Dispatch
import Synchronization

extension Provenance {
  /// Measures how many cores `threads` threads actually get. The measurement takes about 100 ms. Other
  /// virtual machines on the same computer can make two threads run one after the other, and the system's
  /// counters do not show this. For a single thread, nothing is measured.
  public mutating func probeCores(threads: Int) {
    guard threads > 1 else { return }
    probedThreads = threads
    effectiveCores = Self.effectiveCores(threads: threads)
  }

  /// Returns the amount of work that `threads` threads do together, divided by the amount of work that one
  /// thread does alone in the same time. On an idle machine, the result is about `threads`.
  private static func effectiveCores(threads: Int) -> Double {
    let rounds = 4_000_000
    let sink = Atomic<UInt64>(0)
    let spin = { @Sendable (piece: Int) in
      _ = sink.wrappingAdd(spinning(UInt64(piece) + 1, rounds: rounds), ordering: .relaxed)
    }
    let seconds = { (body: () -> Void) in ContinuousClock().measure(body) / .seconds(1) }
    spin(0)
    var alone: [Double] = []
    var together: [Double] = []
    for _ in 0..<3 {
      alone.append(seconds { spin(0) })
      together.append(seconds { DispatchQueue.concurrentPerform(iterations: threads, execute: spin) })
    }
    guard let one = alone.min(), let all = together.min(), all > 0 else { return 1 }
    return Double(threads) * one / all
  }

  /// Computes a long chain of operations in registers. The chain accesses no memory, and each operation needs
  /// the result of the previous one.
  @inline(never)
  private static func spinning(_ seed: UInt64, rounds: Int) -> UInt64 {
    var value = seed
    for _ in 0..<rounds {
      value ^= value << 13
      value ^= value >> 7
      value ^= value << 17
    }
    return value
  }
}
