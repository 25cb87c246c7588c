import BlurWisdom
import Foundation

/// The runs that are kept on this machine: the last one of each suite, and those that were given a name.
///
/// A named one is a baseline: its records, and the program that measured them, so that it can be measured
/// again beside another program.
public struct SavedRuns: Sendable {
  private let folder: URL

  /// The folder `blurbench` in the user's folder of states, `XDG_STATE_HOME`; nil where there is none.
  public init?() {
    self.init(SystemFile.environment)
  }

  init?(_ environment: (String) -> String?) {
    let states = environment("XDG_STATE_HOME") ?? environment("HOME").map { $0 + "/.local/state" }
    guard let states else { return nil }
    folder = URL(filePath: states).appending(path: "blurbench")
  }

  // MARK: Baselines

  /// The names of all baselines.
  public var names: [String] {
    let all = try? FileManager.default.contentsOfDirectory(atPath: baselines.path)
    return (all ?? []).filter { FileManager.default.isExecutableFile(atPath: program(of: $0)) }.sorted()
  }

  /// The program of a baseline.
  public func program(of name: String) -> String {
    baselines.appending(path: name).appending(path: "blurbench").path
  }

  /// What a name may be: it is a folder's.
  ///
  /// - Throws: ``MeasurementError/usage(_:)``.
  public static func check(_ name: String) throws(MeasurementError) {
    guard name.wholeMatch(of: /[A-Za-z0-9_][A-Za-z0-9._-]{0,63}/) == nil else { return }
    throw .usage("--save '\(name)': a name has letters, digits, '.', '_' and '-', and at most 64 of them")
  }

  /// Keeps records and the program that measured them, in place of what had that name.
  ///
  /// - Throws: ``MeasurementError/file(path:reason:)``.
  public func save(
    _ records: [Record], provenance: String, program: URL, as name: String
  ) throws(MeasurementError) {
    try Self.check(name)
    let target = baselines.appending(path: name)
    let new = baselines.appending(path: ".\(name).\(ProcessInfo.processInfo.processIdentifier)")
    do {
      let files = FileManager.default
      try files.createDirectory(at: new, withIntermediateDirectories: true)
      defer { try? files.removeItem(at: new) }
      try Self.text(records).write(to: new.appending(path: "run.csv"), atomically: true, encoding: .utf8)
      try provenance.write(to: new.appending(path: "run.txt"), atomically: true, encoding: .utf8)
      try files.copyItem(at: program.resolvingSymlinksInPath(), to: new.appending(path: "blurbench"))
      try? files.removeItem(at: target)
      try files.moveItem(at: new, to: target)
    } catch {
      throw .file(path: target.path, reason: "cannot be written: \(error.localizedDescription)")
    }
  }

  // MARK: The last run

  /// The records of the last run of a suite, and when it ended; nil where there are none that can be read.
  public func last(of suite: String) -> (records: [Record], date: Date)? {
    let path = lastFile(of: suite).path
    guard let text = try? TextFile.text(at: path), let records = try? RecordsCSV.read(text, path: path),
      let date = try? FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
    else { return nil }
    return (records, date)
  }

  /// Keeps the records of a run as the last one of its suite.
  ///
  /// - Throws: ``MeasurementError/file(path:reason:)``.
  public func keepLast(_ records: [Record], of suite: String) throws(MeasurementError) {
    let file = lastFile(of: suite)
    try? FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try TextFile.write(Self.text(records), to: file.path)
  }

  private var baselines: URL { folder.appending(path: "baselines") }

  /// A suite's name may be anything; what is no letter or digit is replaced.
  private func lastFile(of suite: String) -> URL {
    let name = String(suite.prefix(64).map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" })
    return folder.appending(path: "last").appending(path: name + ".csv")
  }

  private static func text(_ records: [Record]) -> String { RecordsCSV.header + RecordsCSV.lines(records) }
}
