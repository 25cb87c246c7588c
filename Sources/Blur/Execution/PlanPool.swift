import Synchronization

/// A flag that stops a blur before its next piece of work. Any thread may set it.
final class Cancellation: Sendable {
  private let flag = Atomic(false)

  var isCancelled: Bool { flag.load(ordering: .relaxed) }

  func cancel() { flag.store(true, ordering: .relaxed) }
}

#if !hasFeature(Embedded)
  /// Plans for blurring many images of one layout at the same time. A blur borrows a plan from the pool. The
  /// pool makes a new plan only if all its plans are in use, so it never has more plans than there were blurs
  /// at the same time. All plans run the same kernel, so equal images get equal results.
  /// ```swift
  /// let pool = try PlanPool(for: image.layout, BlurParameters(sigma: Sigma(12)))
  /// let soft = try await pool.blurred(image)
  /// ```
  public final class PlanPool: Sendable {
    private let first: BlurPlan
    private let plans: Lock<(idle: [BlurPlan], count: Int)>

    /// Creates a pool with one plan. For the parameters and errors, see
    /// ``BlurPlan/init(for:_:accuracy:threads:planning:scratch:)``. If there are at least as many
    /// simultaneous blurs as CPUs, one thread per image is the best choice.
    public convenience init(
      for layout: ImageLayout, _ parameters: BlurParameters, accuracy: ErrorBound = .levels(1),
      threads: Int = 1, planning: Planning = .estimated
    ) throws(BlurError) {
      self.init(
        try BlurPlan(for: layout, parameters, accuracy: accuracy, threads: threads, planning: planning))
    }

    /// Creates a pool with this plan. Further plans run the same kernel.
    public init(_ plan: BlurPlan) {
      first = plan
      plans = Lock((idle: [plan], count: 1))
    }

    /// The number of plans that the pool has made.
    public var planCount: Int { plans.withLock { $0.count } }

    /// Calls `body` with a plan that nobody else uses during the call.
    ///
    /// - Throws: ``BlurError/outOfMemory(bytes:)`` if there is no memory for a new plan, and the error of
    ///   `body`.
    public func withPlan<R>(_ body: (BlurPlan) throws -> R) throws -> R {
      let plan =
        try plans.withLock { $0.idle.popLast() }
        ?? newPlan()
      defer { plans.withLock { $0.idle.append(plan) } }
      return try body(plan)
    }

    private func newPlan() throws(BlurError) -> BlurPlan {
      let plan = try BlurPlan(first.kernel, for: first.layout, first.parameters, threads: first.threads)
      plans.withLock { $0.count += 1 }
      return plan
    }

    /// Returns the blurred image. It has the size of the parameters' region, or the layout of `image` if
    /// there is no region.
    ///
    /// The blur does not run on the caller's actor, and does not suspend. If the task is cancelled, the blur
    /// stops before its next phase. With several threads, it stops sooner, before the next piece of a phase.
    ///
    /// - Throws: `CancellationError` if the task was cancelled,
    ///   ``BlurError/layoutMismatch(of:expected:found:)`` or ``BlurError/outOfMemory(bytes:)``.
    @concurrent public func blurred(_ image: Image) async throws -> Image {
      try Task.checkCancellation()
      let cancellation = Cancellation()
      return try await withTaskCancellationHandler {
        let result = try withPlan { plan in try plan.blurred(image, cancellation) }
        try Task.checkCancellation()
        return result
      } onCancel: {
        cancellation.cancel()
      }
    }
  }

  extension BlurPlan {
    fileprivate func blurred(_ image: Image, _ cancellation: Cancellation) throws(BlurError) -> Image {
      try image.layout.check("image", is: layout)
      var result = try Image(unfilled: parameters.result(of: image.layout))
      try image.withViews(into: &result) { (source, target) throws(BlurError) in
        try blur(tile: source.cropped(to: reads), into: target, epilogue: nil, cancellation: cancellation)
      }
      return result
    }
  }
#endif
