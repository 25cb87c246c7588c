/// How a plan finds the fastest kernel: FFTW's planning rigor.
public enum Planning: Sendable {
  /// By what was measured of exactly this problem, else by estimate: takes microseconds.
  case estimated
  /// Times the likely kernels now, unless that was done before: takes a hundred blurs or so. A plan for a
  /// region is estimated all the same.
  case measured
}

/// A kernel with an instruction set that may be the fastest for some bound.
package struct LikelyKernel: Sendable {
  package let kernel: Kernel
  package let instructionSet: InstructionSet
  /// The error that it promises not to exceed, in levels.
  package let bound: Double
  /// The estimated time in nanoseconds.
  package let estimate: Double

  /// Kernels that are estimated to take more times as long as the fastest of the same bound need no
  /// measurement.
  private static let hopeless = 2.5

  /// Every kernel that promises a bound, with each instruction set; without the definition.
  package static func all(
    of kernels: [Kernel] = Registry.kernels, for layout: ImageLayout, _ parameters: BlurParameters,
    threads: Int
  ) -> [LikelyKernel] {
    kernels.flatMap { kernel -> [LikelyKernel] in
      guard !kernel.isDefinition, let bound = kernel.promise.bound(for: layout.format) else { return [] }
      return kernel.availableSets(upTo: parameters.instructionSet).map { set in
        LikelyKernel(
          kernel: kernel, instructionSet: set, bound: bound,
          estimate: kernel.estimate(layout, parameters, set, threads: threads))
      }
    }
  }

  /// Those of which it is open whether they are the fastest within some bound. All that do not count their
  /// operations are, where nothing counts.
  package static func open(_ candidates: [LikelyKernel]) -> [LikelyKernel] {
    candidates.filter { candidate in
      let competitors = candidates.filter { $0.bound <= candidate.bound }
      return competitors.allSatisfy { candidate.estimate <= hopeless * $0.estimate }
    }
  }
}

extension MeasuredTimes {
  /// Times the likely kernels for a problem, unless that was done before.
  ///
  /// - Throws: ``BlurError/outOfMemory(bytes:)``.
  func measure(_ layout: ImageLayout, _ parameters: BlurParameters, threads: Int) throws(BlurError) {
    guard let problem = MeasuredProblem(layout, parameters, threads: threads), times(of: problem) == nil
    else { return }
    let source = try Image(layout)
    var target = try Image(layout)
    var entries: [Entry] = []
    for candidate in LikelyKernel.open(LikelyKernel.all(for: layout, parameters, threads: threads)) {
      var parameters = parameters
      parameters.instructionSet = candidate.instructionSet
      do throws(BlurError) {
        let plan = try BlurPlan(candidate.kernel, for: layout, parameters, threads: threads)
        // The first blur warms up.
        try plan.blur(source, into: &target)
        let once = try plan.nanoseconds(of: 1, source, &target)
        entries.append(Entry(candidate: candidate, plan: plan, time: once))
      } catch {
        guard case .unsupported = error else { throw error }
      }
    }
    for _ in 0..<Self.rounds {
      let before = entries
      for i in entries.indices {
        let isLost = before.contains {
          $0.candidate.bound <= entries[i].candidate.bound && $0.time * Self.lost < entries[i].time
        }
        if isLost { entries[i].plan = nil }
        guard let plan = entries[i].plan else { continue }
        let iterations = max(1, Int(Self.sampleTime / max(1, entries[i].time)))
        entries[i].time = min(entries[i].time, try plan.nanoseconds(of: iterations, source, &target))
      }
    }
    let times = entries.map { entry in
      KernelTime(
        kernel: entry.candidate.kernel.name, instructionSet: entry.candidate.instructionSet,
        nanoseconds: entry.time)
    }
    record(times, of: problem)
  }

  private struct Entry {
    let candidate: LikelyKernel
    /// Nil once it has lost.
    var plan: BlurPlan?
    /// Nanoseconds of the shortest sample so far.
    var time: Double
  }

  private static let rounds = 12
  /// Nanoseconds of a sample.
  private static let sampleTime = 100_000.0
  /// A kernel that takes more times as long as another one that keeps its bound is timed no more.
  private static let lost = 2.0
}

extension BlurPlan {
  /// The mean time of some blurs.
  fileprivate func nanoseconds(
    of iterations: Int, _ source: Image, _ target: inout Image
  ) throws(BlurError) -> Double {
    let start = Platform.nanoseconds
    for _ in 0..<iterations { try blur(source, into: &target) }
    return Double(Platform.nanoseconds - start) / Double(iterations)
  }
}
