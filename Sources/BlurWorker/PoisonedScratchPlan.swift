import Blur

/// A kernel's plan that finds garbage in its scratch whenever a piece of work begins, and must not write
/// beyond it.
///
/// Garbage is what memory holds that was never cleared; a kernel that relies on zeros, or on what the piece
/// before it left, gives another result.
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
    // SAFETY: the executor gives as much scratch as the facts ask for, which is more than the plan's own.
    let scratch = UnsafeMutableRawBufferPointer(start: buffers.scratch, count: facts.scratchBytes)
    scratch.initializeMemory(as: UInt8.self, repeating: Self.garbage)
    plan.run(phase, units, buffers)
    for place in scratchBytes..<scratch.count where scratch[place] != Self.garbage {
      buffers.fail(.failed(kernel: kernel, reason: "writes beyond its scratch"))
    }
  }
}
