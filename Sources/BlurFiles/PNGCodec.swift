import Blur
import PNGShim

/// Reads PNG files of every colour type and bit depth with libpng, row by row.
final class PNGReader: RowReader {
  static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  /// The largest compression ratio of Deflate: one byte decodes to at most 1032 bytes.
  private static let bestRatio = 1032

  let shape: Samples.Shape
  private let file: InputFile
  private let reader: OpaquePointer
  private let isInterlaced: Bool
  /// The rows of an interlaced file, which can only be decoded as a whole, and the index of the row to return
  /// next. The value is nil until the first row is read.
  private var whole: (samples: Samples, next: Int)?

  /// Creates a reader and reads the header of the file.
  ///
  /// - Parameter file: The file, positioned at the PNG signature.
  init(_ file: InputFile) throws(ImageDataError) {
    var header = png_shim_header()
    var opened: OpaquePointer?
    try PNGCall.reading {
      opened = png_shim_open_reader(file.stream.handle, &header, $0)
      return opened != nil
    }
    guard let opened else { throw .init("cannot be read: libpng could not create a reader") }
    (self.file, reader, isInterlaced) = (file, opened, header.is_interlaced)
    shape = Samples.Shape(
      width: Int(header.width), height: Int(header.height), channels: Int(header.channels),
      depth: header.bits == 16 ? .bits16 : .bits8)
    guard shape.width * Int(header.bits_per_pixel) / 8 * shape.height <= file.byteCount * Self.bestRatio
    else {
      throw .init(
        "declares \(shape.width)x\(shape.height) pixels, more than its \(file.byteCount) bytes can hold")
    }
    try PNGCall.reading { png_shim_start(reader, shape.rowBytes, $0) }
  }

  deinit { png_shim_close_reader(reader) }

  var wholeOnly: String? {
    isInterlaced
      ? "is an interlaced PNG, which cannot be read row by row; save it without interlacing" : nil
  }

  func read(into samples: inout Samples, row y: Int) throws(ImageDataError) {
    let count = shape.rowBytes
    guard isInterlaced else {
      return try PNGCall.reading { message in
        samples.bytes.withUnsafeMutableBufferPointer { bytes in
          // SAFETY: row `y` lies inside the bytes of `samples`, which hold `count` bytes for each row.
          png_shim_read_row(reader, bytes.start + y * count, message)
        }
      }
    }
    let (all, next) = if let whole { whole } else { (try interlaced(), 0) }
    samples.bytes.replaceSubrange(
      y * count..<(y + 1) * count, with: all.bytes[next * count..<(next + 1) * count])
    whole = (all, next + 1)
  }

  private func interlaced() throws(ImageDataError) -> Samples {
    var all = try Samples.zeros(shape)
    try PNGCall.reading { png_shim_read_image(reader, &all.bytes, $0) }
    return all
  }

  func finish() throws(ImageDataError) {
    try PNGCall.reading { png_shim_end_reader(reader, $0) }
  }
}

/// Writes PNG files with libpng, row by row.
final class PNGWriter: RowWriter {
  let shape: Samples.Shape
  private let file: FileStream
  private let writer: OpaquePointer

  init(_ shape: Samples.Shape, _ file: FileStream) throws(ImageDataError) {
    var opened: OpaquePointer?
    try PNGCall.writing {
      opened = png_shim_open_writer(
        file.handle, UInt32(shape.width), UInt32(shape.height), UInt32(shape.channels),
        UInt32(shape.depth.bytes * 8), $0)
      return opened != nil
    }
    guard let opened else { throw .init("cannot be written: libpng could not create a writer") }
    (self.shape, self.file, writer) = (shape, file, opened)
  }

  deinit { png_shim_close_writer(writer) }

  func write(_ row: Samples) throws(ImageDataError) {
    try PNGCall.writing { png_shim_write_row(writer, row.bytes, $0) }
  }

  func finish() throws(ImageDataError) {
    try PNGCall.writing { png_shim_end_writer(writer, $0) }
  }
}

/// Calls functions that use libpng. If such a function fails, the text of libpng's error message is thrown as
/// an error.
private enum PNGCall {
  typealias Body = (UnsafeMutablePointer<CChar>) -> Bool

  static func reading(_ body: Body) throws(ImageDataError) {
    if let reason = message(body) { throw .init("is a damaged PNG: \(reason)") }
  }

  static func writing(_ body: Body) throws(ImageDataError) {
    if let reason = message(body) { throw .init("cannot be written: \(reason.lowercased())") }
  }

  /// Calls `body` with a buffer for an error message. Returns the message if the call failed, or nil if it
  /// succeeded.
  private static func message(_ body: Body) -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: PNG_SHIM_MESSAGE) { text in
      text[0] = 0
      return body(text.start) ? nil : String(cString: text.start)
    }
  }
}
