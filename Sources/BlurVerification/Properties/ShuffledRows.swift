import Blur

/// An epilogue that scrambles the bytes of each finished row. Scrambling a row twice restores it.
///
/// Half of the bits are inverted. If all bits were inverted, the row would become its own negative. Blurring
/// a negative gives the negative of the blur, so a kernel that wrongly reads a finished row again would go
/// unnoticed.
final class ShuffledRows: RowEpilogue {
  func finish(_ rows: Range<Int>, in target: MutableImageView) {
    for row in rows {
      // SAFETY: a row of the target holds `rowBytes` bytes.
      let bytes = UnsafeMutableRawBufferPointer(start: target.row(row), count: target.layout.rowBytes)
      for i in bytes.indices { bytes[i] ^= 0xA5 }
    }
  }
}

extension KernelUnderTest {
  /// Checks that each row is handed to the epilogue once, and only when its pixels equal those of `expected`.
  /// The result has rows without padding.
  func expectRowsFinished(_ image: Image, _ expected: Image, sigma: Sigma? = nil) throws {
    var result = try Image(layout(image.layout.width, image.layout.height))
    let plan = try plan(image.layout, sigma: sigma)
    try image.withView { source in
      try result.withMutableView { target in
        try plan.blur(source, into: target, epilogue: ShuffledRows())
        ShuffledRows().finish(0..<target.layout.height, in: target)
      }
    }
    try expectSame(
      result, expected, of: image, "rows that the kernel reported as finished too early or more than once")
  }
}
