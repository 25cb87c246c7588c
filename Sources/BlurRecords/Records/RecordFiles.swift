import BlurText
import Foundation

/// The three output files of a run. FILE.csv and FILE.json contain the records and are complete after every
/// append. FILE.txt contains the provenance.
public final class RecordFiles {
  /// The records of complete cases that were kept from an earlier run.
  public let kept: [Record]
  /// Warnings about the file of the earlier run, such as the warning that its last line was incomplete.
  public let notes: [String]

  private let csv: AppendFile
  private let json: AppendFile
  private var document = RecordsJSON()

  /// The paths of the three files of a run: a table of records (`.csv`), a JSON document (`.json`) and the
  /// provenance (`.txt`). All three are in the same folder.
  public struct Paths: Equatable, Sendable {
    public let csv: String, json: String, txt: String

    /// Derives the paths of all three files from the path of the CSV file.
    ///
    /// - Throws: ``MeasurementError/usage(_:)`` if `path` does not end with `.csv`.
    public init(_ path: String) throws(MeasurementError) {
      guard path.hasSuffix(".csv"), path != ".csv" else {
        throw .usage(
          "--output '\(path)': must end with .csv; FILE.json and FILE.txt are written to the same folder")
      }
      csv = path
      json = path.dropLast(4) + ".json"
      txt = path.dropLast(4) + ".txt"
    }

    var all: [String] { [csv, json, txt] }
  }

  /// Creates new files, or continues the files of an earlier run.
  ///
  /// - Parameters:
  ///   - resume: Whether to continue existing files. If so, the records of their complete cases become
  ///     ``kept``, and their other rows are dropped.
  ///   - repetitions: The number of samples in a complete case.
  ///   - build: The hash of the program that measures. A file with records from another program cannot be
  ///     continued.
  ///   - context: The `context` object of the JSON document.
  ///   - provenance: The text of FILE.txt. A resumed run appends this text to the text of the earlier run.
  /// - Throws: ``MeasurementError/file(path:reason:)``, for example if another run is writing the files.
  public init(
    _ paths: Paths, resume: Bool, repetitions: Int, machineKey: String, build: String, context: JSONText,
    provenance: String
  ) throws(MeasurementError) {
    var earlier: (records: [Record], notes: [String]) = ([], [])
    var text = provenance
    var claim: FileClaim?
    defer { withExtendedLifetime(claim) {} }
    if resume && FileManager.default.fileExists(atPath: paths.csv) {
      claim = try FileClaim(paths.csv)
      earlier = try Self.reusable(
        at: paths.csv, repetitions: repetitions, machineKey: machineKey, build: build)
      text = ((try? TextFile.text(at: paths.txt)) ?? "") + "\n# resumed\n" + text
    } else if let existing = paths.all.first(where: { FileManager.default.fileExists(atPath: $0) }) {
      throw .file(
        path: existing, reason: "already exists; use --resume to continue it, or name another file")
    }
    kept = earlier.records
    notes = earlier.notes
    // When a run is resumed, the new files are first written under temporary names, so that the old files
    // stay intact if an error occurs here.
    let fresh = paths.all.map { resume ? $0 + ".new" : $0 }
    if resume { for path in fresh { try? FileManager.default.removeItem(atPath: path) } }
    csv = try AppendFile(new: fresh[0], head: RecordsCSV.text(kept))
    json = try AppendFile(
      new: fresh[1], head: document.head(context) + document.runs(kept), tail: RecordsJSON.tail)
    _ = try AppendFile(new: fresh[2], head: text)
    for (from, to) in zip(fresh, paths.all) where from != to {
      guard rename(from, to) == 0 else {
        throw .file(path: to, reason: "cannot be replaced: \(String(cString: strerror(errno)))")
      }
    }
    if resume { try AppendFile.syncFolder(of: paths.csv) }
  }

  /// Appends the records of complete cases to the CSV file and the JSON file.
  ///
  /// - Throws: ``MeasurementError/file(path:reason:)``. After an error, the files still contain all earlier
  ///   records.
  public func append(_ records: [Record]) throws(MeasurementError) {
    try csv.append(RecordsCSV.lines(records))
    try json.append(document.runs(records))
  }

  /// Returns the records that can be reused from the CSV file of an interrupted run, and warnings about the
  /// file.
  private static func reusable(
    at path: String, repetitions: Int, machineKey: String, build: String
  ) throws(MeasurementError) -> (records: [Record], notes: [String]) {
    var notes: [String] = []
    let (all, isTruncated) = try RecordsCSV.readWholeLines(at: path)
    if isTruncated { notes.append("\(path): \(RecordsCSV.truncated)") }
    if let other = all.first(where: { $0.machineKey != machineKey }) {
      throw .file(
        path: path,
        reason: "contains records from another machine (key \(other.machineKey), but this machine has "
          + "\(machineKey)); name another file")
    }
    if let other = all.builds.first(where: { $0 != build }) {
      throw .file(
        path: path,
        reason:
          "contains records from another build of the program "
          + "(\(other.isEmpty ? BuildIdentity.unknown : other), but this is \(build)); a file cannot contain "
          + "the times of two builds, so name another file and compare the two files")
    }
    let cases = Dictionary(grouping: all, by: CaseInProcess.init)
    let complete = cases.filter { $0.value.isComplete(repetitions: repetitions) }
    let records = all.filter { complete[CaseInProcess($0)] != nil }
    if all.count > records.count {
      notes.append(
        "\(path): \(all.count - records.count) rows are dropped, because their "
          + "\(cases.count - complete.count) cases have fewer than \(repetitions) repetitions; these cases "
          + "are measured again")
    }
    return (records, notes)
  }
}

/// A key that groups the rows of a case by the process that measured them.
private struct CaseInProcess: Hashable {
  let name: String, process: Int?

  init(_ record: Record) { (name, process) = (record.name, record.process) }
}
