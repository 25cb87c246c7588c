import Blur
import Synchronization
import Testing

@testable import BlurVerification

@Suite("Diagnoses of failures")
struct DiagnosisTests {
  /// A kernel that leaves the last row of the destination as it was.
  private enum LeavesRow: Mutant {
    static func run(_ blur: PlainBlur, _ units: Range<Int>, _ buffers: PhaseContext) {
      let rows = units.clamped(to: 0..<max(1, blur.region.height - 1))
      if !rows.isEmpty { blur.run(rows, buffers) }
    }
  }

  /// Three boxes of three pixels, each of which repeats the pixels at the edge again if `isWrong` is true.
  ///
  /// The colour of a constant edge is always 0. If `mirrorsOnce` is true, the kernel mirrors the image only
  /// once at each edge, and continues it with clamped edges.
  private struct Boxes: BlurKernel {
    let isWrong: Bool
    var mirrorsOnce = false
    let name = "boxes"
    let summary = "a test"
    let promise = Promise.approximation(levels: 15)

    func plan(_ problem: BlurProblem) -> any Plan {
      let (layout, edge) = (problem.layout, problem.edge)
      let reads = problem.layout.bounds
      return ClosurePlan(PlanFacts(phases: [Phase(units: 1)], reads: reads)) { buffers in
        for x in 0..<layout.width {
          let column = (0..<layout.height).map { buffers.source.value(x, $0) }
          for (y, value) in blurred(column, edge).enumerated() {
            buffers.destination.setValue(x, y, to: value.rounded())
          }
        }
        buffers.finished(0..<layout.height)
      }
    }

    private func blurred(_ line: [Double], _ edge: EdgeMode) -> [Double] {
      let last = line.count - 1
      func index(_ i: Int) -> Int? {
        guard mirrorsOnce else { return edge.index(of: i, count: line.count) }
        return min(max(0, i < 0 ? -i : i > last ? 2 * last - i : i), last)
      }
      func extended(_ line: [Double], _ margin: Int) -> [Double] {
        (-margin..<line.count + margin).map { index($0).map { line[$0] } ?? 0 }
      }
      func box(_ line: [Double]) -> [Double] {
        line.indices.dropFirst().dropLast().map { (line[$0 - 1] + line[$0] + line[$0 + 1]) / 3 }
      }
      guard isWrong else { return box(box(box(extended(line, 3)))) }
      return (0..<3).reduce(line) { line, _ in box(extended(line, 1)) }
    }
  }

  private func diagnosis(
    _ kernel: Kernel, _ edge: EdgeMode = .clamp, _ image: SampleImage? = nil, format: PixelFormat = .gray8
  ) throws -> Diagnosis? {
    let subject = Subject(format, sigma: try Sigma(x: 0, y: 1.5), edge: edge, image: image)
    return Check(kernel, .truth, subject, failure: "off").diagnosis(seconds: 60)
  }

  @Test("A result that depends on uninitialised memory is reported with the memory")
  func memory() throws {
    let row = try diagnosis(Kernel(MutantKernel<LeavesRow>()))
    #expect(row?.cause == "depends on uninitialised memory (the destination)")
    let scratch = try diagnosis(Kernel(MutantKernel<TrustsScratch>()))
    #expect(scratch?.cause == "depends on uninitialised memory (the scratch memory)")
    #expect(try diagnosis(Kernel(MutantKernel<Darkened>())) == nil)
    #expect(try diagnosis(Kernel(MutantKernel<Honest>())) == nil)
  }

  /// A kernel that writes another value in every blur: in the first row, or only if there are several
  /// threads.
  private struct Changing: BlurKernel {
    let isRace: Bool
    let name = "changing"
    let summary = "a test"
    let promise = Promise.exact()
    private static let blurs = Atomic(0)

    func plan(_ problem: BlurProblem) -> any Plan {
      return ClosurePlan(PlanFacts(phases: [Phase(units: 1)])) { [isRace] buffers in
        let number = Self.blurs.add(1, ordering: .relaxed).newValue
        for y in 0..<problem.layout.height {
          for x in 0..<problem.layout.width {
            let changes = y == 0 && (!isRace || problem.threads > 1)
            buffers.destination.setValue(x, y, to: changes ? Double(number % 200) : 0)
          }
        }
      }
    }
  }

  @Test("Results that differ from blur to blur are called a race only if they do not differ on one thread")
  func races() throws {
    let race = try diagnosis(Kernel(Changing(isRace: true)))
    #expect(race?.cause == "a race between threads")
    #expect(race?.advice.contains("with 3 threads") == true)
    let other = try diagnosis(Kernel(Changing(isRace: false)))
    #expect(other?.cause == "differs from blur to blur")
  }

  /// A kernel that leaves the last column black if the width is a multiple of 64.
  private enum BlockEnd: Mutant {
    static func run(_ blur: PlainBlur, _ units: Range<Int>, _ buffers: PhaseContext) {
      blur.run(units, buffers)
      guard blur.width % 64 == 0, blur.region.x + blur.region.width == blur.width else { return }
      for y in units { buffers.destination.setValue(blur.region.width - 1, y, to: 0) }
    }
  }

