import Blur
import Synchronization

/// A kernel's plan, always divided among all threads, however small the image, and with pieces of work that are late now
/// and then: what one piece needs of another is then often not there, where nothing waits for it.
final class DividedPlan: Plan {
  let facts: PlanFacts
  private let plan: any Plan
  private let piece = Atomic<UInt64>(0)

  /// One piece of so many is late, by so many nanoseconds: longer than waking a thread takes.
  private static let share: UInt64 = 3
  private static let delay = Duration.nanoseconds(60_000)

  init(_ plan: any Plan) {
    self.plan = plan
    var facts = plan.facts
    facts.prefersSingleThread = false
    self.facts = facts
  }

  var failure: BlurError? { plan.failure }

  func run(_ phase: Int, _ units: Range<Int>, _ buffers: BlurBuffers) {
    var random = SplitMix64(seed: piece.add(1, ordering: .relaxed).newValue)
    if random.next() % Self.share == 0 {
      let end = ContinuousClock.now + Self.delay
      while ContinuousClock.now < end {}
    }
    plan.run(phase, units, buffers)
  }
}

extension KernelUnderTest {
  /// A plan that uses all its threads.
  func dividedPlan(_ layout: ImageLayout, threads: Int) throws -> BlurPlan {
    let parameters = BlurParameters(
      sigma: sigma, edge: subject.edge, instructionSet: subject.instructionSet)
    let plan = DividedPlan(try kernel.plan(parameters, for: layout, threads: threads))
    return try BlurPlan(plan, kernel, nil, for: layout, parameters, threads: threads)
  }
}
