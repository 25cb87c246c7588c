import CBlurVectors

/// What a time was measured of: nothing else is predicted from it.
public struct MeasuredProblem: Hashable, Sendable {
  /// With the stride: where rows begin at other addresses, another kernel may be the fastest.
  public let layout: ImageLayout
  /// Standard deviations in pixels.
  public let sigma: Sigma
  /// The constant mode counts as the same with any constant.
  public let edge: EdgeMode
  public let threads: Int

  /// Describes a whole image's blur.
  public init(_ layout: ImageLayout, sigma: Sigma, edge: EdgeMode, threads: Int) {
    (self.layout, self.sigma, self.threads) = (layout, sigma, threads)
    if case .constant = edge { self.edge = .transparent } else { self.edge = edge }
  }

  /// Nil for a part of an image.
  init?(_ layout: ImageLayout, _ parameters: BlurParameters, threads: Int) {
    guard parameters.region ?? layout.bounds == layout.bounds else { return nil }
    self.init(layout, sigma: parameters.sigma, edge: parameters.edge, threads: threads)
  }
}

/// A kernel with an instruction set, and its time.
public struct KernelTime: Hashable, Sendable {
  public let kernel: String
  public let instructionSet: InstructionSet
  /// Wall time of a blur.
  public let nanoseconds: Double

  /// Makes a time.
  public init(kernel: String, instructionSet: InstructionSet, nanoseconds: Double) {
    (self.kernel, self.instructionSet, self.nanoseconds) = (kernel, instructionSet, nanoseconds)
  }
}

/// Times of exact problems that this process knows: of wisdom, and measured by plans.
public final class MeasuredTimes: Sendable {
  private final class Table: @unchecked Sendable {
    // SAFETY: only the lock's owner touches it.
    var times: [MeasuredProblem: [KernelTime]] = [:]
  }

  private let table = Lock(Table())

  /// Those of the process. The module BlurWisdom puts its file's into them, where it is linked.
  public static let shared: MeasuredTimes = {
    let times = MeasuredTimes()
    blur_wisdom_load(Unmanaged.passUnretained(times).toOpaque())
    return times
  }()

  /// Knows nothing.
  public init() {}

  /// What was measured of exactly this problem; nil if nothing was.
  public func times(of problem: MeasuredProblem?) -> [KernelTime]? {
    problem.flatMap { problem in table.withLock { $0.times[problem] } }
  }

  /// Takes times in place of older ones of the same problem.
  public func record(_ times: [KernelTime], of problem: MeasuredProblem) {
    table.withLock { $0.times[problem] = times }
  }

  /// All that is known, in no order.
  public var all: [(problem: MeasuredProblem, times: [KernelTime])] {
    table.withLock { $0.times.map { ($0.key, $0.value) } }
  }
}
