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
      [self] (parameters, layout, _) throws(BlurError) in
      entries.withLock { $0.append(parameters.sigma.x) }
      return CopyingBlur(region: parameters.region ?? layout.bounds)
    }
  }

  /// A kernel that refuses everything.
  static let refusing = Kernel(name: "refusing", summary: "refuses", promise: .nothing) {
    (_, _, _) throws(BlurError) in throw .unsupported(kernel: "refusing", reason: "anything")
  }
}

private struct CopyingBlur: PlannedBlur {
  let region: Region

  var phases: [Phase] { [Phase(units: region.height)] }

  func run(_ phase: Int, _ units: Range<Int>, _ buffers: BlurBuffers) {
    for y in units {
      buffers.destination.row(y).copyMemory(
        from: buffers.source.row(region.y + y) + 4 * region.x, byteCount: 4 * region.width)
    }
  }
}
