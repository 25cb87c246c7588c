import CBlurVectors

/// A blur whose time was measured: its layout, sigma, edge mode and number of threads. Times that were
/// measured for one problem are never used to predict the times for another.
package struct MeasuredProblem: Hashable, Sendable {
  /// The layout of the images. It includes the stride, because a different stride can make a different kernel
  /// the fastest.
  package let layout: ImageLayout
  /// The standard deviations in pixels.
  package let sigma: Sigma
  /// The edge mode. The constant mode always has its default pixel here, so problems that differ only in the
  /// constant pixel count as equal.
  package let edge: EdgeMode
  package let threads: Int

  /// Creates a problem in which a whole image is blurred.
  package init(_ layout: ImageLayout, sigma: Sigma, edge: EdgeMode, threads: Int) {
    (self.layout, self.sigma, self.threads) = (layout, sigma, threads)
    if case .constant = edge { self.edge = .transparent } else { self.edge = edge }
  }

  /// Creates a problem from the parameters of a blur. Returns nil if only a part of the image is to be
  /// blurred, or if the result is to be smaller.
  init?(_ layout: ImageLayout, _ parameters: BlurParameters, threads: Int) {
    guard parameters.region ?? layout.bounds == layout.bounds, parameters.downscaled == 1 else { return nil }
    self.init(layout, sigma: parameters.sigma, edge: parameters.edge, threads: threads)
  }
}

/// The measured time of a kernel with one instruction set.
package struct KernelTime: Hashable, Sendable {
  package let kernel: String
  package let instructionSet: InstructionSet
  /// The wall time of a blur in nanoseconds.
  package let nanoseconds: Double

  /// Stores the time that was measured for a kernel with one instruction set.
  package init(kernel: String, instructionSet: InstructionSet, nanoseconds: Double) {
    (self.kernel, self.instructionSet, self.nanoseconds) = (kernel, instructionSet, nanoseconds)
  }
}

/// The measured times that this process knows, each for one exact problem. The times come from a wisdom file,
/// or were measured when a plan was created.
public final class MeasuredTimes: Sendable {
  private final class Table: @unchecked Sendable {
    // SAFETY: only the thread that holds the lock touches the dictionary.
    var times: [MeasuredProblem: [KernelTime]] = [:]
  }

  private let table = Lock(Table())

  /// The measured times that all plans of this process share. If the program links the module BlurWisdom, the
  /// times in the wisdom file are included.
  public static let shared: MeasuredTimes = {
    let times = MeasuredTimes()
    blur_wisdom_load(Unmanaged.passUnretained(times).toOpaque())
    return times
  }()

  /// Creates an empty collection of times.
  package init() {}

  /// Returns the times that were measured for exactly this problem, or nil if there are none.
  package func times(of problem: MeasuredProblem?) -> [KernelTime]? {
    problem.flatMap { problem in table.withLock { $0.times[problem] } }
  }

  /// Stores times for a problem, in place of any older ones.
  package func record(_ times: [KernelTime], of problem: MeasuredProblem) {
    table.withLock { $0.times[problem] = times }
    // The cached plans were chosen without the new times, which may make a different kernel the fastest. So
    // all cached plans are dropped.
    BlurPlanCache.removeAll()
  }

  /// All known times, in no particular order.
  package var all: [(problem: MeasuredProblem, times: [KernelTime])] {
    table.withLock { $0.times.map { ($0.key, $0.value) } }
  }
}
