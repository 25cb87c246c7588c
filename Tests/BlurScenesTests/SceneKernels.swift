import Blur
import Synchronization

/// A log of the plans that a kernel makes while a scene is prepared and played.
final class KernelLog: Sendable {
  private let entries = Mutex<[Double]>([])

  /// The sigmas of all plans, in the order in which they were made.
  var sigmas: [Double] { entries.withLock { $0 } }

  /// A kernel that copies the image, and logs each plan that it makes.
  var kernel: Kernel {
    Kernel(name: "logged", summary: "copies", promise: .nothing) {
      [self] (problem) throws(BlurError) in
      entries.withLock { $0.append(problem.sigma.x) }
      return CopyingPlan(problem.region)
    }
  }

  /// A kernel that rejects every problem.
  static let refusing = Kernel(name: "refusing", summary: "refuses", promise: .nothing) {
    (_) throws(BlurError) in throw .unsupported(kernel: "refusing", reason: "anything")
  }
}

private final class CopyingPlan: Plan {
  private let region: Region

  init(_ region: Region) { self.region = region }

  var facts: PlanFacts { PlanFacts(phases: [Phase(units: region.height)]) }

  func run(_ phase: Int, _ units: Range<Int>, _ buffers: PhaseContext) {
    for y in units {
      buffers.destination.unsafeRow(y).copyMemory(
        from: buffers.source.unsafeRow(region.y + y) + 4 * region.x, byteCount: 4 * region.width)
    }
  }
}
