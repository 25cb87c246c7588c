import Blur
import Synchronization

/// What kernels were asked for while scenes played.
final class KernelLog: Sendable {
  private let entries = Mutex<[Double]>([])

  /// The sigma of each plan that was made.
  var sigmas: [Double] { entries.withLock { $0 } }

  /// A kernel that copies, and writes down what is planned.
  var kernel: Kernel {
    Kernel(name: "logged", summary: "copies", promise: .nothing) {
      [self] (problem) throws(BlurError) in
      entries.withLock { $0.append(problem.sigma.x) }
      return CopyingPlan(problem.region)
    }
  }

  /// A kernel that refuses everything.
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
      buffers.destination.row(y).copyMemory(
        from: buffers.source.row(region.y + y) + 4 * region.x, byteCount: 4 * region.width)
    }
  }
}
