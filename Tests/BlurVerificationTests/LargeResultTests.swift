import Blur
import Testing

@testable import BlurVerification

/// Tests of results that are larger than 16 MiB. Some kernels write such results with non-temporal stores, if
/// the alignment of the rows allows that.
@Suite struct LargeResultTests {
  /// The results are slightly larger than 16 MiB. Their rows end in the middle of a vector. Either all rows
  /// begin at an address that is aligned for vectors, or only some of them do.
  @Test(
    "A large result has the same bytes as its two halves, blurred separately",
    arguments: [(PixelFormat.rgba8, 2100), (.gray8, 4210)])
  func largeResultsAreThoseOfTheirParts(_ format: PixelFormat, _ side: Int) throws {
    let image = try TestImage.noise.image(ImageLayout(format, width: side, height: side), seed: 1)
    let bytes = image.layout.byteCount
    #expect(bytes > 16 << 20 && bytes / 2 < 16 << 20)
    for set in InstructionSet.available {
      func plan(_ rows: Range<Int>) throws -> BlurPlan {
        let region = Region(x: 0, y: rows.lowerBound, width: side, height: rows.count)
        let parameters = BlurParameters(
          sigma: try Sigma(10), edge: .mirror, region: region, instructionSet: set)
        return try BlurPlan(Registry.kernel(named: "pyramid"), for: image.layout, parameters, threads: 2)
      }
      var expected = try Image(image.layout)
      for rows in [0..<side / 2, side / 2..<side] {
        let part = Region(x: 0, y: rows.lowerBound, width: side, height: rows.count)
        let plan = try plan(rows)
        try image.withView { source in
          try expected.withMutableView { try plan.blur(source, into: $0.cropped(to: part)) }
        }
      }
      let whole = try plan(0..<side)
      for padding in [4, 64 - image.layout.rowBytes % 64] {
        let target = try GuardedCopy(Image(image.layout), extraStride: padding, shift: 0)
        try image.withView { try whole.blur($0, into: target.view) }
        #expect(target.damage == nil, "\(set.name), rows padded by \(padding) bytes")
        #expect(try Self.areSame(target.image(), expected), "\(set.name), rows padded by \(padding) bytes")
      }
    }
  }

  private static func areSame(_ a: Image, _ b: Image) -> Bool {
    let count = a.layout.byteCount
    return a.withView { a in
      b.withView { b in
        // SAFETY: both images have the layout of `a`, which has no padding, so each view has `count` bytes.
        UnsafeRawBufferPointer(start: a.unsafeBase, count: count).elementsEqual(
          UnsafeRawBufferPointer(start: b.unsafeBase, count: count))
      }
    }
  }
}
