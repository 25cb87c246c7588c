import Blur
import BlurRecords

/// A kernel that repeats a share of its rows: a slowdown of a known size, for experiments.
final class Repeating: Plan {
  let facts: PlanFacts
  private let plan: any Plan
  private let share: Double

  /// - Parameters:
  ///   - plan: the kernel's.
  ///   - share: the share of the work that each thread repeats in each phase, between 0 and 1.
  ///   - name: the kernel's name, for errors.
  /// - Throws: ``BlurError/unsupported(kernel:reason:)`` where so little cannot be repeated: pieces of work
  ///   that begin with a whole window cost more.
  init(_ plan: any Plan, share: Double, threads: Int, name: String) throws(BlurError) {
    self.plan = plan
    self.share = share
    facts = plan.facts
    let counts = facts.phases.map { Self.repeated($0, of: $0.units / threads, share) }
    let isTooMuch = zip(facts.phases, counts).contains { phase, count in phase.overlap > 0 && count < 1 }
    guard !isTooMuch, counts.contains(where: { $0 > 0 }) else {
      throw .unsupported(
        kernel: name, reason: "repeating a share of \(share) of its rows: one row costs more")
    }
  }

  /// How many of `count` units are done twice.
  private static func repeated(_ phase: Phase, of count: Int, _ share: Double) -> Int {
    let overlap = Double(phase.overlap)
    return max(0, Int((share * (Double(count) + overlap) - overlap).rounded()))
  }

  func run(_ phase: Int, _ units: Range<Int>, _ buffers: BlurBuffers) {
    plan.run(phase, units, buffers)
    let again = units.suffix(Self.repeated(facts.phases[phase], of: units.count, share))
    if !again.isEmpty { plan.run(phase, again, buffers) }
  }
}

extension Kernel {
  /// The same kernel, slower by about `share`: it does that share of its rows twice.
  func repeating(_ share: Double) -> Kernel {
    Kernel(
      name: name, summary: summary, promise: promise, instructionSets: instructionSets, worksInPlace: false
    ) { (problem) throws(BlurError) in
      try Repeating(self.plan(problem), share: share, threads: problem.threads, name: self.name)
    }
  }
}
