import Foundation
import TestSupport
import Testing

@Suite(
  "Failures of plug-ins",
  .enabled(if: Program.exists("cc"), "no C compiler is installed (package gcc or clang)"))
struct PluginFailureTests {
  /// Verifies one of the misbehaving kernels with gray8, clamped edges and one thread.
  private static func verify(
    _ kernel: String, _ properties: String?, _ words: [String], in folder: URL
  ) throws -> Command {
    let library = try PluginTests.compile(PluginTests.misbehaving, into: folder)
    let chosen = properties.map { ["--property", $0] } ?? []
    return try Command(
      ["verify", "--plugin", library, "--kernel", kernel, "--pictures", folder.path] + chosen + words
        + PluginTests.small)
  }

  @Test("picture draws the kernels of a plug-in, and survives those that crash")
  func picture() throws {
    try Scratch.folder { folder in
      let library = try PluginTests.compile("Bench/Peers/Template/template.c", into: folder)
      let strip = folder.appending(path: "strip.png").path
      let command = try Command(
        ["picture", strip, "--plugin", library, "--kernel", "template-gaussian,box-triple", "--sigma", "2"])
      #expect(command.code == 0, "\(command.errors)")
      let lines = command.output.split(separator: "\n").map { $0.split(separator: ":")[0] }
      #expect(lines == ["template-gaussian", "box-triple"])
      #expect(FileManager.default.fileExists(atPath: strip))
      let gray = folder.appending(path: "gray.pgm").path
      try Data("P5 4 3 255\n".utf8 + Array(repeating: 9, count: 12)).write(to: URL(filePath: gray))
      let wrong = try PluginTests.compile(PluginTests.misbehaving, into: folder)
      let crash = try Command(["picture", strip, "--plugin", wrong, "--kernel", "crashes", "--input", gray])
      #expect(crash.code == 1 && crash.errors.contains("signal 11"), "\(crash.errors)")
      // A kernel that supports only gray8 is drawn in gray8.
      let plain = try Command(["picture", strip, "--plugin", wrong, "--kernel", "copies"])
      #expect(plain.code == 0 && plain.output.hasPrefix("copies: "), "\(plain.errors)")
      let refused = try Command(["picture", strip, "--plugin", wrong, "--kernel", "refuses"])
      #expect(refused.code == 1 && refused.errors.contains("images on Mondays"), "\(refused.errors)")
      #expect(refused.errors.count { $0 == "\n" } == 1, "\(refused.errors)")
    }
  }

  @Test("A plug-in that cannot be loaded does not hide the others, and a pattern names several files")
  func broken() throws {
    try Scratch.folder { folder in
      func path(_ name: String) -> String { folder.appending(path: name).path }
      _ = try PluginTests.compile("Bench/Peers/Template/template.c", into: folder, as: "good")
      try Data("int unrelated;\n".utf8).write(to: URL(filePath: path("empty.c")))
      _ = try PluginTests.compile(path("empty.c"), into: folder, as: "bad-empty")
      let crash = "#include <signal.h>\n__attribute__((constructor)) void f(void) { raise(SIGSEGV); }\n"
      try Data(crash.utf8).write(to: URL(filePath: path("crash.c")))
      _ = try PluginTests.compile(path("crash.c"), into: folder, as: "bad-crash")
      let listed = try Command(["list", "--plugin", path("*.so")])
      #expect(listed.code == 1 && listed.output.contains("template-gaussian"), "\(listed.errors)")
      #expect(listed.errors.contains("bad-empty.so does not export the function blur_plugin"))
      #expect(listed.errors.contains("bad-crash.so: ") && listed.errors.contains("signal 11"))
      // All files can follow one option, as when a shell expands a pattern.
      let verified = try Command(
        ["verify", "--plugin", path("bad-empty.so"), path("good.so"), "--property", "identity", "--csv"])
      #expect(verified.code == 3, "\(verified.errors)")
      let rows = try PluginTests.rows(verified.output)
      #expect(rows.map { $0["status"] } == ["PASSED", "FAILED"], "\(verified.output)")
      #expect(rows.last?["kernel"] == "bad-empty.so" && rows.last?["property"] == "loading")
      let nothing = try Command(["verify", "--plugin", path("bad-*.so")])
      #expect(nothing.code == 1 && nothing.output.isEmpty, "\(nothing.errors)")
      #expect(nothing.errors.contains("bad-empty.so") && nothing.errors.contains("bad-crash.so"))
      let twice = try Command(["list", "--plugin", "\(path("good.so")),\(path("good.so"))"])
      #expect(twice.code == 0 && twice.output.contains("template-gaussian"), "\(twice.errors)")
      let unmatched = try Command(["list", "--plugin", path("none-*.so")])
      #expect(unmatched.code == 1 && unmatched.errors.contains("none-*.so: no file matches this pattern"))
    }
  }

