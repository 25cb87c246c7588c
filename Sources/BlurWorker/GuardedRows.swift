import Blur

/// Pixels with bytes around them that no kernel may write: before, after, and between the rows.
struct GuardedRows {
  private let layout: ImageLayout
  private let start: Int
  /// Rows of bytes as long as the stride, some of them before and after the pixels.
  private var memory: Image

  private static let guardByte: UInt8 = 0xA5

  /// Reads the bytes from row to row, and from an aligned address to the pixels.
  init(
    _ format: PixelFormat, _ size: Region, _ message: inout MessageReader
  ) throws(WireError) {
    let (stride, shift) = (try message.number(), try message.number())
    guard (0..<WorkerProtocol.alignment).contains(shift) else {
      throw WireError("pixels \(shift) bytes from an aligned address: must be from 0 to 63")
    }
    do throws(BlurError) {
      layout = try ImageLayout(format, width: size.width, height: size.height, stride: stride)
      // Room for what aligns the start, and for the shift; at least one row.
      let rows = 2 * WorkerProtocol.alignment / stride + 1
      memory = try Image(ImageLayout(.gray8, width: stride, height: size.height + 2 * rows))
      let lead = stride * rows
      start = (lead - lead % WorkerProtocol.alignment) + shift
      _ = memory.withMutableView { $0.bytes.initializeMemory(as: UInt8.self, repeating: Self.guardByte) }
    } catch {
      throw WireError(error.description)
    }
  }

  /// Lends the pixels.
  mutating func withView<Result>(
    _ body: (MutableImageView) throws(WireError) -> Result
  ) throws(WireError) -> Result {
    try memory.withMutableView { (view) throws(WireError) in
      // SAFETY: the memory has at least `start` bytes before the pixels' first row and one row after the
      // last.
      try body(MutableImageView(view.base + start, layout))
    }
  }

  mutating func fill(from message: inout MessageReader) throws(WireError) {
    try withView { (view) throws(WireError) in try message.pixels(into: view) }
  }

  private static func bytes(_ count: Int) -> String { count == 1 ? "1 byte" : "\(count) bytes" }

  /// Where something was written that is no pixel, or nil.
  var damage: String? {
    memory.withView { view in
      let bytes = UnsafeRawBufferPointer(start: view.base, count: view.layout.byteCount)
      for place in 0..<start where bytes[place] != Self.guardByte {
        return Self.bytes(start - place) + " before the result"
      }
      for place in start..<bytes.count where bytes[place] != Self.guardByte {
        let (row, column) = ((place - start) / layout.stride, (place - start) % layout.stride)
        if row >= layout.height {
          return Self.bytes(place - start - layout.byteCount + 1) + " beyond the result"
        }
        if column >= layout.rowBytes { return "the padding of row \(row)" }
      }
      return nil
    }
  }
}

extension MutableImageView {
  /// All bytes from the first pixel to the last.
  fileprivate var bytes: UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(start: base, count: layout.byteCount)
  }
}
