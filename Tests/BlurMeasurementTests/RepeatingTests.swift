import Blur
import Foundation
import Synchronization
import Testing

@testable import BlurMeasurement
@testable import BlurRecords

@Suite("Kernels that repeat a share of their rows", .serialized)
struct RepeatingTests {
  /// Counts the rows it does.
  struct Counting: TestKernel {
    let name = "counting"
    static let rows = Atomic<Int>(0)
    func value(_ units: Range<Int>, _ buffers: BlurBuffers) -> UInt8 {
      Self.rows.wrappingAdd(units.count, ordering: .relaxed)
      return 9
    }
  }

  @Test("5 % of the rows are done twice, in each strip its own", arguments: [1, 2, 3])
  func share(threads: Int) throws {
    let layout = try ImageLayout(.gray8, width: 10, height: 200)
    let kernel = Kernel(Counting()).repeating(0.05)
    let plan = try BlurPlan(kernel, for: layout, BlurParameters(sigma: Sigma(2)), threads: threads)
    let image = try Image(layout)
    var result = try Image(layout)
    let before = Counting.rows.load(ordering: .relaxed)
    try plan.blur(image, into: &result)
    let rows = Counting.rows.load(ordering: .relaxed) - before
    // Each strip rounds to whole rows.
    #expect(abs(rows - 210) <= (threads == 1 ? 0 : 4))
  }

  @Test("The result has the same bits", arguments: Registry.kernels.map(\.name))
  func bits(name: String) throws {
    let kernel = try Registry.kernel(named: name)
    let layout = try ImageLayout(.rgba8, width: 70, height: 190)
    var image = try Image(layout)
    image.withMutableView { view in
      for y in 0..<layout.height {
        for x in 0..<layout.rowBytes {
          view.row(y).storeBytes(of: UInt8((x * 7 + y * 13) % 251), toByteOffset: x, as: UInt8.self)
        }
      }
    }
    let parameters = BlurParameters(sigma: try Sigma(4))
    let slower: BlurPlan
    do { slower = try BlurPlan(kernel.repeating(0.3), for: layout, parameters, threads: 2) } catch {
      // Some begin with a window that is larger than the share.
      #expect(error.description.hasSuffix("repeating a share of 0.3 of its rows: one row costs more"))
      return
    }
    var (expected, found) = (try Image(layout), try Image(layout))
    try BlurPlan(kernel, for: layout, parameters).blur(image, into: &expected)
    try slower.blur(image, into: &found)
    #expect(PixelHash.of(found) == PixelHash.of(expected))
  }

  @Test("What begins with a whole window is refused where one row costs more")
  func overlap() throws {
    let leading = Kernel(name: "leading", summary: "for tests", promise: .nothing) {
      (_) throws(BlurError) in FillPlan([Phase(units: 100, overlap: 20)]) { _, _ in 9 }
    }
    let layout = try ImageLayout(.gray8, width: 10, height: 100)
    let parameters = BlurParameters(sigma: try Sigma(2))
    #expect(throws: BlurError.self) {
      try BlurPlan(leading.repeating(0.05), for: layout, parameters)
    }
    // (0.2 · 120) − 20 rows.
    #expect(throws: Never.self) {
      try BlurPlan(leading.repeating(0.2), for: layout, parameters)
    }
  }

  @Test(
    "All that the executor has to know of the kernel stays as it is", arguments: Registry.kernels.map(\.name))
  func facts(name: String) throws {
    let kernel = try Registry.kernel(named: name)
    let layout = try ImageLayout(.gray8, width: 70, height: 900)
    let parameters = BlurParameters(
      sigma: try Sigma(4), region: Region(x: 3, y: 20, width: 50, height: 800))
    let plan = try kernel.plan(parameters, for: layout, threads: 2)
    let slower = try kernel.repeating(0.9).plan(parameters, for: layout, threads: 2)
    #expect(slower.facts == plan.facts)
  }
}
