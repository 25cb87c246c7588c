import Blur
import Synchronization

// Wrong kernels whose mistake is in what they keep between plans or between blurs. Their blurs are plain ones
// and right at first.

/// A kernel that supports at most two threads, and leaks a megabyte in each plan for two threads.
struct LeaksOnTwoThreads: BlurKernel {
  let name = "LeaksOnTwoThreads"
  let summary = "deliberately wrong"
  let promise = Promise.exact()

  func plan(_ problem: BlurProblem) throws(BlurError) -> any Plan {
    guard problem.threads <= 2 else { throw .unsupported(kernel: name, reason: "more than 2 threads") }
    if problem.threads == 2 { leakMegabyte() }
    return PlainPlan(PlainBlur(problem)) { $0.run($1, $2) }
  }
}

/// A kernel that refuses wrapped edges, and leaks a megabyte whenever it does so.
struct LeaksWhenRefusing: BlurKernel {
  let name = "LeaksWhenRefusing"
  let summary = "deliberately wrong"
  let promise = Promise.exact()

  func plan(_ problem: BlurProblem) throws(BlurError) -> any Plan {
    guard problem.edge != .wrap else {
      leakMegabyte()
      throw .unsupported(kernel: name, reason: "wrapped edges")
    }
    return PlainPlan(PlainBlur(problem)) { $0.run($1, $2) }
  }
}

/// Allocates a block that is never freed. The block is so large that tests that run at the same time cannot
/// hide the growth of memory.
private func leakMegabyte() { _ = UnsafeMutableRawPointer.allocate(byteCount: 1 << 20, alignment: 16) }

/// A kernel whose plans give results that are half as bright after 255 blurs.
struct WrongAfter255Blurs: BlurKernel {
  let name = "WrongAfter255Blurs"
  let summary = "deliberately wrong"
  let promise = Promise.exact()

  private final class Counter: Sendable { let blurs = Atomic(0) }

  func plan(_ problem: BlurProblem) -> any Plan {
    let counter = Counter()
    return PlainPlan(PlainBlur(problem)) { blur, units, buffers in
      var blur = blur
      // Only one of the blocks of rows into which a blur is divided begins with row 0.
      if units.contains(0) { counter.blurs.add(1, ordering: .relaxed) }
      if counter.blurs.load(ordering: .relaxed) > 255 { blur.finish = { $0 / 2 } }
      blur.run(units, buffers)
    }
  }
}

/// A kernel that keeps the sigmas of its plans in a ring of 8 elements, so that each plan overwrites the
/// sigma of the eighth plan before it.
struct SharesEightSigmas: BlurKernel {
  let name = "SharesEightSigmas"
  let summary = "deliberately wrong"
  let promise = Promise.exact()

  private final class Ring: Sendable {
    let sigmas = Mutex<(values: [Sigma?], plans: Int)>(([Sigma?](repeating: nil, count: 8), 0))
  }
  private let ring = Ring()

  func plan(_ problem: BlurProblem) -> any Plan {
    let place = ring.sigmas.withLock { ring in
      let place = ring.plans % ring.values.count
      ring.values[place] = problem.sigma
      ring.plans += 1
      return place
    }
    return PlainPlan(PlainBlur(problem)) { [ring] blur, units, buffers in
      var blur = blur
      blur.sigma = ring.sigmas.withLock { $0.values[place] } ?? blur.sigma
      blur.run(units, buffers)
    }
  }
}
