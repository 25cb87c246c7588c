import Blur

/// A kernel that repeats a share of its rows: a slowdown of a known size, for experiments.
struct Repeating: PlannedBlur {
  private let planned: any PlannedBlur
  /// By phase: how many of the last units are done twice.
  private let repeated: [Int]

  /// - Parameters:
  ///   - planned: the kernel.
  ///   - share: the share of the work in each phase, between 0 and 1.
  ///   - name: the kernel's name, for errors.
  /// - Throws: ``BlurError/unsupported(kernel:reason:)`` where so little cannot be repeated: pieces of work that begin
  ///   with a whole window cost more.
  init(_ planned: any PlannedBlur, share: Double, name: String) throws(BlurError) {
    self.planned = planned
    repeated = planned.phases.map { phase in
      let lead = Double(phase.leadIn)
      return Int((share * (Double(phase.units) + lead) - lead).rounded())
    }
    let isTooMuch = zip(planned.phases, repeated).contains { phase, count in phase.leadIn > 0 && count < 1 }
    guard !isTooMuch, repeated.contains(where: { $0 > 0 }) else {
      throw .unsupported(
        kernel: name, reason: "repeating a share of \(share) of its rows: one row costs more")
    }
  }

  var phases: [Phase] { planned.phases }
  var sharedBytes: Int { planned.sharedBytes }
  var scratchBytes: Int { planned.scratchBytes }
  var reads: Region? { planned.reads }
  var isQuick: Bool { planned.isQuick }
  var failure: BlurError? { planned.failure }

  func run(_ phase: Int, _ units: Range<Int>, _ buffers: BlurBuffers) {
    planned.run(phase, units, buffers)
    let again = max(units.lowerBound, phases[phase].units - max(0, repeated[phase]))..<units.upperBound
    if !again.isEmpty { planned.run(phase, again, buffers) }
  }
}

extension Kernel {
  /// The same kernel, slower by about `share`: it does that share of its rows twice.
  func repeating(_ share: Double) -> Kernel {
    Kernel(
      name: name, summary: summary, promise: promise, instructionSets: instructionSets, worksInPlace: false
    ) { (parameters, layout, threads) throws(BlurError) in
      try Repeating(self.planned(parameters, layout, threads: threads), share: share, name: self.name)
    }
  }
}
