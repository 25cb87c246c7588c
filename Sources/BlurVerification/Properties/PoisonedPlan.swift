import Blur
import BlurText
import Foundation
import Synchronization

/// A kernel's plan in the worst surroundings that the contract of plans allows.
///
/// It is to be shared by all threads, however small the image. Pieces of work are late now and then: what one
/// piece needs of another is then often not there, where nothing waits for it. Scratch lies between pages
/// that cannot be touched, has exactly the bytes that were asked for, and holds garbage whenever a piece
/// begins.
final class PoisonedPlan: Plan {
  let facts: PlanFacts
  private let plan: any Plan
  private let shared: UnreadableMemory
  private let scratch: UnreadableMemory
  private let isFree: Mutex<[Int]>
  private let pieces = Atomic<UInt64>(0)
  private let isLate: Bool
  /// Whether the plan gets scratch from here, instead of that which the executor deals out.
  private let spoilsScratch: Bool
  private let kernel: String
  /// What scratch is filled with: NaN in floats, or a great number in integers and floats.
  private let garbage: UInt8

  /// One piece of this many is late. A blur of many phases has fewer that are, or it would take too long.
  private let piecesPerDelay: UInt64
  /// Longer than waking a thread takes, in microseconds.
  private static let delay: UInt32 = 60

  /// Wraps a kernel's plan, which at most `threads` threads run.
  init(
    _ plan: any Plan, of kernel: Kernel, threads: Int, isLate: Bool, hasNaN: Bool, spoilsScratch: Bool
  ) throws(BlurError) {
    self.plan = plan
    self.kernel = kernel.name
    self.isLate = isLate
    garbage = hasNaN ? 0xFF : 0x7F
    self.spoilsScratch = spoilsScratch
    facts = plan.facts
    piecesPerDelay = UInt64(max(3, 2 * facts.phases.count))
    shared = try UnreadableMemory(blocks: 1, bytes: facts.sharedBytes + 64)
    scratch = try UnreadableMemory(blocks: threads, bytes: facts.scratchBytes + 64)
    isFree = Mutex(Array(0..<threads))
    spoil(shared, 0, facts.sharedBytes)
  }

  /// Makes garbage of what an earlier blur has left behind.
  func spoilShared() { spoil(shared, 0, facts.sharedBytes) }

  func run(_ phase: Int, _ units: Range<Int>, _ buffers: PhaseContext) {
    var random = SplitMix64(seed: pieces.add(1, ordering: .relaxed).newValue)
    if isLate, random.next() % piecesPerDelay == 0 {
      // Asleep, for where threads outnumber CPUs the others get on only so.
      usleep(Self.delay)
    }
    guard spoilsScratch else { return plan.run(phase, units, buffers) }
    guard let own = isFree.withLock({ $0.popLast() }) else {
      preconditionFailure("more threads than were planned for")
    }
    spoil(scratch, own, facts.scratchBytes)
    plan.run(
      phase, units,
      buffers.with(
        shared: start(shared, 0, facts.sharedBytes), scratch: start(scratch, own, facts.scratchBytes)))
    check(scratch, own, facts.scratchBytes, "its scratch", buffers)
    check(shared, 0, facts.sharedBytes, "its shared memory", buffers)
    isFree.withLock { $0.append(own) }
  }

  /// Aligned to 64, so that up to 63 bytes lie between the end and the page that cannot be touched.
  private func start(_ memory: UnreadableMemory, _ block: Int, _ bytes: Int) -> UnsafeMutableRawPointer {
    memory.block(block, bytes: (bytes + 63) / 64 * 64, .after)
  }

  /// What lies before the start is watched, too: a block has 64 bytes more than was asked for.
  private func spoil(_ memory: UnreadableMemory, _ block: Int, _ bytes: Int) {
    // SAFETY: blocks hold 64 bytes more than was asked for.
    memset(start(memory, block, bytes) - 64, Int32(garbage), 64 + (bytes + 63) / 64 * 64)
  }

  private func check(
    _ memory: UnreadableMemory, _ block: Int, _ bytes: Int, _ what: String, _ buffers: PhaseContext
  ) {
    let start = start(memory, block, bytes)
    for i in Array(-64..<0) + Array(bytes..<(bytes + 63) / 64 * 64) {
      // SAFETY: blocks hold 64 bytes more than was asked for.
      guard start.load(fromByteOffset: i, as: UInt8.self) != garbage else { continue }
      let place = i < 0 ? (-i).of("byte") + " before" : (i - bytes + 1).of("byte") + " beyond"
      buffers.fail(.failed(kernel: kernel, reason: "writes \(place) \(what)"))
    }
  }
}
