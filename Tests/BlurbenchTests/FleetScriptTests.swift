import Foundation
import TestSupport
import Testing

/// Tests that text from a folder of records is never executed. Otherwise, everyone who can write to this
/// folder could run commands.
@Suite("The scripts for fleets of machines")
struct FleetScriptTests {
  /// Runs `conf_read` on a file with this text.
  private func read(_ text: String, in folder: URL) throws -> Program {
    try text.write(to: folder.appending(path: "fleet.conf"), atomically: true, encoding: .utf8)
    let script = Command.package.appending(path: "Bench/Fleet/conf.sh").path
    let read = #". "$1"; conf_read fleet.conf && printf '%s|' "${types[@]}" "$shards" "$program""#
    return try Program(["bash", "-c", read, "bash", script], in: folder)
  }

  @Test("A submitted configuration is read as data, and not executed")
  func data() throws {
    try Scratch.folder { folder in
      let found = try read("type=fast\ntype=slow\nshards=3\nprogram=$(touch run)`touch run`\n", in: folder)
      #expect(found.code == 0 && found.output == "fast|slow|3|$(touch run)`touch run`|")
      #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "run").path))
    }
  }

  @Test(
    "A line that no submission writes is rejected, and not executed",
    arguments: [
      "touch run\n", "PATH=.\n", "type=a;touch run\nshards=1\n", "type=../x\nshards=1\n", "type=a\n",
      "type=a\nshards=$(touch run)\n", "type=a\nshards=0\n", "type=a\nshards=99999\n", "shards=1\n",
    ])
  func refused(text: String) throws {
    try Scratch.folder { folder in
      let found = try read(text, in: folder)
      #expect(found.code != 0)
      #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "run").path))
    }
  }
}
