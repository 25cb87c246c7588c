import Blur
import BlurText
import Foundation
import Synchronization

/// A wrapper that runs a kernel's plan under the worst conditions that the contract of ``Blur/Plan`` allows.
///
/// All threads take part, however small the image is. Some blocks of work are delayed at random, so that a
/// thread that does not wait for the results of another block finds them missing. The scratch memory lies
/// between inaccessible pages and contains garbage whenever a block of work begins.
final class PoisonedPlan: Plan {
  let facts: PlanFacts
  private let plan: any Plan
  private let shared: UnreadableMemory
  private let scratch: UnreadableMemory
  private let isFree: Mutex<[Int]>
  private let pieces = Atomic<UInt64>(0)
  private let isLate: Bool
  /// A Boolean value that indicates whether the plan gets scratch memory from this object, filled with
  /// garbage, instead of the executor's scratch memory.
  private let spoilsScratch: Bool
  private let kernel: String
  /// The byte with which the scratch memory is filled. The byte 0xFF makes every float NaN, and 0x7F makes
  /// every integer and every float large.
  private let garbage: UInt8

  /// On average, one in this many blocks of work is delayed. The number grows with the number of phases (the
  /// steps of a blur that run one after the other), so that a blur with many phases does not take too long.
  private let piecesPerDelay: UInt64
  /// The time in microseconds for which a block of work is delayed if it was chosen at random to be late.
  /// This is longer than it takes to wake a thread, so other threads can begin their blocks before the late
  /// one.
  private static let delay: UInt32 = 60

  /// Wraps a kernel's plan.
  ///
  /// - Parameters:
  ///   - threads: The largest number of threads that will run the plan.
  ///   - isLate: Whether some blocks of work are delayed at random.
  ///   - hasNaN: Whether the garbage in the scratch memory is NaN in float formats.
  ///   - spoilsScratch: Whether the plan gets scratch memory that is filled with garbage.
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

  /// Fills the shared memory with garbage, so that nothing from an earlier blur is left in it.
  func spoilShared() { spoil(shared, 0, facts.sharedBytes) }

  func run(_ phase: Int, _ units: Range<Int>, _ buffers: PhaseContext) {
    var random = SplitMix64(seed: pieces.add(1, ordering: .relaxed).newValue)
    if isLate, random.next() % piecesPerDelay == 0 {
      // The thread sleeps and does not wait in a loop. If there are more threads than CPUs, a waiting loop
      // would occupy a CPU that the other threads need.
      usleep(Self.delay)
    }
    guard spoilsScratch else { return plan.run(phase, units, buffers) }
    guard let own = isFree.withLock({ $0.popLast() }) else {
      preconditionFailure("the executor used more threads than the plan was made for")
    }
    spoil(scratch, own, facts.scratchBytes)
    plan.run(
      phase, units,
      buffers.with(
        shared: start(shared, 0, facts.sharedBytes), scratch: start(scratch, own, facts.scratchBytes)))
    check(scratch, own, facts.scratchBytes, "its scratch memory", buffers)
    check(shared, 0, facts.sharedBytes, "the memory that its threads share", buffers)
    isFree.withLock { $0.append(own) }
  }

  /// Returns the start of a block, aligned to 64 bytes. Up to 63 bytes therefore lie between the block's end
  /// and the inaccessible page.
  private func start(_ memory: UnreadableMemory, _ block: Int, _ bytes: Int) -> UnsafeMutableRawPointer {
    memory.block(block, bytes: (bytes + 63) / 64 * 64, .after)
  }

  /// Fills a block and the 64 bytes before it with garbage. The bytes before it reveal writes before the
  /// block's start.
  private func spoil(_ memory: UnreadableMemory, _ block: Int, _ bytes: Int) {
    // SAFETY: each block was allocated with 64 bytes more than the plan asked for, so the 64 bytes before the
    // start and the bytes up to the next multiple of 64 belong to it.
    memset(start(memory, block, bytes) - 64, Int32(garbage), 64 + (bytes + 63) / 64 * 64)
  }

  private func check(
    _ memory: UnreadableMemory, _ block: Int, _ bytes: Int, _ what: String, _ buffers: PhaseContext
  ) {
    let start = start(memory, block, bytes)
    for i in Array(-64..<0) + Array(bytes..<(bytes + 63) / 64 * 64) {
      // SAFETY: each block was allocated with 64 bytes more than the plan asked for, and `i` stays within
      // them.
      guard start.load(fromByteOffset: i, as: UInt8.self) != garbage else { continue }
      let place = i < 0 ? (-i).of("byte") + " before" : (i - bytes + 1).of("byte") + " beyond the end of"
      buffers.fail(.failed(kernel: kernel, reason: "it wrote to an address \(place) \(what)"))
    }
  }
}
