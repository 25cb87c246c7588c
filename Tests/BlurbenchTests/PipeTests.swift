import Foundation
import TestSupport
import Testing

@Suite("Pipes on the command line")
struct PipeTests {
  /// A gray picture of 2x2 pixels, and a PFM of 1x2 floats whose bottom row is stored first. The floats are
  /// 0.5 and 1.
  static let gray = Data("P5\n2 2\n255\n".utf8) + Data([1, 2, 3, 250])
  static let floats = Data("Pf\n1 2\n-1.0\n".utf8) + Data([0, 0, 0, 0x3F, 0, 0, 0x80, 0x3F])

  /// Runs a shell command in a folder with these files. In the command, `$0` is blurbench.
  private static func shell(_ script: String, in folder: URL) throws -> Program {
    for (name, data) in [
      ("in.pgm", gray), ("in.pfm", floats), ("r.csv", Data(BadInputTests.records.utf8)),
    ] { try data.write(to: folder.appending(path: name)) }
    return try Program(["bash", "-c", script, Command.program], in: folder)
  }

  @Test(
    "A picture of sigma 0 goes through a pipe unchanged, in the format of the input",
    arguments: [
      "cat in.EXT | $0 blur - - --sigma 0 >out", "$0 blur - - --sigma 0 <in.EXT | cat >out",
      "cat in.EXT | $0 blur /dev/stdin /dev/stdout --sigma 0 | cat >out",
      "$0 blur <(cat in.EXT) >(cat >out) --sigma 0; sleep 1",
      "cat in.EXT | $0 blur - out.EXT --sigma 0; mv out.EXT out",
      "cat in.EXT | $0 blur - - --sigma 0 --tiled >out",
      "mkfifo f; cat in.EXT >f & $0 blur f - --sigma 0 >out",
    ])
  func pictures(script: String) throws {
    for (ending, expected) in [("pgm", Self.gray), ("pfm", Self.floats)] {
      try Scratch.folder { folder in
        let run = try Self.shell(script.replacing("EXT", with: ending), in: folder)
        #expect(run.code == 0, "\(run.printed)")
        #expect(try Data(contentsOf: folder.appending(path: "out")) == expected, "\(run.printed)")
      }
    }
  }

  @Test(
    "What is no picture is refused without being read to its end, and nothing is written",
    arguments: [
      ("yes | $0 blur - - --sigma 0", "is not an image"), (": | $0 blur - - --sigma 0", "is empty"),
    ])
  func noPicture(script: String, message: String) throws {
    try Scratch.folder { folder in
      let run = try Self.shell(script, in: folder)
      #expect(run.code == 1 && run.output.isEmpty && run.errors.contains(message), "\(run.printed)")
    }
  }

  @Test(
    "Records are read from a pipe as from a file",
    arguments: [
      ("rank r.csv", "cat r.csv | $0 rank -"), ("rank r.csv", "$0 rank /dev/stdin <r.csv"),
      ("rank r.csv", "$0 rank <(cat r.csv)"), ("export --for gha r.csv", "cat r.csv | $0 export --for gha -"),
      ("compare r.csv r.csv --csv", "$0 compare <(cat r.csv) <(cat r.csv) --csv"),
      ("compare r.csv r.csv --csv", "cat r.csv | $0 compare - r.csv --csv"),
    ])
  func records(words: String, script: String) throws {
    try Scratch.folder { folder in
      let file = try Self.shell("$0 \(words)", in: folder)
      let piped = try Self.shell(script, in: folder)
      #expect(file.code == piped.code && !file.output.isEmpty, "\(piped.printed)")
      #expect(file.output == piped.output, "\(piped.printed)")
    }
  }
}
