import Blur

/// The description of a plug-in's kernel.
///
/// Only a server process loads the plug-in, because loading a plug-in runs its code, which may crash. The
/// server sends this description to the main process.
public struct PluginDescription: Codable, Hashable, Sendable {
  /// The stable name of the kernel in records and on the command line.
  public let name: String
  /// One line of text that states the algorithm, the width of the filter window, the library and its version.
  public let summary: String
  /// Whether the kernel declares that its blur is not a Gaussian of the requested sigma. This value is nil if
  /// a server of an older build has sent the description.
  public let isNotGaussian: Bool?
  /// The largest error that the kernel promises, in levels, or nil if the kernel promises nothing. A level is
  /// 1/255 of full scale.
  public let promisedLevels: Double?
  /// The largest error that the kernel promises for 16-bit and float formats, as a fraction of full scale, or
  /// nil if ``promisedLevels`` applies to those formats too.
  public let promisedShare: Double?
  /// The names of the pixel formats that the plug-in lists for the kernel. The kernel may still reject an
  /// image in one of these formats when it makes a plan.
  public let formats: [String]
  /// The names of the edge modes that the plug-in lists for the kernel.
  public let edges: [String]
  /// The largest number of threads that the kernel can use, or nil for any number.
  public let mostThreads: Int?

  /// The largest error that the kernel promises, if it promises one.
  public var promise: Promise {
    guard let promisedLevels else { return isNotGaussian == true ? .notGaussian : .nothing }
    return promisedShare.map { .exact(levels: promisedLevels, share: $0) }
      ?? .approximation(levels: promisedLevels)
  }

  /// A stand-in for the kernel in a process that has not loaded the plug-in. The stand-in has the name and
  /// the promise of the kernel and can make plans, but its plans cannot blur.
  public var placeholder: Kernel {
    Kernel(name: name, summary: summary, promise: promise) { (problem) throws(BlurError) in
      try self.check(problem)
      return PlaceholderPlan(kernel: self.name)
    }
  }

  /// Returns placeholders for several kernels.
  ///
  /// - Parameter taken: The names that the kernels must not have, such as the names of our own kernels.
  /// - Throws: ``PluginError`` if two kernels have the same name, or if a kernel has one of the names in
  ///   `taken`.
  public static func placeholders(
    _ all: [PluginDescription], besides taken: [String]
  ) throws(PluginError) -> [Kernel] {
    let names = all.map(\.name)
    if let name = names.first(where: { name in names.count { $0 == name } > 1 }) {
      throw PluginError(
        description: "two plug-ins have a kernel called '\(name)'; name each file once and rename one of the "
          + "kernels, or compare the plug-ins with `blurbench compare`")
    }
    if let name = names.first(where: taken.contains) {
      throw PluginError(
        description: "a kernel of a plug-in cannot be called '\(name)', because BlurBench itself uses this "
          + "name (see `blurbench list`); rename the kernel, for example to 'my-\(name)'")
    }
    return all.map(\.placeholder)
  }

  /// Checks a problem against the formats, edge modes and thread count of the description.
  ///
  /// - Throws: ``Blur/BlurError/unsupported(kernel:reason:)`` if the description rules the problem out.
  func check(_ problem: BlurProblem) throws(BlurError) {
    func refuse(_ reason: String) -> BlurError { .unsupported(kernel: name, reason: reason) }
    guard formats.contains(problem.layout.format.rawValue) else {
      throw refuse("format \(problem.layout.format)")
    }
    guard edges.contains(problem.edge.name) else { throw refuse("edge \(problem.edge.name)") }
    if let mostThreads, problem.threads > mostThreads {
      throw refuse("\(problem.threads) threads, but at most \(mostThreads)")
    }
    guard problem.region == problem.layout.bounds else { throw refuse("a region of the result") }
  }
}

/// A plan that always fails when it runs, because its kernel is loaded only in another process.
private final class PlaceholderPlan: Plan {
  private let kernel: String
  let facts = PlanFacts(phases: [Phase(units: 1)])

  init(kernel: String) { self.kernel = kernel }

  func run(_ phase: Int, _ units: Range<Int>, _ buffers: PhaseContext) {
    buffers.fail(.failed(kernel: kernel, reason: "it can only run in a server process"))
  }
}
