import BlurRecords
import Foundation

extension Site {
  /// Checks whether results can be published on the site, and returns a message for each fault. Each message
  /// begins with the name of a file.
  ///
  /// The following conditions are checked. Each file must state its program, machine and date. The program
  /// must have been built from a commit without uncommitted changes. All results must come from a single
  /// machine. Every case must have at least ten samples, and the machine must have been quiet. An error must
  /// be recorded for every blur, and no time may be impossibly short.
  ///
  /// - Parameter path: The folder of a machine, or one of the files in it. The file must come from the same
  ///   machine as the rest of the folder.
  /// - Throws: ``BlurRecords/MeasurementError`` if the folder cannot be read or holds no results.
  public static func faults(of path: String) throws(MeasurementError) -> [String] {
    var unreadable: [String] = []
    let isOne = path.hasSuffix(".csv") || path.hasSuffix(".json")
    if isOne && isAboutTheProgram(path) { return [] }
    let files = try isOne ? [ReportFile(at: path)] : files(of: path, &unreadable)
    guard !files.isEmpty || !unreadable.isEmpty else {
      throw .file(path: path, reason: "has no record files")
    }
    let faults = files.flatMap { file in file.faults.map { "\(file.path): \($0)" } }
    let folder = URL(filePath: path).deletingLastPathComponent().relativePath
    var others: [String] = []
    let all = isOne ? files + (try Self.files(of: folder, &others)) : files
    let machines = Set(all.flatMap(\.machines)).sorted()
    let mixed =
      machines.count > 1 ? ["\(path): records of several machines, \(machines.joined(separator: ", "))"] : []
    return unreadable + faults + mixed
  }
}

extension ReportFile {
  /// The smallest number of samples that can show how much a case varies.
  private static let fewestSamples = 10
  /// The largest fraction of samples that may be disturbed. Up to this fraction, medians are still reliable.
  private static let disturbedShare = 0.25
  /// The smallest credible ratio of the time of a blur to the time of a memcpy. A blur reads and writes every
  /// byte of the image, as a memcpy does, so it cannot be much faster than a memcpy.
  private static let leastMemcpyRatio = 0.5

  /// The machine key of each record in the file, which identifies the machine on which the record was
  /// measured.
  fileprivate var machines: [String] {
    guard case .records(let records, _) = content else { return [] }
    return records.map(\.machineKey)
  }

  fileprivate var faults: [String] {
    guard case .records(let records, _) = content else { return originFaults }
    return originFaults + Self.faults(of: records)
  }

  private var originFaults: [String] {
    let missing = ["date", "command", "cpu", "compiler", "git revision"].filter { provenance[$0] == nil }
    guard missing.isEmpty else {
      return ["the .txt file next to it lacks these keys: \(missing.joined(separator: ", "))"]
    }
    let revisions = provenance.lines.filter { $0.key == "git revision" }.map(\.value)
    let isClean = !revisions.contains { $0.contains("uncommitted") }
    let isCommit = { (text: String) in
      let hash = text.prefix { $0 != "," }
      return hash.count == 40 && hash.allSatisfy { "0123456789abcdef".contains($0) }
    }
    return [
      isClean ? nil : "measured by a build with uncommitted changes",
      revisions.first { !isCommit($0) }.map { "the git revision is not a commit: \($0)" },
      name.hasPrefix(day) ? nil : "the name must begin with the date of the run, \(day)",
    ].compactMap(\.self)
  }

  private static func faults(of records: [Record]) -> [String] {
    let measured = records.filter(\.isMeasured)
    let few = measured.inGroups(by: \.item).filter { item, samples in
      !item.workload.isOfFrames && samples.count < fewestSamples
    }
    let blurs = measured.filter { !$0.isCopy }
    return [
      measured.isEmpty ? "nothing was measured" : nil,
      few.first.map {
        "\(few.count) cases have fewer than \(fewestSamples) samples, the first: \($0.0.name)"
      },
      measured.disturbedShare > disturbedShare ? measured.disturbanceNote : nil,
      !measured.isEmpty && measured.allSatisfy { $0.disturbance.isQuiet == nil }
        ? "no sample says whether the machine was quiet (column quiet)" : nil,
      blurs.first { $0.maxErrorLevels?.isFinite != true }.map { "no error was recorded: \($0.name)" },
      blurs.first { $0.memcpyRatio.map { $0 < leastMemcpyRatio } ?? false }
        .map { "this time is impossible, because a memcpy takes longer: \($0.name)" },
    ].compactMap(\.self)
  }
}
