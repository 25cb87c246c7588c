import BlurServer
import Foundation
import TestSupport
import Testing

@testable import BlurComparison
@testable import BlurMeasurement
@testable import BlurRecords

@Suite("The command `compare`")
struct CompareTests {
  /// Options that measure one tiny case very briefly, because these tests check results and not times.
  static let small = [
    "--format", "gray8", "--size", "64x48", "--sigma", "2", "--edge", "clamp", "--threads", "1", "--isa",
    "baseline", "--filter", "size=64x48", "--pairs", "6", "--rounds", "2", "--min-time", "0.0001", "--budget",
    "2",
  ]

  /// Options that record a few times of this case without its certificate, because these tests check how
  /// records are compared.
  static let brief =
    ["run", "--kernel", "simd", "--min-time", "0.0001", "--certify-seconds", "0"] + small.dropLast(8)

  private func object(_ command: Command) throws -> [String: Any] {
    let object = try JSONSerialization.jsonObject(with: Data(command.output.utf8)) as? [String: Any]
    return try #require(object, "\(command.errors)")
  }

  @Test("Without --pairs, two identical builds are checked but not timed")
  func sameBuild() throws {
    let program = Command.program
    let options = Self.small.filter { $0 != "--pairs" && $0 != "6" }
    let command = try Command(["compare", program, program, "--kernel", "simd", "--json"] + options)
    let result = try object(command)
    let cases = try #require(result["cases"] as? [[String: Any]])
    #expect(command.code == 0 && cases.map { $0["verdict"] as? String } == ["same"], "\(command.output)")
    #expect(cases.allSatisfy { $0["ratio"] == nil })
    #expect((result["notes"] as? [String])?.contains { $0.contains("the same build") } == true)
  }

