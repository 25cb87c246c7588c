import Blur

/// A kernel that turns an image upside down through shared memory. This needs two phases, but the kernel has
/// only one, so no thread waits until the rows that it reads from the shared memory have been written. On one
/// thread, the result is right. The cost of the kernel claims that the work is too little for two threads.
struct LostBarrier: BlurKernel {
  let name = "LostBarrier"
  let summary = "a barrier too few"
  let promise = Promise.nothing

  func plan(_ problem: BlurProblem) -> any Plan { LostBarrierPlan(problem.layout) }

  func cost(_ problem: BlurProblem) -> Cost { Cost(scalars: 1) }
}

private final class LostBarrierPlan: Plan {
  private let height: Int, rowBytes: Int

  init(_ layout: ImageLayout) { (height, rowBytes) = (layout.height, layout.rowBytes) }

  var facts: PlanFacts {
    PlanFacts(phases: [Phase(units: 2 * height)], sharedBytes: height * rowBytes)
  }

  func run(_ phase: Int, _ units: Range<Int>, _ buffers: PhaseContext) {
    for unit in units {
      let row = buffers.shared + unit % height * rowBytes
      if unit < height {
        row.copyMemory(from: buffers.source.unsafeRow(unit), byteCount: rowBytes)
      } else {
        buffers.destination.unsafeRow(2 * height - 1 - unit).copyMemory(from: row, byteCount: rowBytes)
      }
    }
  }
}
