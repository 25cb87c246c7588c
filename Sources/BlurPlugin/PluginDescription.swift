import Blur

// Descriptions travel between processes as JSON.
extension PixelFormat: Codable {}

/// What a plug-in says of one of its kernels. The process that loaded the plug-in hands it to the one that
/// must not.
public struct PluginDescription: Codable, Hashable, Sendable {
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
  /// The definition that it promises to be equal to, if it does.
  public var specification: String?
  /// Names of the instruction sets that it has code for.
  public var instructionSets = [InstructionSet.baseline.name]
  /// Names of those that it has code for, and its machine lacks.
  public var lackingSets: [String] = []

  /// What the kernel claims about its error.
  public var promise: Promise {
    if let specification { return .specification(specification) }
    guard let promisedLevels else { return .nothing }
    return promisedShare.map { .exact(levels: promisedLevels, share: $0) }
      ?? .approximation(levels: promisedLevels)
  }

  /// The entry that stands for the kernel in a process that has not loaded it: everything but blurring works.
  public var placeholder: Kernel {
    let sets = InstructionSet.allCases.filter { instructionSets.contains($0.name) }
    return Kernel(name: name, summary: summary, promise: promise, instructionSets: sets) {
      (problem) throws(BlurError) in
      try self.check(problem)
      return PlaceholderPlan(kernel: self.name)
    }
  }

  /// The placeholders of several kernels.
  ///
  /// - Parameter taken: names that mean something else, such as those of the library's own kernels.
  /// - Throws: ``PluginError`` where two have one name, or one has a name that is taken.
  public static func placeholders(
    _ all: [PluginDescription], besides taken: [String]
  ) throws(PluginError) -> [Kernel] {
    let names = all.map(\.name)
    if let name = names.first(where: { name in names.count { $0 == name } > 1 }) {
      throw PluginError(
        description: "two plug-ins have a kernel called '\(name)': give one another name, or measure one "
          + "against the other with `blurbench compare`")
    }
    if let name = names.first(where: taken.contains) {
      throw PluginError(
        description: "a plug-in's kernel cannot be called '\(name)', a name of BlurBench's own (see "
          + "`blurbench list`): give it another, such as 'my-\(name)'")
    }
    return all.map(\.placeholder)
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

/// What a process answers that was asked for the kernels of plug-ins.
public enum PluginAnswer: Codable, Sendable {
  case kernels([PluginDescription])
  /// Why they could not be loaded.
  case refused(String)
}

/// A plan that refuses to run: its kernel is in another process.
private final class PlaceholderPlan: Plan {
  private let kernel: String
  let facts = PlanFacts(phases: [Phase(units: 1)])

  init(kernel: String) { self.kernel = kernel }

  func run(_ phase: Int, _ units: Range<Int>, _ buffers: PhaseContext) {
    buffers.fail(.failed(kernel: kernel, reason: "it runs in a process of its own only"))
  }
}
