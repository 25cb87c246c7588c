import Foundation
import TestSupport
import Testing

@testable import BlurRecords

@Suite("Record files")
struct RecordFileTests {
  func open(
    _ folder: URL, resume: Bool = false, repetitions: Int = 3, key: String = "feed", build: String = ""
  ) throws -> RecordFiles {
    try RecordFiles(
      RecordFiles.Paths(folder.appendingPathComponent("r.csv").path), resume: resume,
      repetitions: repetitions, machineKey: key, build: build, context: .object([("date", .string("today"))]),
      provenance: "cpu: some\n")
  }

  func text(_ folder: URL, _ end: String) throws -> String {
    try String(contentsOf: folder.appendingPathComponent("r.\(end)"), encoding: .utf8)
  }

  func write(_ text: String, _ folder: URL) throws {
    try Data(text.utf8).write(to: folder.appendingPathComponent("r.csv"))
  }

  /// Checks that both files are complete, and returns the rows of the CSV file and the number of runs in the
  /// JSON file.
  func rows(_ folder: URL) throws -> (csv: [Record], json: Int) {
    let json = try JSONSerialization.jsonObject(with: Data(try text(folder, "json").utf8))
    let runs = try #require((json as? [String: Any])?["benchmarks"] as? [Any])
    return (try RecordsCSV.read(try text(folder, "csv"), path: "r.csv"), runs.count)
  }

  static func jobs() throws -> [Job] {
    [try Fixture.job("steady", "refusing"), try Fixture.job("steady", sigma: 5)]
  }

  @Test("A resumed run continues only the records of its own build")
  func builds() throws {
    try Scratch.folder { folder in
      var records = try Fixture.records([try Fixture.job("steady")])[0]
      for (build, other, isRefused) in [
        ("one", "two", true), ("one", "one", false), ("", "two", true), ("", "", false),
      ] {
        for index in records.indices { records[index].build = build }
        try write(RecordsCSV.text(records), folder)
        guard isRefused else {
          #expect(try open(folder, resume: true, build: other).kept == records)
          continue
        }
        let error = #expect(throws: MeasurementError.self) { try open(folder, resume: true, build: other) }
        #expect(error?.description.contains("another build") == true)
      }
    }
  }

  @Test("Both files are complete after each append, so a killed run keeps what it measured")
  func wholeAtEachMoment() throws {
    try Scratch.folder { folder in
      let files = try open(folder)
      #expect(try rows(folder).csv.isEmpty)
      var all: [Record] = []
      for records in try Fixture.records(try Self.jobs()) {
        try files.append(records)
        all += records
        let now = try rows(folder)
        #expect(now.csv == all)
        #expect(now.json == all.filter { !$0.isSkipped }.count)
      }
      #expect(try text(folder, "txt") == "cpu: some\n")
    }
  }

  @Test("Existing files are not overwritten", arguments: ["csv", "json", "txt"])
  func existing(end: String) throws {
    try Scratch.folder { folder in
      let file = folder.appendingPathComponent("r.\(end)")
      try Data("precious".utf8).write(to: file)
      let error = #expect(throws: MeasurementError.self) { _ = try open(folder) }
      #expect(error?.description.contains("--resume") == true)
      #expect(try String(contentsOf: file, encoding: .utf8) == "precious")
    }
  }

  @Test("A resumed run keeps complete cases and continues both files")
  func resume() throws {
    try Scratch.folder { folder in
      let jobs = try Self.jobs()
      let records = try Fixture.records(jobs)
      do { try open(folder).append(records[0]) }
      let files = try open(folder, resume: true)
      #expect(files.kept == records[0] && files.notes.isEmpty)
      #expect(files.kept.names(inProcess: nil) == Set(records[0].map(\.name)))
      for rest in try Fixture.records(jobs, done: files.kept.names(inProcess: nil)) { try files.append(rest) }
      let now = try rows(folder)
      #expect(now.csv.map(\.name) == records.joined().map(\.name))
      #expect(now.json == 12)
      #expect(try text(folder, "txt").components(separatedBy: "cpu: some").count == 3)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 3)
    }
  }

