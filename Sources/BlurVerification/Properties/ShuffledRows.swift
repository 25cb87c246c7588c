import Blur

/// An epilogue, which is an operation that the kernel applies to each row of its result as soon as the row is
/// finished. This epilogue scrambles the row by inverting half of its bits. Scrambling a row twice restores
/// it.
///
/// If a kernel wrongly reads a finished row again, its result becomes wrong. The other half of the bits is
/// kept, because inverting all bits would turn the row into its own negative. Blurring a negative gives the
/// negative of the blur, so the mistake would go unnoticed.
final class ShuffledRows: RowEpilogue {
  func finish(_ rows: Range<Int>, in target: MutableImageView) {
    for row in rows {
      // SAFETY: a row of the target holds `rowBytes` bytes.
      let bytes = UnsafeMutableRawBufferPointer(start: target.unsafeRow(row), count: target.layout.rowBytes)
      for i in bytes.indices { bytes[i] ^= 0xA5 }
    }
  }
}

extension KernelUnderTest {
  /// Checks that the kernel reports each row of the result as finished, and that the row then equals the same
  /// row of `expected`. A kernel must not report a row a second time unless it has written the row again. The
  /// rows of the result have no padding. Some kernels, such as plug-ins, do not report rows. For these
  /// kernels, the whole result is compared with `expected`.
  func expectRowsFinished(_ image: Image, _ expected: Image, sigma: Sigma? = nil) throws {
    var result = try Image(layout(image.layout.width, image.layout.height))
    let plan = try plan(image.layout, sigma: sigma)
    try image.withView { source in
      try result.withMutableView { target in
        try plan.blur(source, into: target, epilogue: ShuffledRows())
        ShuffledRows().finish(0..<target.layout.height, in: target)
      }
    }
    let what =
      try facts(image.layout).hasRowEpilogue
      ? "result whose rows another operation changed as soon as the kernel had finished them"
      : "result of a second blur of the same image"
    try expectSame(result, expected, of: image, what)
  }
}
