/// The plans of recent blurs. Planning a small blur takes longer than the blur itself. Functions that take no
/// plan from the caller, such as
/// ``Image/blurred(sigma:region:downscaled:edge:accuracy:threads:planning:)-(Double,_,_,_,_,_,_)``, therefore
/// keep their plans here. A later call reuses a plan that was made for exactly the same problem: layout,
/// sigma, edge mode, region, size of the result, accuracy, kernel, and number of threads. The result is the
/// same as with a new plan.
///
/// A plan is taken out of the cache while it is in use, so no blur waits for another one. If two threads blur
/// with the same parameters at the same time, each of them gets its own plan.
///
/// The cache keeps at most 16 plans, with at most 16 MiB of scratch memory in total. ``removeAll()`` frees
/// them.
public final class BlurPlanCache: Sendable {
  /// The cache that all calls without a plan use in this process.
  package static let shared = BlurPlanCache(mostPlans: 16, mostBytes: 16 << 20)

  private struct Entry {
    let problem: PlannedProblem
    let plan: BlurPlan
  }

  private let mostPlans: Int, mostBytes: Int
  /// The plans that are not in use. The most recently used plan is at the end.
  private let entries = Lock<[Entry]>([])

  /// Creates an empty cache.
  ///
  /// - Parameters:
  ///   - mostPlans: The maximum number of plans to keep.
  ///   - mostBytes: The maximum number of bytes of scratch memory that all kept plans may have together.
  package init(mostPlans: Int, mostBytes: Int) { (self.mostPlans, self.mostBytes) = (mostPlans, mostBytes) }

  /// Frees the plans of all recent blurs. A plan that is in use during this call returns to the cache
  /// afterwards.
  public static func removeAll() { shared.removeAll() }

  /// Frees all plans in this cache.
  package func removeAll() {
    let removed = entries.withLock { entries in
      defer { entries = [] }
      return entries
    }
    withExtendedLifetime(removed) {}
  }

  /// The number of plans in the cache, and the number of bytes of their scratch memory.
  package var size: (plans: Int, scratchBytes: Int) { entries.withLock { ($0.count, Self.bytes($0)) } }

  /// Takes the plan for exactly this problem out of the cache, and returns it. Returns nil if there is none.
  fileprivate func take(_ problem: PlannedProblem) -> BlurPlan? {
    entries.withLock { entries in
      entries.lastIndex { $0.problem == problem }.map { entries.remove(at: $0).plan }
    }
  }

  /// Puts a plan into the cache. If the cache now holds too many plans or too many scratch bytes, the least
  /// recently used plans are freed. A plan that is too large for the whole cache is not kept, and does not
  /// displace other plans.
  fileprivate func put(_ plan: BlurPlan, for problem: PlannedProblem) {
    guard plan.scratchBytes <= mostBytes else { return }
    // The removed plans are freed after the lock is released, because freeing memory can take a long time.
    let removed = entries.withLock { entries in
      entries.append(Entry(problem: problem, plan: plan))
      var (count, bytes) = (0, Self.bytes(entries))
      while entries.count - count > mostPlans || bytes > mostBytes {
        bytes -= entries[count].plan.scratchBytes
        count += 1
      }
      defer { entries.removeFirst(count) }
      return entries[..<count]
    }
    withExtendedLifetime(removed) {}
  }

  private static func bytes(_ entries: [Entry]) -> Int { entries.reduce(0) { $0 + $1.plan.scratchBytes } }
}

/// A plan that was taken out of a ``BlurPlanCache``, or was made because the cache had none for this problem.
/// When the last reference to the borrowed plan is released, the plan goes into the cache.
package final class BorrowedPlan: Sendable {
  package let plan: BlurPlan
  private let problem: PlannedProblem
  private let cache: BlurPlanCache

  /// Borrows a plan for a named kernel, or for the fastest kernel that promises to stay within an error
  /// bound.
  ///
  /// - Parameters:
  ///   - kernel: An entry of ``Registry/kernels``, or nil for the fastest kernel.
  ///   - accuracy: The largest allowed error if `kernel` is nil.
  ///   - threads: The number of threads that work on one image, from 1 to 1024.
  ///   - planning: Whether to measure which kernel is the fastest, if that is not yet known.
  /// - Throws: The errors of the initializers of ``BlurPlan``.
  package init(
    for layout: ImageLayout, _ parameters: BlurParameters, kernel: Kernel? = nil,
    accuracy: ErrorBound = .levels(1), threads: Int = 1, planning: Planning = .estimated,
    from cache: BlurPlanCache = .shared
  ) throws(BlurError) {
    self.cache = cache
    problem = PlannedProblem(layout, parameters, kernel?.name, accuracy, threads, planning)
    if let plan = cache.take(problem) {
      self.plan = plan
    } else if let kernel {
      plan = try BlurPlan(kernel, for: layout, parameters, threads: threads)
    } else {
      plan = try BlurPlan(
        for: layout, parameters, accuracy: accuracy, threads: threads, planning: planning)
    }
  }

  deinit { cache.put(plan, for: problem) }

  /// Blurs `source` into `target`; see ``BlurPlan/blur(_:into:epilogue:)``.
  package func blur(_ source: ImageView, into target: MutableImageView) throws(BlurError) {
    // The plan must not go back into the cache before the blur ends.
    defer { withExtendedLifetime(self) {} }
    try plan.blur(source, into: target)
  }
}

/// The key of a plan in the cache: everything that the plan depends on.
private struct PlannedProblem: Equatable {
  private let layout: ImageLayout
  private let parameters: BlurParameters
  private let kernel: String?
  private let accuracy: ErrorBound
  private let threads: Int
  private let planning: Planning
  /// The bits of the constant pixel around the image. Bits are compared instead of numbers, because 0 and −0
  /// are equal as numbers but have different bits.
  private let constant: SIMD4<UInt32>

  init(
    _ layout: ImageLayout, _ parameters: BlurParameters, _ kernel: String?, _ accuracy: ErrorBound,
    _ threads: Int, _ planning: Planning
  ) {
    (self.layout, self.parameters, self.kernel, self.accuracy) = (layout, parameters, kernel, accuracy)
    (self.threads, self.planning) = (threads, planning)
    guard case .constant(let pixel) = parameters.edge else {
      constant = .zero
      return
    }
    constant = SIMD4(pixel.x.bitPattern, pixel.y.bitPattern, pixel.z.bitPattern, pixel.w.bitPattern)
  }
}