  @Test("Two runs cannot write to one file, and the first run goes on")
  func claimed() throws {
    try Scratch.folder { folder in
      let records = try Fixture.records(try Self.jobs())
      var files: RecordFiles? = try open(folder)
      for resumed in [false, true] {
        let error = #expect(throws: MeasurementError.self) { _ = try open(folder, resume: true) }
        #expect(error?.description.contains("another run is writing this file") == true, "\(error as Any)")
        try files?.append(records[resumed ? 1 : 0])
        files = nil
        files = try open(folder, resume: true)
      }
      #expect(files?.kept == Array(records.joined()))
    }
  }

  @Test("A file that was replaced after it was opened cannot be claimed")
  func replaced() throws {
    try Scratch.folder { folder in
      let path = folder.appendingPathComponent("f").path
      let other = folder.appendingPathComponent("g").path
      for name in [path, other] { try Data("old".utf8).write(to: URL(filePath: name)) }
      let descriptor = Foundation.open(path, O_RDWR)
      defer { close(descriptor) }
      rename(other, path)
      #expect(throws: MeasurementError.self) { try FileClaim.check(descriptor, path) }
      #expect(throws: Never.self) { _ = try FileClaim(path) }
    }
  }

  /// Returns the device and the inode number of a file or folder, or nil if it does not exist.
  private static func identity(of path: String) -> (device: dev_t, inode: ino_t)? {
    var status = stat()
    return stat(path, &status) == 0 ? (status.st_dev, status.st_ino) : nil
  }

  /// Two folders on different devices that have the same inode number, or nil if none are known. On Linux,
  /// the top folder of many virtual file systems has the inode number 1.
  private static let twoDevices: (String, String)? = {
    guard let first = identity(of: "/proc"), let second = identity(of: "/sys") else { return nil }
    return first.inode == second.inode && first.device != second.device ? ("/proc", "/sys") : nil
  }()

  @Test(
    "A file on another device is another file, even if it has the same inode number",
    .enabled(if: twoDevices != nil, "no two file systems are known whose top folders have the same number"))
  func otherDevice() throws {
    let (path, other) = try #require(Self.twoDevices)
    let descriptor = Foundation.open(path, O_RDONLY)
    defer { close(descriptor) }
    #expect(throws: Never.self) { try FileClaim.check(descriptor, path) }
    #expect(throws: MeasurementError.self) { try FileClaim.check(descriptor, other) }
  }

  @Test("Resuming without existing files starts from the beginning")
  func resumeNothing() throws {
    try Scratch.folder { folder in
      let files = try open(folder, resume: true)
      let now = try rows(folder)
      #expect(files.kept.isEmpty && now.json == 0)
    }
  }

  @Test("A file cut at any byte is repaired and keeps exactly the complete cases")
  func truncated() throws {
    let records = try Fixture.records(try Self.jobs())
    let whole = RecordsCSV.text(Array(records.joined()))
    let ends = whole.utf8.enumerated().filter { $0.element == UInt8(ascii: "\n") }.map(\.offset)
    for cut in Set(ends.flatMap { [$0 - 7, $0, $0 + 1] } + [0, 5]) where cut <= whole.utf8.count {
      try Scratch.folder { folder in
        try write(String(decoding: Array(whole.utf8)[..<cut], as: UTF8.self), folder)
        let files = try open(folder, resume: true)
        let now = try rows(folder)
        #expect(now.csv == files.kept)
        // The number of complete lines before the cut, not counting the header. A case that was measured has
        // three lines, and a case that was skipped has one. A line is complete even if it lacks its line
        // break, except for the header.
        let isWhole = cut == 0 || ends.contains(cut - 1) || ends.dropFirst().contains(cut)
        let lines = max(0, ends.filter { $0 <= cut }.count - 1)
        let cases = [(3, 3), (4, 4), (7, 7), (10, 10), (13, 13)].last { $0.0 <= lines }?.1 ?? 0
        #expect(files.kept.count == cases, "cut at byte \(cut): \(lines) lines")
        #expect(files.notes.contains { $0.contains("incomplete") } == !isWhole)
      }
    }
  }

  @Test(
    "A resumed run keeps the cases of a file whose lines end with a carriage return",
    arguments: ["\r", "\r\n"])
  func carriageReturns(end: String) throws {
    let records = try Fixture.records(try Self.jobs())
    try Scratch.folder { folder in
      try write(RecordsCSV.text(Array(records.joined())).replacing("\n", with: end), folder)
      #expect(try open(folder, resume: true).kept == Array(records.joined()))
    }
  }