  @Test("A result that depends on memory that the plug-in allocated but did not fill is reported as such")
  func garbage() throws {
    #if canImport(Glibc)
      try Scratch.folder { folder in
        let command = try Self.verify("reads-garbage", "impulse,axes", ["--sigma", "2"], in: folder)
        #expect(command.code == 3, "\(command.errors)")
        let blocks = command.output.split(separator: "\n").filter { $0.hasPrefix("FAILED ") }
        let title = "FAILED reads-garbage depends on uninitialised memory (memory that the kernel allocated)"
        #expect(blocks.count == 1 && blocks.allSatisfy { $0.hasPrefix(title) }, "\(command.output)")
      }
    #endif
  }

  /// What is reported for each memory fault on an image of one row. If width and height have an even sum, the
  /// end of the image touches a page that cannot be accessed. Otherwise the start of the image does.
  static let touched: [(kernel: String, size: String, said: String)] = [
    ("writes-after", "39x1", "write 101 bytes beyond the end of row 0 of the destination"),
    ("writes-before", "40x1", "write 7 bytes before the start of row 0 of the destination"),
    ("reads-before", "40x1", "read 3 bytes before the start of row 0 of the source (where row -1 would be)"),
    ("reads-after", "39x1", "read 3 bytes beyond the end of row 0 of the source"),
    ("reads-null", "40x1", "read at address 0x1 (a null pointer, or an offset from a null pointer)"),
    ("misaligned", "40x1", "an instruction for aligned data got an unaligned address"),
  ]

  @Test("verify reports which memory a kernel accessed when it crashed", arguments: touched)
  func faults(kernel: String, size: String, said: String) throws {
    #if arch(x86_64)
      try Scratch.folder { folder in
        let command = try Self.verify(
          kernel, "shapes", ["--sigma", "0.5", "--size", size, "--image", "impulse"], in: folder)
        #expect(command.code == 3)
        #expect(command.output.contains("signal 11 (segmentation fault): \(said)"), "\(command.output)")
      }
    #endif
  }

  @Test("verify --fail-fast reports one failure, however many properties fail at once")
  func failFast() throws {
    try Scratch.folder { folder in
      let command = try Self.verify(
        "wrong-picture", nil, ["--sigma", "2", "--fail-fast", "--csv"], in: folder)
      #expect(command.code == 3)
      let failed = try PluginTests.rows(command.output).filter { $0["status"] == "FAILED" }
      #expect(failed.map { $0["property"] } == ["truth"], "\(command.output)")
    }
  }

  @Test("verify reports what a kernel wrote before it crashed")
  func assertion() throws {
    try Scratch.folder { folder in
      let command = try Self.verify("asserts", "truth", ["--sigma", "1"], in: folder)
      #expect(command.code == 3)
      let said = "crashed: signal 6 (aborted); its last message was 'mine.c:12: width is even'"
      #expect(command.output.contains(said), "\(command.output)")
      #expect(!command.errors.contains("mine.c"), "\(command.errors)")
    }
  }

  @Test(
    "verify explains a damaged heap, and leaves out what kernels write after some lines",
    .tags(.long), .slow)
  func errors() throws {
    try Scratch.folder { folder in
      func verify(_ kernel: String) throws -> Command {
        try Self.verify(kernel, "truth,identity,guards", [], in: folder)
      }
      let heap = try verify("spoils-heap")
      #expect(heap.output.contains("'double free or corruption (!prev)'; the heap was damaged"))
      #expect(heap.output.contains("`--property guards` shows the place"), "\(heap.output)")
      #expect(try !verify("asserts").output.contains("heap"))
      let lines = try verify("chatters").errors.split(separator: "\n")
      #expect(lines.count { $0 == "chatter" } == 10, "\(lines)")
      #expect(lines.count { $0.contains("are not shown") } == 1, "\(lines)")
    }
  }

