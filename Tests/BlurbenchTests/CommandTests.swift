import Foundation
import TestSupport
import Testing

@Suite("The command line")
struct CommandTests {
  /// Returns a PGM file with a step from black to white.
  static func step(_ width: Int, _ height: Int) -> Data {
    let row = (0..<width).map { UInt8($0 < width / 2 ? 0 : 255) }
    return Data("P5 \(width) \(height) 255\n".utf8) + Data((0..<height).flatMap { _ in row })
  }

  @Test("blur --verbose reports how many times a pyramid halves the image")
  func halvings() throws {
    try Scratch.folder { folder in
      try Self.step(200, 150).write(to: folder.appending(path: "in.pgm"))
      for (kernel, sigma, count) in [("pyramid", "40", "[1-9]"), ("pyramid", "1", "0"), ("simd", "40", "0")] {
        let words = ["blur", "in.pgm", "out.pgm", "--sigma", sigma, "--verbose", "--kernel", kernel]
        let errors = try Command(words, in: folder).errors
        #expect(errors.contains(try Regex(", 1 thread, \(count) halvings?, ")), "\(errors)")
      }
    }
  }

  @Test(
    "blur writes a blurred step on which every exact kernel agrees",
    arguments: ["naive", "separable", "simd"])
  func blur(kernel: String) throws {
    try Scratch.folder { folder in
      try Self.step(41, 9).write(to: folder.appending(path: "in.pgm"))
      let command = try Command(
        ["blur", "in.pgm", "out.pgm", "--sigma", "3", "--kernel", kernel, "--verbose"], in: folder)
      #expect(command.code == 0, "\(command.errors)")
      #expect(command.errors.contains(kernel))
      let samples = try Data(contentsOf: folder.appending(path: "out.pgm")).suffix(41 * 9)
      // The expected values are the integral of the Gaussian. White begins at column 20, so the edge lies
      // between columns 19 and 20.
      for (x, value) in samples.prefix(41).enumerated() {
        let expected = 127.5 * (1 + erf((Double(x) - 19.5) / (3 * 2.0.squareRoot())))
        #expect(abs(Double(value) - expected) <= 2, "column \(x)")
      }
    }
  }

  @Test("The page that certify's help names explains every column that certify prints")
  func certificateColumns() throws {
    #expect(try Command(["certify", "--help"]).output.contains("docs/VERIFICATION.md"))
    let page = try String(
      contentsOf: Command.package.appending(path: "docs/VERIFICATION.md"), encoding: .utf8)
    let words = ["certify", "--kernel", "box-triple", "--sigma", "1", "--format", "grayf32"]
    let header = try #require(try Command(words + ["--csv"]).output.split(separator: "\n").first)
    for column in header.split(separator: ",") {
      let name = column.replacing(/^(across|down)_/, with: "")
      #expect(page.contains("`\(name)`"), "\(name)")
    }
    let text = try Command(words).output
    let titles = try #require(text.split(separator: "\n").first { $0.contains("shift variance") }, "\(text)")
    for title in titles.split(separator: /\s{2,}/) where title != "axis" {
      let rows = page.split(separator: "\n").map { $0.prefix { $0 != "`" } }
      #expect(rows.contains { $0.hasPrefix("| ") && $0.contains(title) }, "\(title)")
    }
  }

  @Test("blur may read and write the same file, and chooses the format by the file's extension")
  func sameFile() throws {
    try Scratch.folder { folder in
      try Self.step(16, 4).write(to: folder.appending(path: "a.pgm"))
      #expect(try Command(["blur", "a.pgm", "b.png", "--sigma", "0"], in: folder).code == 0)
      #expect(try Command(["blur", "b.png", "b.png", "--sigma", "0"], in: folder).code == 0)
      #expect(try Command(["blur", "b.png", "c.pgm", "--sigma", "0"], in: folder).code == 0)
      let samples = try Data(contentsOf: folder.appending(path: "c.pgm")).suffix(64)
      #expect(samples == Self.step(16, 4).suffix(64))
    }
  }

  @Test("list names every kernel, format and suite, as text and as JSON")
  func list() throws {
    let text = try Command(["list"]).output
    for word in [
      "naive", "separable", "box-triple", "simd", "rgbaf32", "mirror", "baseline", "quick", "standard",
    ] {
      #expect(text.contains(word))
    }
    let json = try JSONSerialization.jsonObject(with: Data(Command(["list", "--json"]).output.utf8))
    let kernels = try #require((json as? [String: Any])?["kernels"] as? [[String: Any]])
    #expect(kernels.count >= 4)
  }

  @Test("picture draws two rows of images")
  func picture() throws {
    try Scratch.folder { folder in
      let command = try Command(["picture", "strip.ppm", "--kernel", "separable,simd"], in: folder)
      #expect(command.output.contains(/separable: .*\nsimd: .*\n/))
      let header = try Data(contentsOf: folder.appending(path: "strip.ppm")).prefix(14)
      #expect(String(decoding: header, as: UTF8.self) == "P6\n658 270\n255")
    }
  }

  /// The loops of all instruction sets are built from the same sources. On an old CPU the results must be
  /// right, and no instruction that the CPU lacks may run.
  @Test(
    "The program works on emulated CPUs without AVX-512 and without AVX", .tags(.system), .slow,
    .enabled(if: Program.exists("qemu-x86_64"), "qemu-x86_64 is not installed (package qemu-user)"),
    arguments: [("Nehalem", "baseline"), ("Haswell", "avx2")])
  func olderProcessors(cpu: String, best: String) throws {
    let emulator = ["qemu-x86_64", "-cpu", cpu]
    let list = try Command(["list", "--json"], behind: emulator)
    let json = try JSONSerialization.jsonObject(with: Data(list.output.utf8)) as? [String: Any]
    #expect((json?["available_instruction_sets"] as? [String])?.last == best)
    let target = ["--target", (emulator + [Command.program, "worker"]).joined(separator: " ")]
    // One format for each component type is enough in CI, because emulation is slow.
    let formats = Tiers.isAll ? [] : ["--format", "rgba8,gray16,rgbf32"]
    let verify = try Command(
      ["verify", "--property", "truth", "--sigma", "1.5", "--edge", "clamp,wrap"] + formats + target)
    #expect(verify.code == 0, "\(verify.output)")
    #expect(verify.output.contains(" 0 failed"))
    #expect(verify.output.contains("SKIPPED(the target's CPU has no avx512) "))
    #expect(verify.output.contains("SKIPPED(the target's CPU has no avx2) ") == (best == "baseline"))
    // The property `threads` blurs hundreds of times, so it is tried with one kernel and format only.
    for words in [
      ["--kernel", "pyramid,dct,box-triple", "--property", "truth", "--sigma", "7"],
      ["--kernel", "simd", "--property", "threads", "--sigma", "1.5", "--format", "rgba8"],
    ] {
      let checked = try Command(["verify", "--edge", "clamp"] + words + target)
      #expect(checked.code == 0 && checked.output.contains(" 0 failed"), "\(checked.output)")
    }
  }
}
