import Foundation

/// The files from which a run loads external kernels, which are kernels that are not part of this program.
public struct ExternalKernels: Codable, Equatable, Sendable {
  /// The paths of the shared libraries and of the Python files.
  public var plugins: [String], python: [String]
  /// Whether the run uses the kernels of other libraries, which the script Bench/Peers/setup builds. The
  /// files of these kernels are not copied when the run is saved as a baseline.
  public var usesPeers: Bool

  /// Creates a description of the external kernels that a run uses. By default, the run uses no external
  /// kernels.
  public init(plugins: [String] = [], python: [String] = [], usesPeers: Bool = false) {
    (self.plugins, self.python, self.usesPeers) = (plugins, python, usesPeers)
  }

  /// Whether there are no external kernels.
  public var isEmpty: Bool { self == ExternalKernels() }

  /// Returns a copy of this description in which each path is replaced by the path that the closure `file`
  /// returns for it.
  func replacing(_ file: (_ path: String, _ kind: String, _ index: Int) throws -> String) rethrows
    -> ExternalKernels
  {
    ExternalKernels(
      plugins: try plugins.enumerated().map { try file($1, "plugin", $0) },
      python: try python.enumerated().map { try file($1, "python", $0) }, usesPeers: usesPeers)
  }
}

/// A run that was saved under a name, with copies of its records, its program and its external kernels.
public struct Baseline: Sendable {
  /// The name under which the run was saved.
  public let name: String
  /// The path of the saved copy of the program.
  public let program: String
  /// The paths of the files with external kernels: `kernels` lists the copies that were saved, and `origins`
  /// lists the original files.
  public let kernels: ExternalKernels, origins: ExternalKernels
  /// The records of the run.
  public let records: [Record]

  /// The cases of the baseline that can be measured again, in the order of the records.
  ///
  /// Only cases with the pace ``Pace/warm`` can be measured again. Other cases, such as blurs that run once
  /// per frame, are left out, and so are skipped cases.
  public var cases: [Case] {
    records.filter { !$0.isCopy && !$0.isSkipped }.inGroups(by: \.item).map(\.key)
      .filter { $0.workload.pace == .warm }
  }

  /// Returns the cases that match the lists and the filter.
  ///
  /// - Parameters:
  ///   - lists: Comma-separated lists of values. For each list, a case must match one of the values.
  ///   - filter: The text of a ``CaseFilter``, or nil to keep all cases.
  ///   - cores: The number of threads to use if a thread count is given as `all`.
  /// - Throws: ``MeasurementError/usage(_:)``, for example if no case matches.
  public func cases(
    lists: [CaseDimension: String], filter: String?, cores: Int, _ vocabulary: Vocabulary
  ) throws(MeasurementError) -> [Case] {
    let lists = try CaseLists(lists, vocabulary)
    let wanted = try filter.map { (text) throws(MeasurementError) in try CaseFilter(text) }
    let cases = cases
    guard let first = cases.first else {
      throw .usage(
        "baseline '\(name)' has no case that can be measured again: all of its cases were skipped, or used a "
          + "pace other than warm")
    }
    let chosen = cases.filter { lists.name($0, cores: cores) && wanted?.keeps($0) ?? true }
    guard !chosen.isEmpty else {
      throw .usage(
        "the options match none of the \(cases.count) cases of baseline '\(name)'; one of its cases is "
          + first.name)
    }
    return chosen
  }
}