  @Test("Cases with too few repetitions are measured again, and a note says so")
  func moreRepetitions() throws {
    try Scratch.folder { folder in
      do { try open(folder).append(try Fixture.records(try Self.jobs())[0]) }
      let files = try open(folder, resume: true, repetitions: 5)
      #expect(files.kept.map(\.isSkipped) == [true])
      #expect(files.notes.contains { $0.contains("6 rows are dropped, because their 2 cases") })
    }
  }

  @Test("Records of another machine and other kinds of files are rejected and left unchanged")
  func otherMachine() throws {
    try Scratch.folder { folder in
      do { try open(folder).append(try Fixture.records(try Self.jobs())[0]) }
      let before = try text(folder, "csv")
      let other = #expect(throws: MeasurementError.self) {
        _ = try open(folder, resume: true, key: "beef")
      }
      #expect(other?.description.contains("another machine") == true)
      #expect(try text(folder, "csv") == before)
      try write("some,other\n1,2\n", folder)
      #expect(throws: MeasurementError.self) { _ = try open(folder, resume: true) }
      #expect(try text(folder, "csv") == "some,other\n1,2\n")
    }
  }

  @Test("The error for a missing folder names the file")
  func missingFolder() throws {
    try Scratch.folder { folder in
      let error = #expect(throws: MeasurementError.self) {
        _ = try open(folder.appendingPathComponent("missing"))
      }
      #expect(error?.description.contains("missing/r.csv: No such file") == true, "\(error as Any)")
    }
  }

  @Test("The name of an output file must end with .csv", arguments: ["r", "r.json", ".csv", "csv"])
  func names(path: String) {
    let error = #expect(throws: MeasurementError.self) { _ = try RecordFiles.Paths(path) }
    #expect(error?.isUsage == true)
  }

  @Test("Appended text is synced to the disk, and is removed again if the disk reports an error")
  func disk() throws {
    try Scratch.folder { folder in
      let path = folder.appendingPathComponent("f").path
      nonisolated(unsafe) var synced: [String] = []
      nonisolated(unsafe) var failure: Int32 = 0
      let sync: (Int32) -> Int32 = { descriptor in
        var info = stat()
        fstat(descriptor, &info)
        let isFolder = info.st_mode & S_IFMT == S_IFDIR
        synced.append(isFolder ? "/" : (try? String(contentsOfFile: path, encoding: .utf8)) ?? "")
        errno = failure
        return failure == 0 ? 0 : -1
      }
      let file = try AppendFile(new: path, head: "a", tail: "z", sync: sync)
      try file.append("b")
      // The folder is synced as well. Otherwise a crash could leave no file with this name.
      #expect(synced == ["az", "/", "abz"])
      failure = EIO
      let error = #expect(throws: MeasurementError.self) { try file.append("c") }
      #expect(error?.description == "\(path): cannot be written: Input/output error")
      #expect(try String(contentsOfFile: path, encoding: .utf8) == "abz")
      // Syncing fails with EINVAL on file systems that do not support it, so this error is ignored.
      failure = EINVAL
      try file.append("d")
      #expect(try String(contentsOfFile: path, encoding: .utf8) == "abdz")
    }
  }

  @Test(
    "Text that does not fit on the disk is removed again, and the file stays complete",
    arguments: [0, 1, 40, 99])
  func fullDisk(room: Int) throws {
    try Scratch.folder { folder in
      let path = folder.appendingPathComponent("f").path
      nonisolated(unsafe) var left = Int.max
      let file = try AppendFile(new: path, head: "{[1", tail: "]}\n") { descriptor, bytes, offset in
        if left < bytes.count && offset + bytes.count > 40 {
          errno = ENOSPC
          if left == 0 { return -1 }
          defer { left = 0 }
          return pwrite(descriptor, bytes.baseAddress, left, offset)
        }
        return pwrite(descriptor, bytes.baseAddress, bytes.count, offset)
      }
      try file.append(",2")
      left = room
      let error = #expect(throws: MeasurementError.self) {
        try file.append("," + String(repeating: "3", count: 100))
      }
      #expect(error?.description == "\(path): cannot be written: No space left on device")
      #expect(try String(contentsOfFile: path, encoding: .utf8) == "{[1,2]}\n")
      left = .max
      try file.append(",4")
      #expect(try String(contentsOfFile: path, encoding: .utf8) == "{[1,2,4]}\n")
    }
  }
}
