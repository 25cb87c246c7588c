import Blur

/// A plan that wraps the plan of a kernel, in order to check how the kernel uses scratch memory. Before each
/// call of the inner plan, the scratch memory is filled with garbage. If the kernel writes beyond its scratch
/// memory, a failure is reported.
///
/// The garbage stands for memory that was never cleared. If a kernel relies on zeros in the scratch memory,
/// or on values that an earlier call left, its result changes.
final class PoisonedScratchPlan: Plan {
  let facts: PlanFacts
  private let plan: any Plan
  private let kernel: String
  private let scratchBytes: Int

  private static let guardBytes = 64
  private static let garbage: UInt8 = 0x7F

  init(_ plan: any Plan, of kernel: Kernel) {
    self.plan = plan
    self.kernel = kernel.name
    scratchBytes = plan.facts.scratchBytes
    var facts = plan.facts
    facts.scratchBytes += Self.guardBytes
    self.facts = facts
  }

  func run(_ phase: Int, _ units: Range<Int>, _ buffers: PhaseContext) {
    // SAFETY: the size of the scratch memory in `facts` is that of the wrapped plan plus `guardBytes`. The
    // executor provides at least as many bytes as `facts` states.
    let scratch = UnsafeMutableRawBufferPointer(start: buffers.scratch, count: facts.scratchBytes)
    scratch.initializeMemory(as: UInt8.self, repeating: Self.garbage)
    plan.run(phase, units, buffers)
    for place in scratchBytes..<scratch.count where scratch[place] != Self.garbage {
      buffers.fail(.failed(kernel: kernel, reason: "it writes outside its scratch memory"))
    }
  }
}
