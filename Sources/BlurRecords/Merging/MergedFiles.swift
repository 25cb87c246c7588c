import Blur
import BlurText
import Foundation

extension Merge {
  /// Writes FILE.csv, FILE.json and FILE.txt for each machine, where FILE is the machine's key.
  ///
  /// - Parameters:
  ///   - folder: The folder for the files. It is created if it does not exist.
  ///   - replacing: Whether existing files may be replaced.
  /// - Returns: The paths of the CSV files, one for each machine.
  /// - Throws: ``MeasurementError/file(path:reason:)``.
  public func write(to folder: String, replacing: Bool) throws(MeasurementError) -> [String] {
    let places = try machines.map { (machine) throws(MeasurementError) in
      try RecordFiles.Paths(URL(filePath: folder).appending(path: machine.fileName + ".csv").relativePath)
    }
    let existing = places.flatMap(\.all).first { FileManager.default.fileExists(atPath: $0) }
    if let existing, !replacing {
      throw .file(
        path: existing, reason: "already exists; use --replace to overwrite it, or name another folder")
    }
    do { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) } catch {
      throw .file(path: folder, reason: "cannot be created: \(error.localizedDescription)")
    }
    for (machine, paths) in zip(machines, places) {
      try TextFile.write(RecordsCSV.header + RecordsCSV.lines(machine.records), to: paths.csv)
      let context = machine.sources[0].origins[0].context(machineKey: machine.key)
      try TextFile.write(RecordsJSON.document(machine.records, context: context), to: paths.json)
      try TextFile.write(machine.provenance, to: paths.txt)
    }
    return places.map(\.csv)
  }
}

extension MergedMachine {
  /// The key of the machine in a form that is safe as a file name. Different keys have different file names.
  var fileName: String {
    let isPlain = { (letter: Character) in
      letter.isASCII && (letter.isLetter || letter.isNumber || letter == "-")
    }
    if !key.isEmpty, key.count <= 100, key.allSatisfy(isPlain) { return key }
    return key.prefix(50).filter(isPlain) + "_" + FNV1a(of: key).digits
  }

  /// The provenance of all joined runs, without the lines of their shard plans.
  var provenance: String {
    let blocks = sources.map { source in
      let lines = source.origins.flatMap(\.lines).filter { !ShardPlan.isPlan($0) }
      return "# shard \(source.plan.shard.text), \(source.path.oneLine)\n"
        + lines.map { "\($0.key): \($0.value)\n" }.joined()
    }
    return "merged: \(planned - missing.count) of \(planned) cases, \(sources.count) files\n"
      + blocks.map { "\n" + $0 }.joined()
  }
}

// MARK: Summaries as text and JSON

extension Merge {
  /// A summary of the joined files and the missing cases, as text.
  public var text: String {
    machines.map { machine in
      let done = machine.planned - machine.missing.count
      let head =
        "\(machine.key)  \(machine.cpu): \(done) of \(machine.planned) cases, "
        + "\(machine.sources.count) files\n"
      guard !machine.missing.isEmpty else { return head }
      let names = machine.missing.map { "\($0.name) (shard \($0.shard))" }.first(20)
      return head + "  missing, in shards \(machine.missingShards.map(String.init).listed):\n"
        + names.map { "    \($0)\n" }.joined()
    }.joined()
  }

  /// Returns the summary as one JSON object.
  public func json() throws -> String {
    try JSONDocument.text(of: Summary(isComplete: isComplete, machines: machines.map(Summary.Part.init)))
  }

  private struct Summary: Encodable {
    let isComplete: Bool
    let machines: [Part]

    struct Part: Encodable {
      let machineKey: String, cpu: String
      let planned: Int, files: [String], missing: [String], missingShards: [Int]

      init(_ machine: MergedMachine) {
        (machineKey, cpu, planned) = (machine.key, machine.cpu, machine.planned)
        files = machine.sources.map(\.path)
        missing = machine.missing.map(\.name)
        missingShards = machine.missingShards
      }
    }
  }
}
