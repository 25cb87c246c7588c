import Blur

/// Rows of pixels surrounded by guard bytes, which no kernel may write: before the first row, after the last
/// one, and in the padding between rows.
struct GuardedRows {
  private let layout: ImageLayout
  private let start: Int
  /// The memory that holds the pixels and the guard bytes. It is allocated as a gray image whose width is the
  /// stride in bytes, with additional rows above and below the pixels.
  private var memory: Image

  private static let guardByte: UInt8 = 0xA5

  /// Allocates memory for an image with the width and height of the region `size`, and for guard bytes around
  /// the image. The next two numbers of the request `message` say how to place the image in memory. The first
  /// is the stride, which is the number of bytes from the start of one row to the start of the next. The
  /// second is the number of bytes from an aligned address to the first pixel.
  init(
    _ format: PixelFormat, _ size: Region, _ message: inout MessageReader
  ) throws(WireError) {
    let (stride, shift) = (try message.number(), try message.number())
    guard (0..<TargetProtocol.alignment).contains(shift) else {
      throw WireError(
        "the pixels begin \(shift) bytes after an aligned address; this must be from 0 to 63 bytes")
    }
    do throws(BlurError) {
      layout = try ImageLayout(format, width: size.width, height: size.height, stride: stride)
      // The number of rows with guard bytes above the pixels, which is also the number of such rows below the
      // pixels. These rows provide enough bytes to align the first pixel and then shift it.
      let rows = 2 * TargetProtocol.alignment / stride + 1
      memory = try Image(ImageLayout(.gray8, width: stride, height: size.height + 2 * rows))
      let lead = stride * rows
      start = (lead - lead % TargetProtocol.alignment) + shift
      _ = memory.withMutableView { $0.bytes.initializeMemory(as: UInt8.self, repeating: Self.guardByte) }
    } catch {
      throw WireError(error.description)
    }
  }

  /// Calls `body` with a view of the pixels.
  mutating func withView<Result>(
    _ body: (MutableImageView) throws(WireError) -> Result
  ) throws(WireError) -> Result {
    try memory.withMutableView { (view) throws(WireError) in
      // SAFETY: at least `start` bytes of `memory` lie before the first pixel, and at least 64 bytes after
      // the last row. The memory stays allocated until `body` returns.
      try body(MutableImageView(view.base + start, layout))
    }
  }

  mutating func fill(from message: inout MessageReader) throws(WireError) {
    try withView { (view) throws(WireError) in try message.pixels(into: view) }
  }

  private static func bytes(_ count: Int) -> String { count == 1 ? "1 byte" : "\(count) bytes" }

  /// A description of the first place outside the pixels where a guard byte has changed, or nil if none has.
  var damage: String? {
    memory.withView { view in
      let bytes = UnsafeRawBufferPointer(start: view.base, count: view.layout.byteCount)
      for place in 0..<start where bytes[place] != Self.guardByte {
        return Self.bytes(start - place) + " before its start"
      }
      for place in start..<bytes.count where bytes[place] != Self.guardByte {
        let (row, column) = ((place - start) / layout.stride, (place - start) % layout.stride)
        if row >= layout.height {
          return Self.bytes(place - start - layout.byteCount + 1) + " after its end"
        }
        if column >= layout.rowBytes { return "in the padding of row \(row)" }
      }
      return nil
    }
  }
}

extension MutableImageView {
  /// All bytes from the first pixel to the end of the last row, including the padding.
  fileprivate var bytes: UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(start: base, count: layout.byteCount)
  }
}
