import Blur
import BlurSuites
import BlurText

/// A named set of cases, with the settings for measuring them.
public struct Suite: Equatable, Sendable {
  /// The suite's name in records and on the command line.
  public var name: String
  /// An explanation, in prose, of why these cases were chosen.
  public var why: String
  /// The number of repetitions, the duration of each sample, and the duration of the warm-up.
  public var settings: TimingSettings
  /// The entries of the suite. Each entry defines the cases in the Cartesian product of its lists. A case
  /// that belongs to several entries is measured once.
  public var entries: [CaseLists]

  /// The word that stands for all kernels from plug-ins in a suite's list of kernels.
  public static let plugins = "plugins"

  /// The maximum number of cases in a suite. A larger number is probably a mistake in a list, because
  /// measuring so many cases would take days.
  public static let mostCases = 100_000

  /// Returns the cases of the suite, grouped by workload, for a machine with the given number of cores.
  ///
  /// Workloads that differ only in their number of threads are adjacent. Within a workload, the kernels are
  /// in the suite's order.
  ///
  /// - Parameters:
  ///   - kernels: All kernels that exist. A suite that lists any other kernel is invalid.
  ///   - cores: The number of threads to use if a thread count is given as `all`.
  ///   - catalog: The known scenes.
  /// - Throws: ``MeasurementError/usage(_:)``, for example if there are more than ``mostCases`` cases.
  public func jobs(
    kernels: [Kernel], cores: Int, catalog: SceneCatalog = .none
  ) throws(MeasurementError) -> [Job] {
    let count = entries.reduce(0.0) { $0 + $1.count }
    guard count <= Double(Self.mostCases) else {
      throw .usage("suite '\(name)' has \(count.short) cases, but at most \(Self.mostCases) are allowed")
    }
    var order: [Workload] = []
    var cases: [Workload: [Case]] = [:]
    for entry in entries {
      var chosen: [Kernel] = []
      for name in entry.kernels ?? [] { chosen += try self.kernels(name, in: kernels) }
      let workloads = try entry.workloads(cores: cores, catalog)
      if !chosen.isEmpty, !workloads.contains(where: { work in chosen.contains { $0.fits(work) } }) {
        throw .usage(Self.misfit(chosen, workloads))
      }
      for workload in workloads {
        if cases[workload] == nil { order.append(workload) }
        for kernel in chosen where kernel.fits(workload) {
          for isa in (entry.isas ?? []).flatMap({ $0.sets(of: kernel) }) {
            let new = Case(kernel: kernel.name, isa: isa, workload: workload)
            if cases[workload]?.contains(new) != true { cases[workload, default: []].append(new) }
          }
        }
      }
    }
    return together(order).map { Job(workload: $0, cases: cases[$0] ?? []) }
  }

  /// Returns a message that explains why none of the kernels can run any of the workloads.
  private static func misfit(_ kernels: [Kernel], _ workloads: [Workload]) -> String {
    let names = kernels.map(\.name).joined(separator: ", ")
    guard workloads.contains(where: { $0.mask != nil }) else {
      return "kernel \(names): needs a mask; name one, such as --mask \(MaskShape.linear.rawValue)"
    }
    return "kernel \(names): does not support masks; the kernels that do are "
      + VariableMethod.allCases.map(\.rawValue).joined(separator: ", ")
  }

  private func kernels(_ name: String, in kernels: [Kernel]) throws(MeasurementError) -> [Kernel] {
    if name == Self.plugins { return kernels.external }
    if let kernel = kernels.first(where: { $0.name == name }) { return [kernel] }
    throw .usage(ParseError(unknown: "kernel", name, among: kernels.map(\.name)).reason)
  }

  /// Moves workloads that differ only in their number of threads next to each other, fewest threads first.
  private func together(_ workloads: [Workload]) -> [Workload] {
    workloads.inGroups(by: \.picture).flatMap { $0.elements.sorted { $0.threads < $1.threads } }
  }
}

