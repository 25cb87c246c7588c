import Blur

/// A plan for verification. It fills the scratch memory of a kernel with garbage before each call of `run`,
/// and reports a failure if the kernel writes beyond its scratch.
///
/// The garbage stands for memory that was never cleared. A kernel gives a different result if it relies on
/// zeros there, or on values that an earlier call left.
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
    // SAFETY: the executor provides as much scratch as `facts` asks for: the bytes of the wrapped plan and
    // `guardBytes` more.
    let scratch = UnsafeMutableRawBufferPointer(start: buffers.scratch, count: facts.scratchBytes)
    scratch.initializeMemory(as: UInt8.self, repeating: Self.garbage)
    plan.run(phase, units, buffers)
    for place in scratchBytes..<scratch.count where scratch[place] != Self.garbage {
      buffers.fail(.failed(kernel: kernel, reason: "it writes outside its scratch memory"))
    }
  }
}
