import BlurMeasurement
import BlurRecords
import BlurServer
import Foundation
import TestSupport
import Testing

@testable import BlurComparison

@Suite(
  "Instruction counts by callgrind", .tags(.system), .slow,
  .enabled(
    if: Program.exists("valgrind") && Program.exists("strip"),
    "valgrind or strip is not installed (packages valgrind and binutils)"))
struct CallgrindTests {
  private func name(
    _ size: String, kernel: String = "simd", threads: Int = 1, format: String = "rgba8"
  ) -> String {
    "BM_Blur/kernel=\(kernel)/isa=baseline/threads=\(threads)/format=\(format)/size=\(size)"
      + "/sigma=3/edge=clamp"
  }

  private func count(_ name: String) throws -> (name: String, perBlur: Double, note: String?) {
    try Callgrind().instructions(of: name, executable: Command.program)
  }

  @Test("The same case has the same count to 0.1 %, and twice the rows take about twice as many")
  func counts() throws {
    let first = try count(name("160x120"))
    let second = try count(name("160x120", threads: 2))
    #expect(abs(second.perBlur / first.perBlur - 1) < 0.001)
    #expect(first.note == nil && second.note == "instructions were counted with threads=1 instead of 2")
    #expect(second.name == first.name)
    let taller = try count(name("160x240"))
    #expect((1.9...2.1).contains(taller.perBlur / first.perBlur))
  }

  /// The lower bound follows from the definition of a blur, which has a product for each tap of a square
  /// window. The window reaches 3 sigma, or 9 pixels, to each side.
  @Test("The definition of a blur takes at least one instruction for 16 products")
  func absolute() throws {
    let window = 2 * 9 + 1
    let products = Double(20 * 15 * 4 * window * window)
    #expect(try count(name("20x15", kernel: "naive")).perBlur > products / 16)
  }

  @Test("The reason for a missing count is one line that says what is wrong")
  func refusals() throws {
    let small = name("64x48")
    let attempts: [(Callgrind, name: String, executable: String, message: String)] = [
      (try Callgrind(), small, "/nowhere/blurbench", "/nowhere/blurbench: is not an executable program"),
      (try Callgrind(), small, Command.package.appending(path: "Tests/run").path, "strip cannot read it"),
      (try Callgrind(), small, "/usr/bin/true", "/usr/bin/true does not seem to blur"),
      (try Callgrind(), name("64x48", kernel: "smd"), Command.program, "did you mean 'simd'?"),
      (try Callgrind(), name("64x0"), Command.program, "size=64x0 is not understood"),
      (
        try Callgrind(timeout: 0.01), name("4000x4000", kernel: "naive"), Command.program,
        "callgrind took longer than 0.01 s"
      ),
    ]
    for attempt in attempts {
      let error = #expect(throws: MeasurementError.self) {
        try attempt.0.instructions(of: attempt.name, executable: attempt.executable)
      }
      let message = error?.description ?? ""
      #expect(message.contains(attempt.message), "\(message)")
      #expect(!message.contains("\n"))
    }
  }

  @Test(
    "The kernels of a plug-in are counted as well",
    .enabled(if: Program.exists("cc"), "no C compiler is installed"))
  func plugin() throws {
    try Scratch.folder { folder in
      let library = try PluginTests.compile("Bench/Peers/Template/template.c", into: folder)
      let name = name("64x48", kernel: "template-gaussian", format: "gray8")
      let counted = try Callgrind().instructions(of: name, executable: Command.program, libraries: [library])
      #expect(counted.perBlur > 64 * 48)
    }
  }

  @Test(
    "A blur with more instructions fails only with the gate, whatever its time is",
    .enabled(if: Program.exists("cc"), "no C compiler is installed"))
  func gate() throws {
    try Scratch.folder { folder in
      let source = try String(
        contentsOf: Command.package.appending(path: "Bench/Peers/Template/template.c"), encoding: .utf8)
      // The plug-in calls this line once per row. The test inserts an extra loop before it, which costs
      // instructions but does not change the output. The loop variable is volatile, so no compiler can remove
      // the loop.
      let zeroing = "for (int64_t x = 0; x < count; x++) row[x] = 0;"
      try #require(source.contains(zeroing))
      let costly = source.replacingOccurrences(
        of: zeroing, with: "for (volatile int i = 0; i < 200; i++) {} " + zeroing)
      let sides = try [("old", source), ("new", costly)].map {
        try CompareTests.compiled($1, as: $0, in: folder)
      }
      let words = ["--kernel", "template-gaussian", "--threshold", "1000%"] + CompareTests.small
      let gated = try Command(
        ["compare"] + sides + words + ["--gate-instructions"])
      #expect(gated.code == 3, "\(gated.output)\(gated.errors)")
      #expect(gated.output.hasPrefix("Regression: 1 with more instructions of 1 case"))
      #expect(gated.output.contains("the largest accepted growth is 1 %"))
      // With the option --gate-instructions, fewer instructions are not a fault. With --instructions alone,
      // more instructions are only reported, and are not a fault either.
      for other in [sides.reversed() + words + ["--gate-instructions"], sides + words + ["--instructions"]] {
        let free = try Command(["compare"] + other)
        // On a busy machine, the times can be too doubtful for a verdict (exit code 4).
        #expect([0, 4].contains(free.code), "\(free.output)\(free.errors)")
        #expect(free.output.contains("instructions"))
      }
    }
  }

  @Test(
    "An executable that lacks the command is reported as an older build",
    .enabled(if: Program.exists("cc"), "no C compiler is installed"))
  func older() throws {
    try Scratch.folder { folder in
      let source = folder.appending(path: "old.c")
      try Data("int main(void) { return 64; }".utf8).write(to: source)
      let program = folder.appending(path: "old").path
      let compiler = try FinishedProcess(["cc", "-o", program, source.path], keepsErrors: true)
      try #require(compiler.isGood, "\(compiler.output)")
      let error = #expect(throws: MeasurementError.self) {
        try Callgrind().instructions(of: name("64x48"), executable: program)
      }
      #expect(error?.description.hasSuffix("it may be an older build") == true)
    }
  }
}
