import Blur
import Synchronization
import Testing

@testable import BlurMeasurement
@testable import BlurRecords

@Suite("Repeated blurs of one case")
struct RepeatedBlurTests {
  private func item(_ kernel: String, isa: InstructionSet = .baseline) throws -> Case {
    let layout = try ImageLayout(.gray8, width: 5, height: 7, stride: 11)
    return Case(
      kernel: kernel, isa: isa, workload: Workload(threads: 1, layout: layout, sigma: 1, edge: .clamp))
  }

  /// A kernel that counts the rows it writes. It also counts unexpected inputs, whose rows differ from each
  /// other or have only one colour.
  private struct Counting: TestKernel {
    let name = "counting"
    static let rows = Atomic<Int>(0)
    static let oddInputs = Atomic<Int>(0)
    func value(_ units: Range<Int>, _ buffers: PhaseContext) -> UInt8 {
      let layout = buffers.source.layout
      Self.rows.wrappingAdd(units.count, ordering: .relaxed)
      let rows = (0..<layout.height).map { y in
        Array(UnsafeRawBufferPointer(start: buffers.source.unsafeRow(y), count: layout.width))
      }
      if Set(rows).count != 1 || Set(rows[0]).count == 1 {
        Self.oddInputs.wrappingAdd(1, ordering: .relaxed)
      }
      return 1
    }
  }

  @Test("The requested number of blurs is made, on rows of noise")
  func count() throws {
    for iterations in [1, 4] {
      let before = Counting.rows.load(ordering: .relaxed)
      try item("counting").blur(iterations: iterations, kernels: [Kernel(Counting())])
      #expect(Counting.rows.load(ordering: .relaxed) - before == 7 * iterations)
    }
    #expect(Counting.oddInputs.load(ordering: .relaxed) == 0)
  }

  @Test("A case that cannot run exactly as named is rejected")
  func refusals() throws {
    let kernels = Registry.kernels + [Kernel(Steady())]
    let attempts: [(Case, Int, String)] = [
      (try item("simd"), 0, "must be at least 1"), (try item("smd"), 1, "did you mean 'simd'?"),
      (try item("steady", isa: .avx2), 1, "runs with isa=baseline here, not with isa=avx2"),
    ]
    for (item, iterations, message) in attempts {
      let error = #expect(throws: MeasurementError.self) {
        try item.blur(iterations: iterations, kernels: kernels)
      }
      #expect(error?.description.contains(message) == true)
    }
  }
}
