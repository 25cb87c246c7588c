import BlurMeasurement
import BlurRecords
import Testing

@testable import BlurComparison

@Suite("Instruction counts from callgrind's files")
struct CallgrindFileTests {
  /// An output file of callgrind with two functions of 5 and 12 instructions. Another event stands in the
  /// column before the instructions.
  static let file = """
    # callgrind format
    version: 1
    positions: line
    events: Dr Ir
    summary: 9 17

    fn=(1) totals: 3 and more
    1 4 5
    fn=(2) main
    7 5 12
    totals: 9 17

    """

  @Test("The count is read from the column with the name Ir, and only at the start of a line")
  func column() {
    #expect(Callgrind.instructions(in: Self.file) == 17)
    #expect(Callgrind.instructions(in: "events: Ir\r\ntotals: 8\r\n") == 8)
  }

  @Test("If the file ends before its totals, the summary of a part is used")
  func summary() {
    #expect(Callgrind.instructions(in: "events: Ir\nsummary: 11\n1 11\n") == 11)
  }

  @Test(
    "A text without a count gives nil",
    arguments: [
      "", "events: Ir\n", "totals: 5\n", "events: Dr\ntotals: 5\n", "events: Dr Ir\ntotals: 5\n",
      "events: Ir\ntotals: many\n", "events: Ir\ntotals: -5\n", "events: Ir\ntotals: 99999999999999999999\n",
    ])
  func nothing(_ text: String) { #expect(Callgrind.instructions(in: text) == nil) }

  @Test("AVX-512, which Valgrind lacks, is replaced by AVX2, and several threads by one")
  func countable() throws {
    let name = { (isa: String, threads: Int) in
      "BM_Blur/kernel=simd/isa=\(isa)/threads=\(threads)/format=rgba8/size=64x48/sigma=3/edge=clamp"
    }
    let wide = Callgrind.countable(try Case(name: name("avx512", 2)))
    #expect(wide.item.name == name("avx2", 1))
    let note = "instructions were counted with isa=avx2 instead of avx512 and threads=1 instead of 2"
    #expect(wide.note == note)
    for isa in ["baseline", "avx2"] {
      let narrow = Callgrind.countable(try Case(name: name(isa, 1)))
      #expect(narrow.item.name == name(isa, 1) && narrow.note == nil)
    }
  }

  @Test("Callgrind may be missing only if hardware counters can count all cases, which have one thread")
  func missing() throws {
    let cases = try [1, 2].map { threads in
      try Case(
        name: "BM_Blur/kernel=simd/isa=avx2/threads=\(threads)/format=rgba8/size=64x48/sigma=3/edge=clamp")
    }
    // The search path is empty, so Valgrind is not found even on machines that have it.
    #expect(try Callgrind.found(for: [cases[0]], hasCounters: true, path: "") == nil)
    for (cases, hasCounters) in [(cases, true), ([cases[0]], false)] {
      let error = #expect(throws: MeasurementError.self) {
        try Callgrind.found(for: cases, hasCounters: hasCounters, path: "")
      }
      #expect(error?.description == "valgrind is not installed: apt-get install valgrind")
    }
  }

  @Test("The reason for a failure is the program's last message, or else Valgrind's")
  func lastLine() {
    #expect(Callgrind.lastLine("==7== ouch\nblurbench: no kernel\n==7== bye\n") == "no kernel")
    #expect(Callgrind.lastLine("==7== first\n==7== last\n") == "==7== last")
    #expect(Callgrind.lastLine("") == "there is no error message")
  }
}
