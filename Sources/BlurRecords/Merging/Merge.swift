import BlurText

/// The records of several shards, joined into one set per machine.
public struct Merge: Sendable {
  /// The machines with their records, sorted by key.
  public let machines: [MergedMachine]
  /// Warnings, for example about files that were skipped.
  public let notes: [String]

  /// Reads and joins the records of shards.
  ///
  /// - Parameter paths: The paths of `.csv` files that `blurbench run --shard` wrote, or of folders that
  ///   contain such files. Other tables in the folders are skipped.
  /// - Throws: ``MeasurementError`` if the files cannot be merged: because they belong to different suites,
  ///   library revisions or plans, or because a case was measured twice with different results.
  public init(_ paths: [String]) throws(MeasurementError) {
    var files: [ShardFile] = []
    var notes: [String] = []
    for (path, isNamed) in try RecordPaths.tables(in: paths) {
      do throws(MeasurementError) {
        files.append(try ShardFile(at: path))
      } catch {
        if isNamed || Self.holdsShard(path) { throw error }
        notes.append("skipped: \(error)")
      }
    }
    guard let first = files.first else {
      throw .failed((["none of the files contains records of a shard"] + notes).joined(separator: "; "))
    }
    for file in files {
      try file.check(against: first)
      try files.first { $0.machineKey == file.machineKey }.map(file.check(against:))
    }
    let byMachine = Dictionary(grouping: files, by: \.machineKey).sorted { $0.key < $1.key }
    machines = try byMachine.map { (key, files) throws(MeasurementError) in try MergedMachine(key, files) }
    self.notes = notes + files.flatMap(\.notes)
  }

  /// Whether no records are missing: every machine has the records of all its cases.
  public var isComplete: Bool { machines.allSatisfy(\.missing.isEmpty) }

  /// The indices of the shards that have to be measured again on at least one machine, because cases are
  /// missing there. The first shard has index 1.
  public var missingShards: [Int] { Set(machines.flatMap(\.missingShards)).sorted() }

  /// Returns whether a file contains records from a shard. If such a file cannot be read, merging must fail
  /// instead of skipping the file.
  private static func holdsShard(_ path: String) -> Bool {
    guard let paths = try? RecordFiles.Paths(path), let text = try? TextFile.text(at: paths.txt),
      ProvenanceReader.runs(text).contains(where: ShardPlan.isOfShard)
    else { return false }
    return (try? TextFile.text(at: path))?.dropFirst(RecordsCSV.header.count).isEmpty == false
  }
}

/// The records of one machine, joined from the files of its shards.
public struct MergedMachine: Sendable {
  /// The machine's ``Machine/key``.
  public let key: String
  /// The records of all completely measured cases, in the order of the suite. A case usually has several
  /// records, one for each repetition. The cases of one workload are followed by the records of the memcpy
  /// that was measured together with them.
  public let records: [Record]
  /// The number of cases that the suite has on this machine. The suite also times memcpy, as a comparison for
  /// the blurs, but these measurements are not counted here.
  public let planned: Int
  /// The cases for which no file has a complete set of rows, in the suite's order.
  public let missing: [ShardPlan.Item]
  /// The files that were joined, each with its plan and its provenance.
  let sources: [(path: String, plan: ShardPlan, origins: [ProvenanceReader])]

  init(_ key: String, _ files: [ShardFile]) throws(MeasurementError) {
    let found = try Self.gathered(files)
    let plan = files[0].plan
    self.key = key
    planned = plan.items.count
    missing = plan.items.filter { found[$0.name] == nil }
    records = plan.rowNames.flatMap { found[$0] ?? [] }
    sources = files.map { ($0.path, $0.plan, $0.origins) }
  }

  /// The indices of the shards to which this machine's missing cases belong. The first shard has index 1.
  public var missingShards: [Int] { Set(missing.map(\.shard)).sorted() }

  /// The CPU's name.
  public var cpu: String { sources[0].origins[0]["cpu"] ?? "unknown CPU" }

  /// Returns the rows of each case. Identical rows in two files, for example in a file and its copy, count
  /// once.
  private static func gathered(_ files: [ShardFile]) throws(MeasurementError) -> [String: [Record]] {
    var found: [String: (file: String, rows: [Record])] = [:]
    var twice: [String] = []
    for file in files {
      for (name, rows) in file.cases.sorted(by: { $0.key < $1.key }) {
        if let earlier = found[name], RecordsCSV.lines(earlier.rows) != RecordsCSV.lines(rows) {
          twice.append("\(name) in \(earlier.file) and \(file.path)")
        } else {
          found[name] = (file.path, rows)
        }
      }
    }
    guard twice.isEmpty else {
      throw .failed(
        "these cases were measured twice with different results; leave out one of the files:\n  "
          + twice.first(20).joined(separator: "\n  "))
    }
    return found.mapValues(\.rows)
  }
}

extension ShardPlan {
  /// The names of all rows of the merged table, in order. The cases of each workload are followed by the
  /// memcpy that was measured alongside them.
  fileprivate var rowNames: [String] {
    var names: [String] = []
    var before: String?
    for item in items {
      let copy = (try? Case(name: item.name)).map { Case.copying($0.workload).name }
      if let before, before != copy { names.append(before) }
      before = copy
      names.append(item.name)
    }
    return names + [before].compactMap(\.self)
  }
}
