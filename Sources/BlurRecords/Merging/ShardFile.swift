import BlurText

/// The output of one shard: the records that it has measured so far, and its plan.
struct ShardFile {
  let path: String
  let plan: ShardPlan
  /// The provenance of the shard's run and of each run that resumed it.
  let origins: [ProvenanceReader]
  /// The key of the machine on which the records were measured, taken from the last run's provenance.
  let machineKey: String
  /// The records of each case that does not have to be measured again, by the name of the case. The
  /// dictionary also contains the records of the memcpys with which the blurs are compared. Each memcpy
  /// counts as a case with its own name.
  let cases: [String: [Record]]
  /// Warnings, for example about incomplete cases.
  let notes: [String]

  /// Reads the records of a shard from the CSV file at `path`, and the shard plan from the .txt file of the
  /// same name. The plan states which shard measures which cases.
  ///
  /// - Throws: ``MeasurementError/file(path:reason:)`` if there is no shard plan, or the records do not match
  ///   it.
  init(at path: String) throws(MeasurementError) {
    guard let paths = try? RecordFiles.Paths(path) else {
      let kind = FileKind(text: try TextFile.text(at: path))
      throw .file(
        path: path,
        reason: "is \(kind.words), and its name does not end with .csv; only records from "
          + "`blurbench run --shard` can be merged")
    }
    let (records, isTruncated) = try RecordsCSV.readWholeLines(at: path)
    let origins = ProvenanceReader.runs(try TextFile.text(at: paths.txt))
    guard let last = origins.last, let plan = try Self.plan(last, paths.txt), let key = last["machine key"]
    else {
      throw .file(
        path: paths.txt,
        reason: "has no line that begins with 'shard: '; only records from `blurbench run --shard` can be "
          + "merged")
    }
    let cases = Dictionary(grouping: records, by: \.name)
    try Self.check(records, plan, key, path)
    let complete = cases.filter { $0.value.isComplete(repetitions: plan.repetitions) }
    var notes = isTruncated ? ["\(path): \(RecordsCSV.truncated)"] : []
    if complete.count < cases.count {
      notes.append(
        "\(path): \(cases.count - complete.count) cases are incomplete: they have fewer than "
          + "\(plan.repetitions) repetitions")
    }
    (self.path, self.plan, self.origins, machineKey) = (path, plan, origins, key)
    (self.cases, self.notes) = (complete, notes)
  }

  private static func plan(_ origin: ProvenanceReader, _ path: String) throws(MeasurementError) -> ShardPlan?
  {
    do { return try ShardPlan(origin) } catch { throw .file(path: path, reason: error.description) }
  }

  /// Checks that every row was measured on the given machine and belongs to a workload of this shard.
  private static func check(
    _ records: [Record], _ plan: ShardPlan, _ key: String, _ path: String
  ) throws(MeasurementError) {
    let own = plan.items.filter { $0.shard == plan.shard.index }.map(\.name)
    let expected = Set(own + own.compactMap { try? Case(name: $0) }.map { Case.copying($0.workload).name })
    for record in records {
      guard record.machineKey == key else {
        throw .file(
          path: path,
          reason: "\(record.name) was measured on machine \(record.machineKey), but the .txt file of the "
            + "same name states \(key)")
      }
      guard expected.contains(record.name) else {
        throw .file(path: path, reason: "\(record.name) is not a case of shard \(plan.shard.text)")
      }
    }
  }

  /// Returns the keys whose values must be the same in the provenance of this file and of the other file.
  ///
  /// The Git revision must be the same only if the files were measured by different programs. Files of a
  /// single program may report different revisions, because the sources can change after the program was
  /// built.
  private func common(with other: ShardFile) -> [String] {
    let isOneProgram = Set((origins + other.origins).map { $0["program"] ?? "none" }).count == 1
    return ["suite hash", "kernels revision"] + (isOneProgram ? [] : ["git revision"])
  }

  /// Throws an error if the two files come from different suites or library revisions. Files from the same
  /// machine must also come from the same build and belong to the same shard plan.
  func check(against other: ShardFile) throws(MeasurementError) {
    for key in common(with: other) {
      let values = Set((origins + other.origins).map { $0[key] ?? "none" })
      guard values.count == 1 else {
        throw .file(
          path: path,
          reason: "cannot be merged with \(other.path), because the \(key) differs: "
            + values.sorted().listed)
      }
    }
    let builds = (Array(cases.values.joined()) + other.cases.values.joined()).builds
    guard machineKey != other.machineKey || builds.count <= 1 else {
      throw .file(
        path: path,
        reason: "was measured with another build of the program than \(other.path), on the same machine: "
          + builds.listed)
    }
    guard machineKey != other.machineKey || plan.isSame(as: other.plan) else {
      throw .file(
        path: path,
        reason:
          "belongs to another shard plan than \(other.path): the number of shards, the cases or the "
          + "repetitions differ")
    }
  }
}