  @Test("A program compared with itself has equal results, and every requested file is written")
  func itself() throws {
    try Scratch.folder { folder in
      let files = ["c.md", "c.xml"].map { folder.appending(path: $0).path }
      let command = try Command(
        ["compare", Command.program, Command.program, "--kernel", "simd", "--json"]
          + Self.small.dropLast() + ["20", "--markdown", files[0], "--junit", files[1]])
      let result = try object(command)
      let cases = try #require(result["cases"] as? [[String: Any]])
      #expect(cases.count == 1)
      #expect((cases[0]["faults"] as? [Any])?.isEmpty == true)
      #expect((cases[0]["pairs"] as? Int ?? 0) >= 6)
      let hashes = ["base", "head"].map { (cases[0][$0] as? [String: Any])?["output_hash"] as? String }
      #expect(hashes[0] != nil && hashes[0] == hashes[1])
      let builds = ["base_build", "head_build"].map { result[$0] as? String }
      #expect(builds[0] == builds[1] && builds[0]?.hasPrefix("program ") == true)
      let codes: [String: Int32] = ["good": 0, "regressed": 3, "cannot tell": 4]
      #expect(command.code == codes[try #require(result["outcome"] as? String)])
      for file in files { #expect(try !String(contentsOfFile: file, encoding: .utf8).isEmpty) }
    }
  }

  @Test("Two kernels are compared in one process, for every workload and under both names")
  func kernels() throws {
    let command = try Command(
      ["compare", "--kernel", "simd", "--kernel", "separable", "--json"] + Self.small)
    let cases = try #require(try object(command)["cases"] as? [[String: Any]])
    #expect(cases.count == 1)
    #expect((cases[0]["name"] as? String)?.contains("kernel=separable/") == true)
    #expect((cases[0]["base_name"] as? String)?.contains("kernel=simd/") == true)
    #expect((cases[0]["faults"] as? [Any])?.isEmpty == true)
  }

  @Test(
    "A plug-in that became wrong is a regression, whatever its time is",
    .enabled(if: Program.exists("cc"), "no C compiler is installed (package gcc or clang)"))
  func plugins() throws {
    try Scratch.folder { folder in
      let source = try String(
        contentsOf: Command.package.appending(path: "Bench/Peers/Template/template.c"), encoding: .utf8)
      let cut = source.replacingOccurrences(of: "ceil(4 *", with: "ceil(1 *")
      try #require(cut != source)
      let sides = try [("old", source), ("new", cut)].map { name, text in
        try Self.compiled(text, as: name, in: folder)
      }
      // By default, `compare` measures the kernels of this package. If the two sides are plug-ins, it
      // measures the kernels of the plug-ins instead.
      let words = ["--kernel", "template-gaussian"] + Self.small
      let command = try Command(["compare"] + sides + Self.small)
      #expect(command.code == 3, "\(command.output)\(command.errors)")
      #expect(command.output.hasPrefix("Regression: 1 wrong "))
      #expect(command.output.contains("promised: at most 1 level"))
      // The plug-in's author could also loosen the promise (the error bound that the kernel claims to keep),
      // so that the mistake no longer breaks it. The comparison reports the looser promise as a regression.
      let loose = cut.replacingOccurrences(of: ".promise_levels = 1,", with: ".promise_levels = 50,")
      let allowed = try Self.compiled(loose, as: "loose", in: folder)
      let loosened = try Command(["compare", sides[0], allowed] + Self.small)
      #expect(loosened.code == 3, "\(loosened.output)\(loosened.errors)")
      #expect(loosened.output.contains("promise loosened: 1 level → 50 levels"))
      #expect(loosened.output.contains("loose.so "), "the library's hash")
      // A copy of a plug-in under another name is the same build, so nothing is timed.
      let copy = folder.appending(path: "copy.so").path
      try FileManager.default.copyItem(atPath: sides[0], toPath: copy)
      let brief = Array(Self.small.prefix { $0 != "--pairs" })
      let same = try Command(["compare", sides[0], copy] + brief)
      #expect(same.code == 0, "\(same.output)\(same.errors)")
      #expect(same.output.contains("only results and limits were checked"), "\(same.output)")
      // With the two sides exchanged, the old plug-in is wrong and the new one is right, so there is no
      // regression.
      #expect(try Command(["compare"] + sides.reversed() + words).code != 3)
    }
  }

  @Test(
    "A kernel missing in the head is a regression, one missing in the base is a note, and limits count",
    .tags(.long), .slow,
    .enabled(if: Program.exists("cc"), "no C compiler is installed (package gcc or clang)"))
  func kernelsOfPlugins() throws {
    try Scratch.folder { folder in
      let source = try String(
        contentsOf: Command.package.appending(path: "Bench/Peers/Template/template.c"), encoding: .utf8)
      let old = try Self.compiled(source, as: "old", in: folder)
      let renamed = try Self.compiled(
        source.replacingOccurrences(of: "template-gaussian", with: "other-gaussian"), as: "new", in: folder)
      let suite = folder.appending(path: "blur.yml")
      try """
      name: blur
      why: A test of limits.
      workloads:
        - kernels: plugins
          formats: gray8
          sizes: 64x48
          sigmas: 2
          limit: 1 ns
      """.write(to: suite, atomically: true, encoding: .utf8)
      let words = ["--suite", suite.path] + Self.small
      let gone = try object(Command(["compare", old, renamed, "--json"] + words))
      let cases = try #require(gone["cases"] as? [[String: Any]])
      #expect(cases.map { ($0["name"] as? String)?.contains("kernel=template-gaussian/") } == [true])
      #expect(gone["outcome"] as? String == "regressed")
      #expect((gone["notes"] as? [String])?.contains { $0.hasSuffix(": other-gaussian") } == true)
      // If a kernel was only renamed, the user can compare the old kernel with the new one. A note in the
      // output suggests the command for this, and the test runs it.
      let renaming = ["--plugin", old, "--plugin", renamed]
      let kernels = ["--kernel", "template-gaussian", "--kernel", "other-gaussian"]
      let command = (["blurbench", "compare"] + renaming + kernels).joined(separator: " ")
      #expect((gone["notes"] as? [String])?.contains { $0.contains(command) } == true)
      let pair = try object(Command(["compare"] + renaming + kernels + ["--json"] + Self.small))
      #expect((pair["cases"] as? [Any])?.count == 1)
      // The compared case exists on both sides, but no program can be fast enough for its limit.
      let slow = try Command(["compare", old, old] + words)
      #expect(slow.code == 3 && slow.output.hasPrefix("Regression: 1 over the limit"), "\(slow.output)")
      // Each side is `old` together with the additional plug-in `renamed`. So both kernels exist on both
      // sides, and both are compared.
      let both = try Command(["compare", old, old, "--plugin", renamed] + words)
      #expect(both.code == 3 && both.output.hasPrefix("Regression: 2 over the limit"), "\(both.output)")
    }
  }

  static func compiled(_ source: String, as name: String, in folder: URL) throws -> String {
    let file = folder.appending(path: "\(name).c")
    try source.write(to: file, atomically: true, encoding: .utf8)
    return try PluginTests.compile(file.path, into: folder, as: name)
  }

  @Test("Records are compared with records, and with what a program measures now")
  func records() throws {
    try Scratch.folder { folder in
      let old = folder.appending(path: "old.csv").path
      let run = try Command(
        Self.brief + ["--suite", "compare", "--repetitions", "8", "--output", old])
      #expect(run.code == 0, "\(run.errors)")
      // The times in the records are replaced with times like those of a quiet machine, because the times
      // that were just measured may vary too much.
      var records = try RecordsCSV.read(String(contentsOfFile: old, encoding: .utf8), path: old)
      for i in records.indices where records[i].realTime != nil {
        records[i].realTime = 10_000 + Double(records[i].repetition ?? 0)
      }
      try RecordsCSV.text(records).write(toFile: old, atomically: true, encoding: .utf8)
      let named = try Command(["compare", old, old, "--suite", "quick"])
      #expect(named.code == 64 && named.errors.contains("--suite cannot be used with records"))
      let same = try Command(["compare", old, old])
      #expect(same.code == 0, "\(same.output)\(same.errors)")
      #expect(same.output.contains("NOT MEASURED TOGETHER"))
      let now = try object(Command(["compare", old, Command.program, "--min-time", "0.0001", "--json"]))
      #expect(now["method"] as? String == "records")
      let cases = try #require(now["cases"] as? [[String: Any]])
      #expect(cases.count == 1 && (cases[0]["faults"] as? [Any])?.isEmpty == true)
      // The records are the same, except that they seem to come from another machine.
      let text = try String(contentsOfFile: old, encoding: .utf8)
      let key = try RecordsCSV.read(text, path: old)[0].machineKey
      let other = folder.appending(path: "other.csv").path
      try text.replacingOccurrences(of: key, with: "0123456789abcdef")
        .write(toFile: other, atomically: true, encoding: .utf8)
      let refused = try Command(["compare", old, other])
      #expect(refused.code == 1 && refused.errors.contains("different machines"))
      #expect(refused.errors.contains(key) && refused.errors.contains("0123456789abcdef"))
    }
  }

  @Test(
    "Several processes are recorded, resumed where they ended, and prove what one process cannot",
    .tags(.long), .slow)
  func processes() throws {
    try Scratch.folder { folder in
      let old = folder.appending(path: "old.csv").path
      let words = Self.brief + ["--repetitions", "2", "--output", old]
      let run = try Command(words + ["--processes", "5"])
      #expect(run.code == 0, "\(run.errors)")
      let records = try RecordsCSV.read(String(contentsOfFile: old, encoding: .utf8), path: old)
      #expect(records.count == 5 * 2 * 2 && records.allSatisfy { ($0.probeTime ?? 0) > 0 })
      for process in 0..<5 {
        let rows = records.filter { $0.process == process && !$0.isCopy }
        #expect(rows.compactMap(\.repetition) == [0, 1] && Set(rows.map(\.outputHash)).count == 1)
      }
      // The file is cut in the middle of the rows of the fourth process. So the rows of the first three
      // processes are kept, and the other processes are measured again.
      let lines = try String(contentsOfFile: old, encoding: .utf8).split(separator: "\n")
      try (lines.prefix(1 + 3 * 4 + 1).joined(separator: "\n") + "\n").write(
        toFile: old, atomically: true, encoding: .utf8)
      let other = try Command(words + ["--resume"])
      #expect(other.code == 64 && other.errors.contains("was recorded with --processes"), "\(other.errors)")
      #expect(try Command(words + ["--processes", "5", "--resume"]).code == 0)
      let resumed = try RecordsCSV.read(String(contentsOfFile: old, encoding: .utf8), path: old)
      #expect(resumed.count == 20 && Array(resumed.prefix(12)) == Array(records.prefix(12)))

      func write(_ name: String, _ change: (inout Record) -> Void) throws -> String {
        let path = folder.appending(path: name).path
        let changed = records.map { record in
          var record = record
          record.realTime = 10_000 + Double(record.process ?? 0)
          record.probeTime = 700
          change(&record)
          return record
        }
        try RecordsCSV.text(changed).write(toFile: path, atomically: true, encoding: .utf8)
        return path
      }
      let steady = try write("steady.csv") { _ in }
      let doubled = try write("doubled.csv") { $0.realTime = ($0.realTime ?? 0) * ($0.isCopy ? 1 : 2) }
      let one = try write("one.csv") {
        $0.realTime = ($0.realTime ?? 0) * ($0.isCopy ? 1 : 2)
        $0.repetition = 2 * ($0.process ?? 0) + ($0.repetition ?? 0)
        $0.process = nil
      }
      #expect(try Command(["compare", steady, steady]).code == 0)
      let proven = try Command(["compare", steady, doubled])
      #expect(proven.code == 3 && proven.output.hasPrefix("Regression: 1 slower"), "\(proven.output)")
      let suspected = try Command(["compare", steady, one])
      #expect(suspected.code == 4 && suspected.output.hasPrefix("Cannot tell: 1 possibly slower of 1 case"))
    }
  }

  @Test("The exit code of a history shows whether there is a step, no step, too few files, or no date")
  func history() throws {
    try Scratch.folder { folder in
      let one = folder.appending(path: "one.csv").path
      let run = try Command(Self.brief + ["--repetitions", "2", "--output", one])
      #expect(run.code == 0, "\(run.errors)")
      // Only the .txt file contains the date.
      let first = try Command(["compare", "--history", one])
      #expect(first.code == 4, "\(first.output)\(first.errors)")
      #expect(try Command(["compare", "--history", one, "--strict"]).code == 3)
      try FileManager.default.removeItem(at: folder.appending(path: "one.txt"))
      let undated = try Command(["compare", "--history", one])
      #expect(undated.code == 1 && undated.errors.contains("has no date"), "\(undated.errors)")

      let records = try RecordsCSV.read(String(contentsOfFile: one, encoding: .utf8), path: one)
      for (name, slowdown, code) in [("same", 1.0, 0), ("slower", 1.5, 3)] as [(String, Double, Int32)] {
        let days = folder.appending(path: name)
        try FileManager.default.createDirectory(at: days, withIntermediateDirectories: true)
        for day in 1...14 {
          var records = records
          for index in records.indices {
            let isSlower = day > 9 && records[index].name.contains("kernel=simd/")
            records[index].realTime = (1000 + Double(day % 3)) * (isSlower ? slowdown : 1)
          }
          let file = days.appending(path: String(format: "2026-11-%02d.csv", day))
          try RecordsCSV.text(records).write(to: file, atomically: true, encoding: .utf8)
        }
        let history = try Command(["compare", "--history", days.path])
        #expect(history.code == code, "\(history.output)\(history.errors)")
        #expect(history.output.contains("+50 % from 2026-11-10.csv on") == (code == 3))
      }
    }
  }

  @Test(
    "An argument that is no side is rejected, with what a side may be",
    arguments: [
      (["nothing-of-that-name", "HEAD"], 1, "must each be a built blurbench"),
      (["/tmp", "HEAD"], 64, "Package.swift"),
      (["HEAD"], 64, "name two builds"), (["--kernel", "simd"], 64, "name two builds"),
      (["/bin/true", "/bin/true", "--kernel", "simd"], 1, "/bin/true"),
      (["HEAD", "HEAD", "--threshold", "5"], 64, "'5': must be a percentage such as 3%"),
      (["HEAD", "HEAD", "--json", "--csv"], 64, "cannot be combined"),
      (["--history", "/nowhere.csv"], 1, "/nowhere.csv"),
      (["--history", "/nowhere.csv", "--since", "yesterday"], 64, "--since 'yesterday'"),
      (["HEAD", "HEAD", "--since", "2026-11-21"], 64, "--since can only be used together with --history"),
      (["--kernel", "simd", "--kernel", "dct", "--gate-instructions"], 64, "needs BASE and HEAD"),
      (["HEAD", "HEAD", "--instruction-threshold", "0"], 64, "--instruction-threshold '0'"),
    ] as [([String], Int32, String)])
  func refused(words: [String], code: Int32, reason: String) throws {
    let command = try Command(["compare"] + words)
    #expect(command.code == code, "\(command.errors)")
    #expect(command.errors.contains(reason), "\(command.errors)")
  }
}

@Suite("A process that measures on request")
struct ServerProcessTests {
  private func process(_ words: [String], program: String = Command.program) throws -> ServerConnection {
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = words
    return try ServerConnection(process, timeout: 20)
  }