  @Test("A mistake at the end of a block is not taken for wrong edges")
  func blockEnd() throws {
    let advice = try diagnosis(Kernel(MutantKernel<BlockEnd>()))?.advice
    #expect(advice?.contains("with a width of 64 pixels, but not with 65, 67, 69") == true)
  }

  @Test("Boxes that extend the edges again in every pass are told apart from other wrong kernels")
  func edges() throws {
    let advice = try diagnosis(Kernel(Boxes(isWrong: true)), .transparent)?.advice
    #expect(advice?.contains("each pass extends the image beyond its edges again") == true)
    #expect(try diagnosis(Kernel(Boxes(isWrong: false)), .transparent) == nil)
  }

  @Test(
    "If only one channel of the edges is wrong, this channel is named, and no pass extends the image again",
    arguments: [EdgeMode.transparent, .constant([90, 60, 30, 120])])
  func channel(edge: EdgeMode) throws {
    let advice = try diagnosis(Kernel(MutantKernel<OpaqueEdge>()), edge, format: .rgba8)?.advice
    #expect(
      advice == "only the edges are wrong, and only in channel 3: the kernel keeps its promise if the image "
        + "is extended by hand")
  }

  @Test("If the edges are wrong only with a colour, the colour is wrong")
  func colour() throws {
    let edge = EdgeMode.constant(SIMD4(repeating: 200))
    let advice = try diagnosis(Kernel(Boxes(isWrong: false)), edge)?.advice
    #expect(advice?.contains("the colour of the edge is wrong") == true)
    #expect(advice?.contains("each pass") == false)
  }

  /// In an image of two rows, pixel −2 is mirrored to 0, but this kernel reads pixel 1. The window has a
  /// radius of six sigmas, which is 9 pixels.
  @Test("An edge mode that is not repeated is told apart from a mistake at the end of a column")
  func shortImage() throws {
    let image = SampleImage(kind: .noise, width: 40, height: 2)
    let advice = try diagnosis(Kernel(Boxes(isWrong: false, mirrorsOnce: true)), .mirror, image)?.advice
    #expect(
      advice == "the blur is wrong if the window is longer than the image: with a height of 2 pixels, but "
        + "not with 10, 12, 14. The usual cause is an edge mode whose pattern is not repeated beyond the "
        + "first copy of the image")
    #expect(try diagnosis(Kernel(Boxes(isWrong: false)), .mirror, image) == nil)
  }

  /// A kernel that makes each pixel of an 8-bit image 0.3 levels brighter, which no single pixel shows.
  private enum Brightened: Mutant {
    static func mutate(_ blur: inout PlainBlur) { blur.finish = { $0 + 0.3 } }
  }

  @Test("If only the mean is wrong, all properties that notice it give the same cause")
  func mean() throws {
    let image = SampleImage(kind: .noise, width: 151, height: 113)
    let subject = Subject(.gray8, sigma: try Sigma(2.5), image: image)
    let kernel = Kernel(MutantKernel<Brightened>())
    for property in [Property.quality, .bias] {
      let check = Check(
        kernel: kernel, property: property, subject: subject, outcome: property.check(kernel, subject))
      #expect(VerificationSummary([check]).cause == "wrong on average")
    }
    #expect(Property.truth.check(kernel, subject).failure == nil)
  }

  @Test(
    "The title of a failure without a result follows from its message",
    arguments: [
      (
        "crashed: signal 11 (segmentation fault): write 1 byte beyond the end of row 0 of the "
          + "destination; an inaccessible page of memory is there to detect this", "writes outside the result"
      ),
      (
        "crashed: signal 11 (segmentation fault): read 9 bytes beyond the end of row 2 of the "
          + "source (where row 3 would be), or 8 bytes before the start of row 0 of the "
          + "destination; an inaccessible page",
        "reads outside the source"
      ),
      ("crashed: signal 11 (segmentation fault): read at address 0x8, far from any image", "crashes"),
      ("crashed: signal 6 (aborted)", "crashes"), ("hangs: no answer within 1.5 s", "hangs"),
      ("kernel mine failed: plan has changed the rounding mode", "changes the state of the CPU"),
      (
        "kernel mine failed: blur has changed whether the CPU replaces denormal numbers by 0",
        "changes the state of the CPU"
      ),
      ("kernel changes failed: out of luck", "fails"),
    ])
  func ends(message: String, cause: String) {
    #expect(VerificationSummary.cause(ofEnd: message) == cause)
  }
}

/// A plan with one unit of work, which is a closure.
private final class ClosurePlan: Plan {
  let facts: PlanFacts
  private let body: @Sendable (PhaseContext) -> Void

  init(_ facts: PlanFacts, body: @escaping @Sendable (PhaseContext) -> Void) {
    (self.facts, self.body) = (facts, body)
  }

  func run(_ phase: Int, _ units: Range<Int>, _ buffers: PhaseContext) { body(buffers) }
}
