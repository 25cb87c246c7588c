import TestSupport
import Testing

@testable import Blur

@Suite("Epilogues that finish rows")
struct RowEpilogueTests {
  /// An epilogue that changes each byte depending on its row. Applying it twice has another result than
  /// applying it once.
  private final class Marks: RowEpilogue {
    func finish(_ rows: Range<Int>, in target: MutableImageView) {
      for y in rows {
        for x in 0..<target.layout.rowBytes {
          let byte = target.unsafeRow(y).load(fromByteOffset: x, as: UInt8.self)
          target.unsafeRow(y).storeBytes(
            of: byte &* 3 &+ UInt8(truncatingIfNeeded: y), toByteOffset: x, as: UInt8.self)
        }
      }
    }
  }

  @Test(
    "Rows are finished once, with the same bits as if they were finished after the blur",
    arguments: Registry.kernels.map(\.name))
  func sameAsAfterwards(name: String) throws {
    let kernel = try Registry.kernel(named: name)
    var tried = 0
    let images = try [PixelFormat.gray8, .rgb8, .rgba8, .gray16, .grayf32].map {
      try Image.noise(ImageLayout($0, width: 67, height: 83))
    }
    for (image, threads) in images.flatMap({ image in (Tiers.isAll ? [1, 2, 5] : [1, 3]).map { (image, $0) } }
    ) {
      let format = image.layout.format
      for (sigma, region) in [
        (0.0, nil), (1.5, nil), (2.5, Region(x: 5, y: 9, width: 41, height: 30)), (11, nil),
        (9, Region(x: 1, y: 3, width: 60, height: 70)),
      ] {
        let parameters = BlurParameters(sigma: try Sigma(sigma), region: region)
        if kernel.planningError(of: parameters, for: image.layout) != nil { continue }
        let plan = try BlurPlan(kernel, for: image.layout, parameters, threads: threads)
        let layout = try ImageLayout(format, width: plan.region.width, height: plan.region.height)
        var (expected, found) = (try Image(layout), try Image(layout))
        try plan.blur(image, into: &expected)
        expected.withMutableView { Marks().finish(0..<layout.height, in: $0) }
        try image.withViews(into: &found) { (source, target) throws(BlurError) in
          try plan.blur(source, into: target, epilogue: Marks())
        }
        // The arrays are compared outside of `#expect`, because after a failure `#expect` would print both
        // arrays, which would take minutes.
        let areSame = found.bytes == expected.bytes
        #expect(areSame, "\(format), \(threads) threads, sigma \(sigma)")
        tried += 1
      }
    }
    #expect(tried >= 25)
  }
}