  @Test("A kernel that is wrong only in some blurs on two threads fails in verify and in run")
  func racing() throws {
    try Scratch.folder { folder in
      let library = try PluginTests.compile(
        "Tests/BlurbenchTests/Fixtures/wrong-on-two-threads.c", into: folder)
      let named = ["--plugin", library, "--kernel", "races"]
      let verified = try Command(["verify"] + named + ["--property", "threads"])
      #expect(verified.code == 3 && verified.output.contains("result on 2 threads"), "\(verified.output)")
      let csv = folder.appending(path: "records.csv").path
      let run = try Command(
        ["run"] + named + ["--format", "gray8", "--edge", "clamp", "--threads", "2", "--size", "64x64"]
          + ["--sigma", "1", "--certify-seconds", "0", "--min-time", "0.001", "--output", csv])
      #expect(run.code == 3, "\(run.errors)")
      let rows = try PluginTests.rows(String(contentsOfFile: csv, encoding: .utf8))
      let message = rows.first { $0["error_occurred"] == "true" }?["error_message"] ?? "no failure"
      let command = (["blurbench", "verify"] + named + ["--property", "threads"]).joined(separator: " ")
      #expect(message.contains("changed while the case was timed; `\(command)`"), "\(message)")
    }
  }

  @Test("certify reports how long it waited for a hanging kernel, which is the sum of two options")
  func certifyHanging() throws {
    try Scratch.folder { folder in
      let library = try PluginTests.compile(PluginTests.misbehaving, into: folder)
      let command = try Command(
        [
          "certify", "--plugin", library, "--kernel", "hangs", "--sigma", "1", "--kernel-timeout", "1",
          "--limit", "0.5",
        ])
      #expect(command.code == 3)
      #expect(
        command.output.contains("no answer within 1.5 s, which is --limit plus --kernel-timeout"),
        "\(command.output)")
    }
  }

  @Test("A failure that depends on earlier blurs is repeated with the whole property")
  func state() throws {
    try Scratch.folder { folder in
      func verified(_ kernel: String) throws -> [[String: String]] {
        try PluginTests.rows(Self.verify(kernel, "shapes", ["--seconds", "0.5", "--csv"], in: folder).output)
      }
      let rows = try verified("wrong-later")
      try #require(rows.map { $0["status"] } == ["FAILED"])
      #expect(rows[0]["message"]?.contains("; the check does not fail when it runs alone") == true, "\(rows)")
      let command = try #require(rows[0]["command"])
      #expect(!command.contains("--size"))
      let again = try Command(command.split(separator: " ").dropFirst().map(String.init))
      #expect(again.code == 3, "\(command)")
      // If a failure does not depend on earlier blurs, the command repeats only the failing check.
      let plain = try verified("writes-source")
      #expect(plain.first?["command"]?.contains("--size 1") == true, "\(plain)")
      #expect(plain.first?["message"]?.contains("fail alone") == false)
    }
  }

  @Test("A kernel that hangs is tried once, and its other properties are skipped for that reason")
  func hanging() throws {
    try Scratch.folder { folder in
      let command = try Self.verify(
        "hangs", "truth,identity,constant,codes", ["--sigma", "1", "--kernel-timeout", "1", "--csv"],
        in: folder)
      #expect(command.code == 3)
      let rows = try PluginTests.rows(command.output)
      let failed = rows.filter { $0["status"] == "FAILED" }
      #expect(failed.allSatisfy { $0["message"]?.hasPrefix("hangs") == true } && !failed.isEmpty)
      let names = failed.compactMap { $0["property"] }
      let others = rows.filter { $0["status"] != "FAILED" }
      #expect(
        !others.isEmpty
          && others.allSatisfy { row in
            row["status"] == "SKIPPED"
              && names.contains {
                row["message"]
                  == "not checked, because the kernel hung while property \($0) was checked"
              }
          }, "\(command.output)")
    }
  }
}