extension Suite {
  /// Returns a copy of the suite in which the given lists replace the suite's lists of the same properties. A
  /// list of sigmas, for example, replaces the suite's list of sigmas.
  ///
  /// - Throws: ``MeasurementError/usage(_:)`` if no case of the suite has the property of a given list.
  ///   Interface scenes, for example, have no sigma that could be replaced.
  public func overridden(by lists: CaseLists) throws(MeasurementError) -> Suite {
    for dimension in CaseDimension.allCases where lists[dimension] != nil {
      if entries.contains(where: { $0[dimension] != nil }) { continue }
      let reason =
        dimension.scope == .scenes
        ? "has no interface scenes; use --suite scenes, or leave out --suite"
        : "has only interface scenes, and each scene determines what is blurred and how"
      throw .usage("--\(dimension.key) cannot be used here: suite '\(name)' \(reason)")
    }
    var suite = self
    suite.entries = entries.map { $0.replacing(with: lists) }
    return suite
  }
}

extension Suite {
  /// Returns the YAML text of a suite, which is either built into the program or stored in a file.
  ///
  /// - Parameter suite: The name of a built-in suite, or the path of a `.yml` file.
  /// - Throws: ``MeasurementError/usage(_:)`` for an unknown name, or an error from reading the file.
  public static func yaml(of suite: String) throws(MeasurementError) -> String {
    if suite.contains("/") || suite.hasSuffix(".yml") || suite.hasSuffix(".yaml") {
      let text = try TextFile.text(at: suite, limit: mostBytes)
      let kind = FileKind(text: text)
      guard kind.maySuit else { throw .file(path: suite, reason: "is not a suite but \(kind.words)") }
      return text
    }
    if let bytes = BuiltInSuites.texts[suite] { return String(decoding: bytes, as: UTF8.self) }
    let reason = ParseError(unknown: "suite", suite, among: builtIn).reason
    throw .usage(reason + "; the path of a suite file must end with .yml")
  }

  /// The names of the built-in suites.
  public static let builtIn = BuiltInSuites.texts.keys.sorted()

  /// The maximum size of a suite file in bytes.
  private static let mostBytes = 1 << 20
}

/// A workload, and the cases that are timed on it. The repetitions of all cases are timed in mixed order, so
/// that a temporary slowdown of the machine does not affect only one of the cases.
public struct Job: Equatable, Sendable {
  /// The workload that the cases have in common.
  public var workload: Workload
  /// The cases to measure, not counting the memcpy that runs alongside them.
  public var cases: [Case]

  /// Creates a job.
  public init(workload: Workload, cases: [Case]) {
    self.workload = workload
    self.cases = cases
  }
}

extension Kernel {
  /// Returns whether the kernel can blur this kind of workload. In a workload with a mask, sigma varies from
  /// pixel to pixel. Kernels for a variable sigma need a mask, and no other kernel supports masks.
  package func fits(_ workload: Workload) -> Bool { (variableMethod != nil) == (workload.mask != nil) }
}

extension [Kernel] {
  /// The kernels that are not part of this package, such as the kernels of plug-ins.
  public var external: [Kernel] {
    let own = Registry.all.map(\.name)
    return filter { !own.contains($0.name) }
  }
}

extension [Job] {
  /// Returns the jobs, reduced to the cases for which `keep` returns true. Jobs that have no such case are
  /// dropped.
  public func filtered(_ keep: (Case) -> Bool) -> [Job] {
    map { Job(workload: $0.workload, cases: $0.cases.filter(keep)) }.filter { !$0.cases.isEmpty }
  }
}

extension Job: Codable {
  /// Decodes the cases of a job. There must be at least one case, because the job takes its workload from its
  /// first case.
  public init(from decoder: any Decoder) throws {
    let cases = try decoder.singleValueContainer().decode([Case].self)
    guard let workload = cases.first?.workload else {
      throw MeasurementError.failed("internal error: a job in the request has no cases")
    }
    self.init(workload: workload, cases: cases)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(cases)
  }
}

/// The settings that control how long and how often a case is measured.
public struct TimingSettings: Codable, Equatable, Sendable {
  /// The number of samples per case.
  public var repetitions: Int
  /// The minimum duration of one sample, in seconds.
  public var minTime: Double
  /// The duration of the warm-up before the first sample, in seconds.
  public var warmUp: Double

  /// Creates settings.
  public init(repetitions: Int, minTime: Double, warmUp: Double) {
    self.repetitions = repetitions
    self.minTime = minTime
    self.warmUp = warmUp
  }
}
