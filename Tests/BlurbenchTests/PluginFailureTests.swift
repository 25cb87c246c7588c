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
