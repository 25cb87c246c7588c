import Blur

/// Scrambles the bytes of rows, and restores them when it is done again. A blur of what is scrambled is not
/// the blur scrambled, as it would be if bits were inverted: that is a picture's negative.
final class ShuffledRows: RowEpilogue {
  func finish(_ rows: Range<Int>, in target: MutableImageView) {
    for row in rows {
      // SAFETY: a row holds this many bytes.
      let bytes = UnsafeMutableRawBufferPointer(start: target.row(row), count: target.layout.rowBytes)
      for i in bytes.indices { bytes[i] ^= 0xA5 }
    }
  }
}

extension KernelUnderTest {
  /// Expects each row to be handed on once, when it is what `expected` has, where rows follow each other
  /// without padding.
  func expectRowsFinished(_ image: Image, _ expected: Image, sigma: Sigma? = nil) throws {
    var result = try Image(layout(image.layout.width, image.layout.height))
    let plan = try plan(image.layout, sigma: sigma)
    try image.withView { source in
      try result.withMutableView { target in
        try plan.blur(source, into: target, epilogue: ShuffledRows())
        ShuffledRows().finish(0..<target.layout.height, in: target)
      }
    }
    try expectSame(result, expected, of: image, "rows that are handed on as soon as they are written")
  }
}
