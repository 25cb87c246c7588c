import Blur
import BlurText

/// A named set of cases, and how each is measured.
public struct Suite: Equatable, Sendable {
  /// The name in records and on the command line.
  public var name: String
  /// Why these cases, in prose.
  public var why: String
  /// Repetitions and times.
  public var settings: TimingSettings
  /// Products of lists; a case that several of them name is measured once.
  public var entries: [CaseLists]

  /// The word that stands for all kernels of plug-ins in a list of kernels.
  public static let plugins = "plugins"

  /// The most cases that a suite may name. A longer one would take days, and a slip in a list makes it.
  public static let mostCases = 100_000

  /// Makes a suite.
  public init(name: String, why: String, settings: TimingSettings, entries: [CaseLists]) {
    self.name = name
    self.why = why
    self.settings = settings
    self.entries = entries
  }

  /// The cases by workload, on a machine of `cores` cores. Workloads that differ in threads alone stand
  /// together; within a workload kernels have the suite's order.
  ///
  /// - Parameters:
  ///   - kernels: the kernels that exist; others that the suite names are an error.
  ///   - cores: what `all` threads means.
  ///   - catalog: the scenes that exist.
  /// - Throws: ``MeasurementError/usage(_:)``, also for more than ``mostCases``.
  public func jobs(
    kernels: [Kernel], cores: Int, catalog: SceneCatalog = .none
  ) throws(MeasurementError) -> [Job] {
    let count = entries.reduce(0.0) { $0 + $1.count }
    guard count <= Double(Self.mostCases) else {
      throw .usage("suite '\(name)' names \(count.short) cases; the most is \(Self.mostCases)")
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

  /// Why no kernel blurs any of the workloads.
  private static func misfit(_ kernels: [Kernel], _ workloads: [Workload]) -> String {
    let names = kernels.map(\.name).joined(separator: ", ")
    guard workloads.contains(where: { $0.mask != nil }) else {
      return "kernel \(names): blurs by a mask; name one, such as --mask \(MaskShape.linear.rawValue)"
    }
    return "kernel \(names): has one sigma for all pixels; with a mask there are "
      + VariableMethod.allCases.map(\.rawValue).joined(separator: ", ")
  }

  private func kernels(_ name: String, in kernels: [Kernel]) throws(MeasurementError) -> [Kernel] {
    if name == Self.plugins { return kernels.external }
    if let kernel = kernels.first(where: { $0.name == name }) { return [kernel] }
    throw .usage(ParseError(unknown: "kernel", name, among: kernels.map(\.name)).reason)
  }

  /// Moves workloads of the same picture next to the first of them, fewest threads first.
  private func together(_ workloads: [Workload]) -> [Workload] {
    workloads.inGroups(by: \.picture).flatMap { $0.elements.sorted { $0.threads < $1.threads } }
  }
}

extension Suite {
  /// The suite with the given lists instead of its own, in each of its products.
  public func overridden(by lists: CaseLists) -> Suite {
    var suite = self
    suite.entries = entries.map { $0.replacing(with: lists) }
    return suite
  }
}

/// A workload and the cases that are measured on it, interleaved.
public struct Job: Equatable, Sendable {
  /// What the cases have in common.
  public var workload: Workload
  /// The cases, without the memcpy beside them.
  public var cases: [Case]

  /// Makes a job.
  public init(workload: Workload, cases: [Case]) {
    self.workload = workload
    self.cases = cases
  }
}

extension Kernel {
  /// Whether it blurs such a workload: methods of variable sigma where there is a mask, and kernels where
  /// not.
  package func fits(_ workload: Workload) -> Bool { (variableMethod != nil) == (workload.mask != nil) }
}

extension [Kernel] {
  /// Those that are not of this package.
  public var external: [Kernel] {
    let own = Registry.all.map(\.name)
    return filter { !own.contains($0.name) }
  }
}

extension [Job] {
  /// The jobs with only those cases for which `keep` says so; jobs left empty are dropped.
  public func filtered(_ keep: (Case) -> Bool) -> [Job] {
    map { Job(workload: $0.workload, cases: $0.cases.filter(keep)) }.filter { !$0.cases.isEmpty }
  }
}
