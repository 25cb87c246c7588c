import Blur
import BlurText
import Foundation
import Synchronization

/// A wrapper that runs a kernel's plan under the worst conditions that the contract of ``Blur/Plan`` allows.
///
/// All threads take part, however small the image is. Some blocks of work are delayed at random. If another
/// thread wrongly does not wait for the results of such a block, it reads memory in which the results are
/// still missing. The scratch memory lies between inaccessible pages and contains garbage whenever a block of
/// work begins.
final class PoisonedPlan: Plan {
  let facts: PlanFacts
  private let plan: any Plan
  private let shared: UnreadableMemory
  private let scratch: UnreadableMemory
  private let isFree: Mutex<[Int]>
  private let pieces = Atomic<UInt64>(0)
  /// The addresses of the parts of the executor's scratch memory that threads are using at this moment.
  private let used = Mutex<[UInt]>([])
  private let delays: Delays
  private let gate: PhaseGate?
  /// Whether the plan gets scratch memory that is filled with garbage, instead of the executor's memory.
  private let spoilsScratch: Bool
  private let kernel: String
  /// The byte with which the scratch memory is filled. With 0xFF, every float in it is NaN. With 0x7F, every
  /// integer and every float is large.
  private let garbage: UInt8

  /// If the delays are long, a block of work is delayed with a probability of 1 divided by this number. The
  /// number grows with the number of phases, so that a blur with many phases does not take too long.
  private let piecesPerDelay: UInt64
  /// The duration, in microseconds, of a long delay. Waking a thread takes less time, so other threads can
  /// begin their blocks of work before the delayed block begins.
  private static let delay: UInt32 = 60

  /// The ways in which blocks of work are delayed.
  enum Delays {
    case none
    /// Some blocks are delayed for so long that a sleeping thread can wake up in the meantime.
    case long
    /// Half of the blocks are delayed, for a few microseconds at most. The thread waits in a loop, so that it
    /// stays awake.
    case short
  }

  /// The longest duration, in nanoseconds, of a short delay.
  private static let shortDelay = 4000

  /// Wraps a kernel's plan.
  ///
  /// - Parameters:
  ///   - threads: The maximum number of threads that run the plan.
  ///   - delays: The way in which blocks of work are delayed. The blocks are chosen at random.
  ///   - hasNaN: Whether the garbage in the scratch memory is NaN in float formats.
  ///   - spoilsScratch: Whether the plan gets scratch memory that is filled with garbage.
  ///   - garbage: The byte with which the scratch memory is filled. If it is nil, `hasNaN` determines the
  ///     byte.
  ///   - gate: A gate at which the threads wait in each phase until all of them are at work, or nil if they
  ///     do not wait. With a gate, the plan can blur only one image.
  init(
    _ plan: any Plan, of kernel: Kernel, threads: Int, delays: Delays, hasNaN: Bool, spoilsScratch: Bool,
    garbage: UInt8? = nil, gate: PhaseGate? = nil
  ) throws(BlurError) {
    self.gate = gate
    self.plan = plan
    self.kernel = kernel.name
    self.delays = delays
    self.garbage = garbage ?? (hasNaN ? 0xFF : 0x7F)
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
    register(buffers)
    defer { unregister(buffers) }
    gate?.pass(phase)
    delay()
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

  /// Waits for a random time, before the block of work begins.
  private func delay() {
    guard delays != .none else { return }
    var random = SplitMix64(seed: pieces.add(1, ordering: .relaxed).newValue)
    if delays == .short {
      guard random.next(below: 2) == 0 else { return }
      let end = ContinuousClock.now + .nanoseconds(random.next(below: Self.shortDelay))
      while ContinuousClock.now < end {}
    } else if random.next() % piecesPerDelay == 0 {
      // The thread sleeps instead of waiting in a loop, because a loop would occupy a CPU. If there are more
      // threads than CPUs, the other threads need that CPU.
      usleep(Self.delay)
    }
  }

  /// Records that a thread uses the scratch memory of `buffers`. Reports a failure if another thread is using
  /// the same memory, or if the memory overlaps the memory that all threads share.
  private func register(_ buffers: PhaseContext) {
    guard facts.scratchBytes > 0 else { return }
    let address = UInt(bitPattern: buffers.scratch)
    let bytes = UInt(facts.scratchBytes)
    let isUsed = used.withLock { used in
      let isUsed = used.contains { max($0, address) - min($0, address) < bytes }
      used.append(address)
      return isUsed
    }
    let shared = UInt(bitPattern: buffers.shared)
    if isUsed {
      buffers.fail(.failed(kernel: kernel, reason: "two threads got the same scratch memory"))
    } else if address < shared + UInt(facts.sharedBytes), shared < address + bytes {
      buffers.fail(
        .failed(
          kernel: kernel,
          reason: "the scratch memory of a thread overlaps the memory that all threads share"))
    }
  }

  private func unregister(_ buffers: PhaseContext) {
    let address = UInt(bitPattern: buffers.scratch)
    used.withLock { used in
      if let index = used.firstIndex(of: address) { used.remove(at: index) }
    }
  }

  /// Returns the address of a block of memory for the kernel. The address is a multiple of 64, so up to 63
  /// unused bytes lie between the end of the block and the inaccessible page after it.
  private func start(_ memory: UnreadableMemory, _ block: Int, _ bytes: Int) -> UnsafeMutableRawPointer {
    memory.block(block, bytes: (bytes + 63) / 64 * 64, .after)
  }

  /// Fills a block of memory with garbage, and also the 64 bytes before it. If one of these 64 bytes has
  /// changed after the blur, the kernel has written before the start of the block.
  private func spoil(_ memory: UnreadableMemory, _ block: Int, _ bytes: Int) {
    // SAFETY: the allocated memory contains 64 bytes before the block, and the block itself with its size
    // rounded up to a multiple of 64 bytes. `memset` writes exactly these bytes.
    memset(start(memory, block, bytes) - 64, Int32(garbage), 64 + (bytes + 63) / 64 * 64)
  }

  private func check(
    _ memory: UnreadableMemory, _ block: Int, _ bytes: Int, _ what: String, _ buffers: PhaseContext
  ) {
    let start = start(memory, block, bytes)
    for i in Array(-64..<0) + Array(bytes..<(bytes + 63) / 64 * 64) {
      // SAFETY: the allocated memory begins at least 64 bytes before `start`, and its end is the end of the
      // block rounded up to a multiple of 64. `i` is at least −64 and less than the rounded size, so the byte
      // is inside the allocated memory.
      guard start.load(fromByteOffset: i, as: UInt8.self) != garbage else { continue }
      let place = i < 0 ? (-i).of("byte") + " before" : (i - bytes + 1).of("byte") + " beyond the end of"
      buffers.fail(.failed(kernel: kernel, reason: "it wrote to an address \(place) \(what)"))
    }
  }
}
