import Blur
import Dispatch
import Foundation

/// A program that blurs with every kernel on several threads, and with several plans at the same time, while
/// Thread Sanitizer watches.
///
/// With `--racy`, the program runs a kernel that has a data race instead, which must be reported. With
/// `--short`, it tries only one format for each component type.
@main
struct Threads {
  static func main() throws(BlurError) {
    let words = CommandLine.arguments
    let kernels = words.contains("--racy") ? [Kernel(Racy())] : Registry.kernels
    let formats = words.contains("--short") ? [.rgba8, .gray16, .rgbf32] : PixelFormat.allCases
    for kernel in kernels {
      for format in formats {
        let plans = try plans(kernel, format)
        for plan in plans { for _ in 0..<3 { try blur(plan) } }
        // Several plans run at the same time, but not the same plan twice. Such calls would wait for a Mutex
        // of the standard library, whose code Thread Sanitizer does not see, so it would report them.
        DispatchQueue.concurrentPerform(iterations: plans.count) { index in
          do { try blur(plans[index]) } catch { fatalError("\(error)") }
        }
      }
      print("\(kernel.name): done")
    }
  }

  /// Returns the plans for one kernel and format, with different sigmas and edge modes. Some have more
  /// threads than the machine may have CPUs.
  private static func plans(_ kernel: Kernel, _ format: PixelFormat) throws(BlurError) -> [BlurPlan] {
    // The image is so large that no kernel keeps to one thread because it would finish too soon.
    let bytes = kernel.name == "naive" ? 10_000 : 450_000
    let side = Int(Double(bytes / format.bytesPerPixel).squareRoot())
    let layout = try ImageLayout(format, width: side, height: side)
    var plans: [BlurPlan] = []
    for (threads, sigma, edge) in [(2, 1.5, EdgeMode.clamp), (3, 4, .wrap), (5, 2.5, .transparent)] {
      let parameters = BlurParameters(sigma: try Sigma(sigma), edge: edge)
      do throws(BlurError) {
        plans.append(try BlurPlan(kernel, for: layout, parameters, threads: threads))
      } catch .unsupported {
        // Not every kernel supports every format and edge mode.
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

/// A kernel that copies the image and counts its rows in shared scratch memory, without synchronizing the
/// threads.
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
      // SAFETY: both rows have `rowBytes` bytes, and the shared scratch memory has the size of one Int.
      buffers.destination.unsafeRow(y).copyMemory(
        from: buffers.source.unsafeRow(y), byteCount: layout.rowBytes)
      // Sleeping lets the other threads run, even on a busy machine.
      if y % 16 == 0 { Thread.sleep(forTimeInterval: 0.001) }
      buffers.shared.storeBytes(of: buffers.shared.load(as: Int.self) + 1, as: Int.self)
    }
  }
}
