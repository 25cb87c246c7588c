/// The way in which a new plan finds the fastest kernel. FFTW calls this the planning rigor.
public enum Planning: Sendable {
  /// Uses the times that were measured for exactly this problem, or estimated times if there are none. This
  /// takes microseconds.
  case estimated
  /// Measures the kernels that are likely to be fast, unless they were measured before. This takes about as
  /// long as a hundred blurs. If only a region of the image or a smaller result is wanted, nothing is
  /// measured, and the plan uses estimated times.
  case measured
}

/// A candidate for measuring: a kernel and the instruction set that it runs with. A candidate is measured
/// only if it could be the fastest for some error bound.
package struct LikelyKernel: Sendable {
  package let kernel: Kernel
  package let instructionSet: InstructionSet
  /// The error that the kernel promises not to exceed, in levels.
  package let bound: Double
  /// The estimated time of a blur in nanoseconds.
  package let estimate: Double

  /// A kernel is not measured if it is estimated to take more than this many times as long as another kernel
  /// that promises the same or a smaller error.
  private static let hopeless = 2.5

  /// Returns every kernel that promises an error bound, once for each of its available instruction sets.
  /// Unoptimised kernels (`isDefinition`) are left out.
  package static func all(
    of kernels: [Kernel] = Registry.kernels, for layout: ImageLayout, _ parameters: BlurParameters,
    threads: Int
  ) -> [LikelyKernel] {
    kernels.flatMap { kernel -> [LikelyKernel] in
      guard !kernel.isDefinition, let bound = kernel.promise.bound(for: layout.format) else { return [] }
      return kernel.availableSets(upTo: parameters.instructionSet).reversed().map { set in
        LikelyKernel(
          kernel: kernel, instructionSet: set, bound: bound,
          estimate: kernel.estimate(layout, parameters, set, threads: threads))
      }
    }
  }

  /// Returns the candidates that are worth measuring. A candidate is worth measuring if it could be the
  /// fastest for some error bound.
  ///
  /// A kernel that does not count its operations has an infinite estimated time. Such a kernel is returned
  /// only if all kernels that promise the same or a smaller error have infinite estimates, too.
  package static func open(_ candidates: [LikelyKernel]) -> [LikelyKernel] {
    candidates.filter { candidate in
      let competitors = candidates.filter { $0.bound <= candidate.bound }
      return competitors.allSatisfy { candidate.estimate <= hopeless * $0.estimate }
    }
  }
}

extension MeasuredTimes {
  /// Measures the kernels that are likely to be fast for a problem, and records their times. Does nothing if
  /// the problem was measured before, or if only a region of the image is wanted.
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
        // The first blur is not timed. It only warms up the caches and the threads.
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
    /// The plan, or nil once this kernel is too slow to be timed any further.
    var plan: BlurPlan?
    /// The time of a blur in the fastest sample so far, in nanoseconds.
    var time: Double
  }

  private static let rounds = 12
  /// The intended length of one sample in nanoseconds. Each sample times as many blurs as fit into this
  /// length.
  private static let sampleTime = 100_000.0
  /// A kernel is no longer timed once it has taken more than this many times as long as another kernel that
  /// promises the same or a smaller error.
  private static let lost = 2.0
}

extension BlurPlan {
  /// Returns the mean time of `iterations` blurs in nanoseconds.
  fileprivate func nanoseconds(
    of iterations: Int, _ source: Image, _ target: inout Image
  ) throws(BlurError) -> Double {
    let start = Platform.nanoseconds
    for _ in 0..<iterations { try blur(source, into: &target) }
    return Double(Platform.nanoseconds - start) / Double(iterations)
  }
}
