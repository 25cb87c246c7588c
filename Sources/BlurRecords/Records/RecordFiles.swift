import BlurText
import Foundation

/// The three files of a run: FILE.csv and FILE.json, which are whole after every append, and FILE.txt, the
/// provenance.
public final class RecordFiles {
  /// What went on from an earlier run.
  public let kept: [Record]
  /// Warnings about the earlier run's file, such as a repaired line.
  public let notes: [String]

  private let csv: AppendFile
  private let json: AppendFile
  private var document = RecordsJSON()

  /// Where the files are: `path` ends with `.csv`, and the others stand beside it.
  public struct Paths: Equatable, Sendable {
    public let csv: String, json: String, txt: String

    /// - Throws: ``MeasurementError/usage(_:)`` unless `path` ends with `.csv`.
    public init(_ path: String) throws(MeasurementError) {
      guard path.hasSuffix(".csv"), path != ".csv" else {
        throw .usage("--output '\(path)': must end with .csv; FILE.json and FILE.txt are written beside it")
      }
      csv = path
      json = path.dropLast(4) + ".json"
      txt = path.dropLast(4) + ".txt"
    }

    var all: [String] { [csv, json, txt] }
  }

  /// Begins new files, or goes on with old ones.
  ///
  /// - Parameters:
  ///   - resume: whether the file may exist. Then complete cases are ``kept`` and the others dropped.
  ///   - repetitions: how many samples a complete case has.
  ///   - build: the program that measures: records of another one are not gone on with.
  ///   - context: the context of the JSON document.
  ///   - provenance: the text of FILE.txt; a resumed run's is added to the earlier one's.
  /// - Throws: ``MeasurementError/file(path:reason:)``, also when another run is writing the files.
  public init(
    _ paths: Paths, resume: Bool, repetitions: Int, machineKey: String, build: String, context: JSONText,
    provenance: String
  ) throws(MeasurementError) {
    var earlier = EarlierRecords()
    var text = provenance
    var claim: FileClaim?
    defer { withExtendedLifetime(claim) {} }
    if resume && FileManager.default.fileExists(atPath: paths.csv) {
      claim = try FileClaim(paths.csv)
      earlier = try EarlierRecords(
        at: paths.csv, repetitions: repetitions, machineKey: machineKey, build: build)
      text = ((try? TextFile.text(at: paths.txt)) ?? "") + "\n# resumed\n" + text
    } else if let existing = paths.all.first(where: { FileManager.default.fileExists(atPath: $0) }) {
      throw .file(path: existing, reason: "exists already; --resume goes on with it, or name another file")
    }
    kept = earlier.records
    notes = earlier.notes
    // New files take the place of old ones at once, so that a failure here leaves the old ones whole.
    let fresh = paths.all.map { resume ? $0 + ".new" : $0 }
    if resume { for path in fresh { try? FileManager.default.removeItem(atPath: path) } }
    csv = try AppendFile(new: fresh[0], head: RecordsCSV.header + RecordsCSV.lines(kept))
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

  /// Adds the records of complete cases to both files.
  ///
  /// - Throws: ``MeasurementError/file(path:reason:)``; what was appended before stays readable.
  public func append(_ records: [Record]) throws(MeasurementError) {
    try csv.append(RecordsCSV.lines(records))
    try json.append(document.runs(records))
  }
}

/// What rows of one process and case have in common.
private struct CaseInProcess: Hashable {
  let name: String, process: Int?

  init(_ record: Record) { (name, process) = (record.name, record.process) }
}

/// What a killed run left in its CSV file.
private struct EarlierRecords {
  var records: [Record] = []
  var notes: [String] = []

  init() {}

  init(at path: String, repetitions: Int, machineKey: String, build: String) throws(MeasurementError) {
    let (all, isTruncated) = try RecordsCSV.readWholeLines(at: path)
    if isTruncated { notes.append("\(path): \(RecordsCSV.truncated)") }
    if let other = all.first(where: { $0.machineKey != machineKey }) {
      throw .file(
        path: path,
        reason: "was measured on another machine (key \(other.machineKey), here \(machineKey)); "
          + "name another file")
    }
    if let other = all.builds.first(where: { $0 != build }) {
      throw .file(
        path: path,
        reason:
          "was measured by another build (\(other.isEmpty ? BuildIdentity.unknown : other), this is "
          + "\(build)): times of two builds do not belong into one file; name another file, "
          + "and compare the two")
    }
    let cases = Dictionary(grouping: all, by: CaseInProcess.init)
    let complete = cases.filter { $0.value.isComplete(repetitions: repetitions) }
    records = all.filter { complete[CaseInProcess($0)] != nil }
    if all.count > records.count {
      notes.append(
        "\(path): \(all.count - records.count) rows of \(cases.count - complete.count) cases with fewer than "
          + "\(repetitions) repetitions are dropped, and measured again")
    }
  }
}
