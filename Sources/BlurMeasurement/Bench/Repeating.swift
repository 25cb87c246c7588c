import Blur
import BlurRecords

/// A kernel that repeats a share of its rows: a slowdown of a known size, for experiments.
struct Repeating: PlannedBlur {
  private let planned: any PlannedBlur
  private let share: Double

  /// - Parameters:
  ///   - planned: the kernel.
  ///   - share: the share of the work that each thread repeats in each phase, between 0 and 1.
  ///   - name: the kernel's name, for errors.
  /// - Throws: ``BlurError/unsupported(kernel:reason:)`` where so little cannot be repeated: pieces of work that begin
  ///   with a whole window cost more.
  init(_ planned: any PlannedBlur, share: Double, threads: Int, name: String) throws(BlurError) {
    self.planned = planned
    self.share = share
    let counts = planned.phases.map { Self.repeated($0, of: $0.units / threads, share) }
    let isTooMuch = zip(planned.phases, counts).contains { phase, count in phase.leadIn > 0 && count < 1 }
    guard !isTooMuch, counts.contains(where: { $0 > 0 }) else {
      throw .unsupported(
        kernel: name, reason: "repeating a share of \(share) of its rows: one row costs more")
    }
  }

  /// How many of `count` units are done twice.
  private static func repeated(_ phase: Phase, of count: Int, _ share: Double) -> Int {
    let lead = Double(phase.leadIn)
    return max(0, Int((share * (Double(count) + lead) - lead).rounded()))
  }

  var phases: [Phase] { planned.phases }
  var sharedBytes: Int { planned.sharedBytes }
  var scratchBytes: Int { planned.scratchBytes }
  var reads: Region? { planned.reads }
  var isQuick: Bool { planned.isQuick }
  var failure: BlurError? { planned.failure }

  func run(_ phase: Int, _ units: Range<Int>, _ buffers: BlurBuffers) {
    planned.run(phase, units, buffers)
    let again = units.suffix(Self.repeated(phases[phase], of: units.count, share))
    if !again.isEmpty { planned.run(phase, again, buffers) }
  }
}

extension Kernel {
  /// The same kernel, slower by about `share`: it does that share of its rows twice.
  func repeating(_ share: Double) -> Kernel {
    Kernel(
      name: name, summary: summary, promise: promise, instructionSets: instructionSets, worksInPlace: false
    ) { (parameters, layout, threads) throws(BlurError) in
      try Repeating(
        self.planned(parameters, layout, threads: threads), share: share, threads: threads, name: self.name)
    }
  }
}
