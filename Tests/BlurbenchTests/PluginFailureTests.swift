import Foundation
import TestSupport
import Testing

@Suite(
  "Failures of plug-ins",
  .enabled(if: Program.exists("cc"), "no C compiler is installed (package gcc or clang)"))
struct PluginFailureTests {
  @Test("picture draws a plug-in's kernels, and survives those that crash")
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
      // A kernel of gray8 alone is drawn in that.
      let plain = try Command(["picture", strip, "--plugin", wrong, "--kernel", "copies"])
      #expect(plain.code == 0 && plain.output.hasPrefix("copies: "), "\(plain.errors)")
      let refused = try Command(["picture", strip, "--plugin", wrong, "--kernel", "refuses"])
      #expect(refused.code == 1 && refused.errors.contains("images on Mondays"), "\(refused.errors)")
      #expect(refused.errors.count { $0 == "\n" } == 1, "\(refused.errors)")
    }
  }

  @Test("verify says what a kernel wrote before it died, beside its failure")
  func assertion() throws {
    try Scratch.folder { folder in
      let library = try PluginTests.compile(PluginTests.misbehaving, into: folder)
      let command = try Command(
        [
          "verify", "--plugin", library, "--kernel", "asserts", "--property", "truth", "--sigma", "1",
          "--pictures", folder.path,
        ] + PluginTests.small)
      #expect(command.code == 3)
      let said = "crashed: signal 6 (aborted); it wrote 'mine.c:12: width is even'"
      #expect(command.output.contains(said), "\(command.output)")
      #expect(!command.errors.contains("mine.c"), "\(command.errors)")
    }
  }

  @Test("verify says what a damaged heap means, and leaves out what kernels write beyond some lines")
  func errors() throws {
    try Scratch.folder { folder in
      let library = try PluginTests.compile(PluginTests.misbehaving, into: folder)
      func verify(_ kernel: String) throws -> Command {
        try Command(
          [
            "verify", "--plugin", library, "--kernel", kernel, "--property", "truth,identity,guards",
            "--pictures", folder.path,
          ] + PluginTests.small)
      }
      let heap = try verify("spoils-heap")
      #expect(heap.output.contains("'double free or corruption (!prev)'; the heap was damaged"))
      #expect(heap.output.contains("`--property guards` says where"), "\(heap.output)")
      #expect(try !verify("asserts").output.contains("heap"))
      let lines = try verify("chatters").errors.split(separator: "\n")
      #expect(lines.count { $0 == "chatter" } == 10, "\(lines)")
      #expect(lines.count { $0.contains("is left out") } == 1, "\(lines)")
    }
  }

  @Test("certify says how long a hanging kernel was waited for, by both options")
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
        command.output.contains("no answer for 1.5 s, the sum of --limit and --kernel-timeout"),
        "\(command.output)")
    }
  }

  @Test("verify repeats a failure that depends on earlier blurs with the whole property")
  func state() throws {
    try Scratch.folder { folder in
      let library = try PluginTests.compile(PluginTests.misbehaving, into: folder)
      let words = [
        "verify", "--plugin", library, "--kernel", "wrong-later", "--property", "shapes", "--pictures",
        folder.path, "--seconds", "0.5", "--csv",
      ]
      let rows = try PluginTests.rows(Command(words + PluginTests.small).output)
      try #require(rows.map { $0["status"] } == ["FAILED"])
      #expect(rows[0]["message"]?.contains("; passes alone: it depends on") == true, "\(rows)")
      let command = try #require(rows[0]["command"])
      #expect(!command.contains("--size"))
      let again = try Command(command.split(separator: " ").dropFirst().map(String.init))
      #expect(again.code == 3, "\(command)")
      // What fails by itself is repeated by itself.
      let plain = try PluginTests.rows(
        Command(words.map { $0 == "wrong-later" ? "writes-source" : $0 } + PluginTests.small).output)
      #expect(plain.first?["command"]?.contains("--size 1") == true, "\(plain)")
      #expect(plain.first?["message"]?.contains("passes alone") == false)
    }
  }

  @Test("A kernel that hangs is tried once, and its other properties say why not")
  func hanging() throws {
    try Scratch.folder { folder in
      let library = try PluginTests.compile(PluginTests.misbehaving, into: folder)
      let command = try Command(
        [
          "verify", "--plugin", library, "--kernel", "hangs", "--property", "truth,identity,constant,codes",
          "--sigma", "1", "--kernel-timeout", "1", "--pictures", folder.path, "--csv",
        ] + PluginTests.small)
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
              && names.contains { row["message"] == "not tried: the kernel hung in \($0)" }
          }, "\(command.output)")
    }
  }
}
