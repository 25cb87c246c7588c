import BlurText
import BlurWisdom
import Foundation

/// The runs that are stored on this machine: the last run of each suite, and runs that were saved under a
/// name.
///
/// A run that was saved under a name is a ``Baseline``. It includes the program and the external kernels of
/// the run, so that its cases can be measured again, side by side with the same cases of another build.
public struct SavedRuns: Sendable {
  private let folder: URL

  /// Gives access to the runs in the folder `blurbench` of the user's state folder (`XDG_STATE_HOME`).
  /// Returns nil if the state folder is unknown.
  ///
  /// - Parameter environment: A closure that returns the value of an environment variable.
  package init?(_ environment: (String) -> String? = SystemFile.environment) {
    let states = environment("XDG_STATE_HOME") ?? environment("HOME").map { $0 + "/.local/state" }
    guard let states else { return nil }
    folder = URL(filePath: states).appending(path: "blurbench")
  }

  // MARK: Baselines

  /// The names of all baselines, sorted.
  public var names: [String] {
    let all = try? FileManager.default.contentsOfDirectory(atPath: baselines.path)
    return (all ?? []).filter { FileManager.default.isExecutableFile(atPath: program(of: $0)) }.sorted()
  }

  /// Loads the baseline with the given name.
  ///
  /// - Throws: ``MeasurementError/usage(_:)`` with a list of the existing names if there is no such baseline,
  ///   or an error from reading the files.
  public func baseline(_ name: String) throws(MeasurementError) -> Baseline {
    let names = names
    guard names.contains(name) else {
      guard !FileManager.default.fileExists(atPath: name) else {
        throw .usage("'\(name)' is a file; name a second file to compare it with: BASE HEAD")
      }
      let known =
        names.isEmpty
        ? "none has been saved; `blurbench run --save NAME` saves one"
        : "the saved baselines are \(names.listed)"
      throw .usage(
        "there is no baseline '\(name)' (\(known)); to compare without a baseline, name two builds, "
          + "libraries or record files")
    }
    let folder = baselines.appending(path: name)
    let table = folder.appending(path: Self.table).path
    let saved = folder.appending(path: Self.kernels)
    // The file `kernels.json` is missing in baselines that an older version of the program saved. These
    // baselines have no external kernels.
    let origins = try (try? Data(contentsOf: saved)).map { (data) throws(MeasurementError) in
      do { return try JSONDecoder().decode(ExternalKernels.self, from: data) } catch {
        throw .file(path: saved.path, reason: "cannot be read; save the baseline again")
      }
    }
    let copies = origins?.replacing { path, kind, index in Self.copy(of: path, kind, index, in: folder).path }
    return Baseline(
      name: name, program: program(of: name), kernels: copies ?? ExternalKernels(),
      origins: origins ?? ExternalKernels(),
      records: try RecordsCSV.read(at: table))
  }

  private static let table = "run.csv", kernels = "kernels.json"

  /// Returns the path of the program that was saved with a baseline.
  private func program(of name: String) -> String {
    baselines.appending(path: name).appending(path: "blurbench").path
  }

  /// Returns the location of the copy of a file with external kernels. The copy keeps the file's name,
  /// because Python identifies a module by its file name.
  private static func copy(of path: String, _ kind: String, _ index: Int, in folder: URL) -> URL {
    folder.appending(path: "\(kind)-\(index)").appending(path: URL(filePath: path).lastPathComponent)
  }

  /// Checks that a name is valid for a baseline, which is stored in a folder of that name.
  ///
  /// - Throws: ``MeasurementError/usage(_:)`` if the name is invalid.
  public static func check(_ name: String) throws(MeasurementError) {
    guard name.wholeMatch(of: /[A-Za-z0-9_][A-Za-z0-9._-]{0,63}/) == nil else { return }
    throw .usage(
      "--save '\(name)': a name may have up to 64 letters, digits, '.', '_' and '-', and must not begin with "
        + "'.' or '-'")
  }

  /// Saves records and the program that measured them. A baseline with the same name is replaced.
  ///
  /// - Parameters:
  ///   - program: The location of the program's file.
  ///   - kernels: The files with external kernels that the program loaded. These files are copied as well.
  /// - Throws: ``MeasurementError/file(path:reason:)``.
  public func save(
    _ records: [Record], provenance: String, program: URL, kernels: ExternalKernels = ExternalKernels(),
    as name: String
  ) throws(MeasurementError) {
    try Self.check(name)
    let target = baselines.appending(path: name)
    let new = baselines.appending(path: ".\(name).\(ProcessInfo.processInfo.processIdentifier)")
    do {
      let files = FileManager.default
      try files.createDirectory(at: new, withIntermediateDirectories: true)
      defer { try? files.removeItem(at: new) }
      try RecordsCSV.text(records).write(
        to: new.appending(path: Self.table), atomically: true, encoding: .utf8)
      try provenance.write(to: new.appending(path: "run.txt"), atomically: true, encoding: .utf8)
      try files.copyItem(at: program.resolvingSymlinksInPath(), to: new.appending(path: "blurbench"))
      let origins = try kernels.replacing { path, kind, index in
        let copy = Self.copy(of: path, kind, index, in: new)
        try files.createDirectory(at: copy.deletingLastPathComponent(), withIntermediateDirectories: true)
        try files.copyItem(at: URL(filePath: path).resolvingSymlinksInPath(), to: copy)
        return URL(filePath: path).standardizedFileURL.path
      }
      try Data(JSONDocument.line(of: origins).utf8).write(to: new.appending(path: Self.kernels))
      try? files.removeItem(at: target)
      try files.moveItem(at: new, to: target)
    } catch {
      throw .file(path: target.path, reason: "cannot be written: \(error.localizedDescription)")
    }
  }

  // MARK: The last run

  /// Returns the most recent records of a suite's cases, and the time at which they were last updated, or nil
  /// if there are no readable records.
  public func last(of suite: String) -> (records: [Record], date: Date)? {
    let path = lastFile(of: suite).path
    guard let records = try? RecordsCSV.read(at: path),
      let date = try? FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
    else { return nil }
    return (records, date)
  }

  /// Stores the records of a run. They replace older stored records of the same cases. Stored records of
  /// other cases are kept if they come from the same machine, and deleted if they come from another machine.
  public func keepLast(_ records: [Record], of suite: String) throws(MeasurementError) {
    let file = lastFile(of: suite)
    let (names, machines) = (Set(records.map(\.name)), Set(records.map(\.machineKey)))
    let others = (last(of: suite)?.records ?? []).filter {
      !names.contains($0.name) && machines.contains($0.machineKey)
    }
    try? FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try TextFile.write(RecordsCSV.text(records + others), to: file.path)
  }

  private var baselines: URL { folder.appending(path: "baselines") }

  /// Returns the location of the records of the suite's last run. The file is named after the suite, but
  /// every character that is not an ASCII letter or digit is replaced by a hyphen.
  private func lastFile(of suite: String) -> URL {
    let name = String(suite.prefix(64).map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" })
    return folder.appending(path: "last").appending(path: name + ".csv")
  }
}
