import BlurText
import Foundation

/// The records of all shards of a suite, checked and concatenated.
public struct Merge: Sendable {
  /// The records of all shards: first the records of the first shard, then the records of the second shard,
  /// and so on.
  public let records: [Record]
  private let shards: [ShardFile]

  /// Reads the records of shards, and checks that the shards belong together and that none is missing.
  ///
  /// - Parameter paths: The paths of `.csv` files that `blurbench run --shard` wrote, or of folders that
  ///   contain such files and no other tables.
  /// - Throws: A ``MeasurementError``, with the files or shards in the message, if one of the following
  ///   conditions is violated. All files come from the same suite, machine, build and division into shards.
  ///   No shard is missing or incomplete, and no shard, case or row occurs twice.
  public init(_ paths: [String]) throws(MeasurementError) {
    var files: [ShardFile] = []
    for (path, _) in try TextFile.tables(in: paths) { files.append(try ShardFile(at: path)) }
    guard !files.isEmpty else { throw .usage("merge needs at least one file from `blurbench run --shard`") }
    files.sort { $0.facts.shard.index < $1.facts.shard.index }
    for (file, next) in zip(files, files.dropFirst()) {
      try next.check(against: file)
      let shard = file.facts.shard
      guard shard != next.facts.shard else {
        throw .failed(
          "shard \(shard.text) is in two files, \(file.path) and \(next.path); leave out one of them")
      }
    }
    let count = files[0].facts.shard.count
    let found = Set(files.map(\.facts.shard.index))
    let missing = (0..<count).map { $0 + 1 }.filter { !found.contains($0) }
    let faults =
      missing.map { "shard \($0)/\(count) is missing" } + files.compactMap(\.incompleteness)
    guard faults.isEmpty else { throw .failed(faults.first(20).joined(separator: "; ")) }
    try Self.checkCases(of: files)
    records = files.flatMap(\.records)
    shards = files
  }

  /// Throws an error if two shards contain the same case.
  private static func checkCases(of files: [ShardFile]) throws(MeasurementError) {
    var paths: [String: String] = [:]
    for file in files {
      for name in Set(file.records.filter { !$0.isCopy }.map(\.name)) {
        guard let other = paths.updateValue(file.path, forKey: name) else { continue }
        throw .failed("\(name) is in two shards, \(other) and \(file.path)")
      }
    }
  }

  /// Writes FILE.csv, FILE.json and FILE.txt with the records and provenance of all shards.
  ///
  /// - Throws: ``MeasurementError/file(path:reason:)``, for example if one of the files exists already.
  public func write(to paths: RecordFiles.Paths) throws(MeasurementError) {
    if let existing = paths.all.first(where: { FileManager.default.fileExists(atPath: $0) }) {
      throw .file(path: existing, reason: "already exists; name another file")
    }
    let origin = shards[0].origin
    let provenance = shards.map { file in
      "# shard \(file.facts.shard.text), \(file.path.oneLine)\n"
        + file.origins.flatMap(\.lines).filter { !ShardFacts.keys.contains($0.key) }
        .map { "\($0.key): \($0.value)\n" }.joined()
    }
    try TextFile.write(RecordsCSV.text(records), to: paths.csv)
    let context = origin.context(machineKey: origin["machine key"])
    try TextFile.write(RecordsJSON.document(records, context: context), to: paths.json)
    try TextFile.write(provenance.joined(separator: "\n"), to: paths.txt)
  }
}

/// The records and the provenance of one shard.
private struct ShardFile {
  let path: String
  let facts: ShardFacts
  /// The provenance of the last run of the shard (`origin`), and the provenance of all its runs (`origins`):
  /// the first run and each run that resumed it.
  let origin: ProvenanceReader, origins: [ProvenanceReader]
  /// The rows of complete cases, and the rows of the memcpys that were timed with these cases.
  let records: [Record]
  /// A sentence that says how many cases are complete, or nil if all of them are.
  let incompleteness: String?

  /// Reads the CSV file of a shard, and the `.txt` file of the same name.
  init(at path: String) throws(MeasurementError) {
    guard let paths = try? RecordFiles.Paths(path) else {
      let kind = FileKind(text: try TextFile.text(at: path))
      throw .file(path: path, reason: "is \(kind.words(at: path))\(Self.needed)")
    }
    let (all, _) = try RecordsCSV.readWholeLines(at: path)
    let origins = ProvenanceReader.runs(try TextFile.text(at: paths.txt))
    guard let origin = origins.last, let facts = ShardFacts(origin) else {
      throw .file(path: paths.txt, reason: "does not describe a shard\(Self.needed)")
    }
    guard all.allSatisfy({ $0.machineKey == origin["machine key"] && $0.build == origin["program"] }) else {
      throw .file(path: path, reason: "has rows from a different machine or program than \(paths.txt) names")
    }
    let cases = Dictionary(grouping: all, by: \.name)
    records = all.filter { cases[$0.name]?.isComplete(repetitions: facts.repetitions) == true }
    let done = Set(records.filter { !$0.isCopy }.map(\.name)).count
    let left = all.count - records.count
    incompleteness =
      if done != facts.cases {
        "shard \(facts.shard.text) has \(done.of("complete case")) instead of \(facts.cases): \(path)"
      } else if left > 0 {
        "shard \(facts.shard.text) has \(left.of("row")) of cases that are not complete: \(path)"
      } else { nil }
    (self.path, self.facts, self.origin, self.origins) = (path, facts, origin, origins)
  }

  private static let needed = "; only records from `blurbench run --shard` can be merged"

  /// Throws an error if this file and the other file come from different suites, machines, programs or
  /// divisions into shards.
  func check(against other: ShardFile) throws(MeasurementError) {
    for key in ["suite hash", "machine key", "program"] where origin[key] != other.origin[key] {
      throw .file(
        path: path,
        reason: "cannot be merged with \(other.path), because the \(key) differs: "
          + "\(origin[key] ?? "none"), \(other.origin[key] ?? "none")")
    }
    guard facts.division == other.facts.division else {
      throw .file(
        path: path,
        reason: "does not belong to the same run as \(other.path): the number of shards, the cases or the "
          + "timing settings differ")
    }
  }
}
