import Foundation

/// Kernels that are not part of the program: the files that it loads.
public struct ExternalKernels: Codable, Equatable, Sendable {
  /// Shared libraries, and Python files.
  public var plugins: [String], python: [String]
  /// Whether those that Bench/Peers/setup built take part. They stay where they are.
  public var usesPeers: Bool

  /// Names the files; none by default.
  public init(plugins: [String] = [], python: [String] = [], usesPeers: Bool = false) {
    (self.plugins, self.python, self.usesPeers) = (plugins, python, usesPeers)
  }

  /// Whether there are none.
  public var isEmpty: Bool { self == ExternalKernels() }

  /// The same with other files in place of each.
  func replacing(_ file: (_ path: String, _ kind: String, _ index: Int) throws -> String) rethrows
    -> ExternalKernels
  {
    ExternalKernels(
      plugins: try plugins.enumerated().map { try file($1, "plugin", $0) },
      python: try python.enumerated().map { try file($1, "python", $0) }, usesPeers: usesPeers)
  }
}

/// A run that was given a name: its records, and all that measured them, as it was then.
public struct Baseline: Sendable {
  /// The name.
  public let name: String
  /// The path of the program.
  public let program: String
  /// The copies of the external kernels' files, and where they were when the run was saved.
  public let kernels: ExternalKernels, origins: ExternalKernels
  /// What the run measured.
  public let records: [Record]

  /// The cases that can be measured again, in order: those that were not refused, and of them the warm blurs.
  public var cases: [Case] {
    var seen: Set<String> = []
    return records.filter { !$0.isCopy && !$0.isSkipped && seen.insert($0.name).inserted }
      .compactMap(\.item).filter { $0.workload.pace == .warm }
  }

  /// The cases that lists and a filter choose.
  ///
  /// - Parameters:
  ///   - lists: comma-separated lists of values; a case must have one of each list.
  ///   - filter: see ``CaseFilter``.
  ///   - cores: what `all` threads means.
  /// - Throws: ``MeasurementError/usage(_:)``, also where no case is left.
  public func cases(
    lists: [CaseDimension: String], filter: String?, cores: Int, _ vocabulary: Vocabulary
  ) throws(MeasurementError) -> [Case] {
    let lists = try CaseLists(lists, vocabulary)
    let wanted = try filter.map { (text) throws(MeasurementError) in try CaseFilter(text) }
    let cases = cases
    guard let first = cases.first else {
      throw .usage(
        "baseline '\(name)' has no case that can be measured again: every one was refused or paced")
    }
    let chosen = cases.filter { lists.name($0, cores: cores) && wanted?.keeps($0) ?? true }
    guard !chosen.isEmpty else {
      throw .usage(
        "that matches none of the \(cases.count) cases of baseline '\(name)', such as \(first.name)")
    }
    return chosen
  }
}
