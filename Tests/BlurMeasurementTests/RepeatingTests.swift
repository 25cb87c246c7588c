import Blur
import Foundation
import Synchronization
import Testing

@testable import BlurMeasurement

@Suite("Kernels that repeat a share of their rows", .serialized)
struct RepeatingTests {
  /// Counts the rows it does.
  struct Counting: TestKernel {
    static let name = "counting"
    static let rows = Atomic<Int>(0)
    let region: Region
    init(_ parameters: BlurParameters, layout: ImageLayout) { region = parameters.region ?? layout.bounds }
    func run(_ phase: Int, _ units: Range<Int>, _ buffers: BlurBuffers) {
      Self.rows.wrappingAdd(units.count, ordering: .relaxed)
      fill(units, buffers, with: 9)
    }
  }

  @Test("5 % of the rows are done twice, in each strip its own", arguments: [1, 2, 3])
  func share(threads: Int) throws {
    let layout = try ImageLayout(.gray8, width: 10, height: 200)
    let kernel = Kernel(Counting.self).repeating(0.05)
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
  func leadIn() throws {
    struct Leading: TestKernel {
      static let name = "leading"
      let region: Region
      init(_ parameters: BlurParameters, layout: ImageLayout) { region = parameters.region ?? layout.bounds }
      var phases: [Phase] { [Phase(units: 100, leadIn: 20)] }
      func run(_ phase: Int, _ units: Range<Int>, _ buffers: BlurBuffers) {}
    }
    let layout = try ImageLayout(.gray8, width: 10, height: 100)
    let parameters = BlurParameters(sigma: try Sigma(2))
    #expect(throws: BlurError.self) {
      try BlurPlan(Kernel(Leading.self).repeating(0.05), for: layout, parameters)
    }
    // (0.2 · 120) − 20 rows.
    #expect(throws: Never.self) {
      try BlurPlan(Kernel(Leading.self).repeating(0.2), for: layout, parameters)
    }
  }
}