  private static let name =
    "BM_Blur/kernel=simd/isa=baseline/threads=1/format=gray8/size=40x30/sigma=2/edge=clamp"

  @Test("The process verifies, times and hashes, and its slots are independent")
  func serves() throws {
    let process = try process(["worker"])
    let verified = try process.open(0, BenchRequest(Self.name, isVerified: true))
    let plain = try process.open(5, BenchRequest(Self.name, slowdown: 0.1))
    #expect(verified.problem == nil && verified.maxErrorLevels ?? 9 <= 1)
    #expect(plain.maxErrorLevels == nil)
    #expect(plain.outputHash == verified.outputHash)
    #expect(try process.sample(0, iterations: 3).nanoseconds > 0)
    #expect(try process.sample(5, iterations: 1).nanoseconds > 0)
    #expect(try process.close(0) == nil)
    #expect(throws: MeasurementError.failed("internal error: slot 0 holds no case")) {
      try process.sample(0, iterations: 1)
    }
    #expect(throws: MeasurementError.self) { try process.sample(5, iterations: 0) }
  }

  @Test("The process reports what it cannot measure")
  func problems() throws {
    let process = try process(["worker"])
    let unknown = Self.name.replacingOccurrences(of: "simd", with: "smid")
    #expect(try process.open(0, BenchRequest(unknown)).problem == "no kernel is called smid")
    #expect(try process.open(0, BenchRequest("BM_Blur/nonsense")).problem?.contains("key=value") == true)
  }

  @Test(
    "A program that ends, or that speaks another protocol, is an error",
    arguments: ["/bin/true", "/bin/echo"])
  func others(program: String) {
    #expect(throws: MeasurementError.self) { try process(["hello"], program: program) }
  }

  /// If the CI system ends a comparison, its server processes go on without a reader for their output. They
  /// must then end without an error message in the log.
  @Test("A server whose caller is gone ends silently")
  func orphan() throws {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    // The real caller ignores SIGPIPE as well, so writing to a closed pipe is an error and not a signal.
    let page = FileManager.default.temporaryDirectory.appending(path: "blurbench-\(UUID())").path
    defer { try? FileManager.default.removeItem(atPath: page) }
    let command = [Command.program, "worker", "--page", page]
    process.arguments = ["-c", "trap '' PIPE; exec \"$@\"", "orphan"] + command
    let (replies, errors) = (Pipe(), Pipe())
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = replies
    process.standardError = errors
    try replies.fileHandleForReading.close()
    try process.run()
    let said = try errors.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    #expect(said.isEmpty, "\(String(decoding: said, as: UTF8.self))")
    #expect(process.terminationReason == .exit)
  }
}
