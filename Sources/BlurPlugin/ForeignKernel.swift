import Blur

// Descriptions travel between processes as JSON.
extension PixelFormat: Codable {}

/// What is known of a kernel behind the border without running any of its code: a description that can be
/// handed from the process that loaded the plug-in to the one that must not.
public struct ForeignKernel: Codable, Hashable, Sendable {
  /// The stable name in records and on the command line.
  public let name: String
  /// One line: algorithm, window, library and version.
  public let summary: String
  /// The largest error promised in levels; nil where nothing is promised.
  public let promisedLevels: Double?
  /// The largest error promised for 16-bit and float formats as a share of full scale; nil where the levels
  /// count for them too.
  public let promisedShare: Double?
  /// What it may support; it can still refuse a particular case when it plans.
  public let formats: [PixelFormat]
  /// Names of edge modes.
  public let edges: [String]
  /// The most threads it can use; nil for any number.
  public let mostThreads: Int?

  /// What the kernel claims about its error.
  public var promise: Promise {
    guard let promisedLevels else { return .nothing }
    return promisedShare.map { .exact(levels: promisedLevels, share: $0) }
      ?? .approximation(levels: promisedLevels)
  }

  /// The entry that stands for the kernel in a process that has not loaded it: everything but blurring works.
  public var elsewhere: Kernel {
    Kernel(name: name, summary: summary, promise: promise) {
      (problem) throws(BlurError) in
      try self.check(problem)
      return Elsewhere(kernel: self.name)
    }
  }

  /// - Throws: ``Blur/BlurError/unsupported(kernel:reason:)`` for what the description rules out.
  func check(_ problem: BlurProblem) throws(BlurError) {
    func refuse(_ reason: String) -> BlurError { .unsupported(kernel: name, reason: reason) }
    guard formats.contains(problem.layout.format) else { throw refuse("format \(problem.layout.format)") }
    guard edges.contains(problem.edge.name) else { throw refuse("edge \(problem.edge.name)") }
    if let mostThreads, problem.threads > mostThreads {
      throw refuse("\(problem.threads) threads, \(mostThreads) at most")
    }
    guard problem.region == problem.layout.bounds else { throw refuse("a region of the result") }
  }
}

/// A plan that can only say that it is not here.
private final class Elsewhere: Plan {
  private let kernel: String
  let facts = PlanFacts(phases: [])

  init(kernel: String) { self.kernel = kernel }

  var failure: BlurError? { .failed(kernel: kernel, reason: "it runs in a process of its own only") }
  func run(_ phase: Int, _ units: Range<Int>, _ buffers: BlurBuffers) {}
}
