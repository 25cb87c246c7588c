import Blur
import Dispatch
import Foundation

/// Blurs with every kernel on several threads, and with several plans at once, for Thread Sanitizer to watch.
///
/// With `--racy` it runs a kernel that has a data race instead, which must be reported.
@main
struct Threads {
  static func main() throws(BlurError) {
    let kernels = CommandLine.arguments.contains("--racy") ? [Kernel(Racy())] : Registry.kernels
    for kernel in kernels {
      for format in PixelFormat.allCases {
        let plans = try plans(kernel, format)
        for plan in plans { for _ in 0..<3 { try blur(plan) } }
        // Plans side by side. Not one plan twice: the lock that such calls wait for is the standard library's
        // Mutex, whose code is in a library that the sanitizer does not see, so that it would report them.
        DispatchQueue.concurrentPerform(iterations: plans.count) { index in
          do { try blur(plans[index]) } catch { fatalError("\(error)") }
        }
      }
      print("\(kernel.name): done")
    }
  }

  /// The plans for one kernel and format: some threads more than the machine may have, two sigmas and edges.
  private static func plans(_ kernel: Kernel, _ format: PixelFormat) throws(BlurError) -> [BlurPlan] {
    // As large as it must be for no kernel to keep to one thread because it would be done too soon.
    let bytes = kernel.name == "naive" ? 10_000 : 450_000
    let side = Int(Double(bytes / format.bytesPerPixel).squareRoot())
    let layout = try ImageLayout(format, width: side, height: side)
    var plans: [BlurPlan] = []
    for (threads, sigma, edge) in [(2, 1.5, EdgeMode.clamp), (3, 4, .wrap), (5, 2.5, .transparent)] {
      let parameters = BlurParameters(sigma: try Sigma(sigma), edge: edge)
      do throws(BlurError) {
        plans.append(try BlurPlan(kernel, for: layout, parameters, threads: threads))
      } catch .unsupported {
        // Not every kernel has every format and edge mode.
      }
    }
    return plans
  }

  private static func blur(_ plan: BlurPlan) throws(BlurError) {
    let source = try Image(plan.layout)
    var target = try Image(plan.layout)
    try plan.blur(source, into: &target)
  }
}

/// A copy that counts its rows in shared scratch without asking whether another thread does so too.
struct Racy: BlurKernel {
  let name = "racy"
  let summary = "a data race, to be found"
  let promise = Promise.nothing

  func plan(_ problem: BlurProblem) -> any Plan { RacyPlan(problem.layout) }
}

private final class RacyPlan: Plan {
  private let layout: ImageLayout

  init(_ layout: ImageLayout) { self.layout = layout }

  var facts: PlanFacts {
    PlanFacts(phases: [Phase(units: layout.height)], sharedBytes: MemoryLayout<Int>.size)
  }

  func run(_ phase: Int, _ units: Range<Int>, _ buffers: PhaseContext) {
    for y in units {
      // SAFETY: both rows hold `rowBytes` bytes, and the shared scratch one number.
      buffers.destination.row(y).copyMemory(from: buffers.source.row(y), byteCount: layout.rowBytes)
      // Other threads get their turn on a busy machine too.
      if y % 16 == 0 { Thread.sleep(forTimeInterval: 0.001) }
      buffers.shared.storeBytes(of: buffers.shared.load(as: Int.self) + 1, as: Int.self)
    }
  }
}
