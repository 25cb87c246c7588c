import Blur
import PNGShim

/// Reads PNG files of every colour type and bit depth with libpng, row by row.
final class PNGReader: RowReader {
  static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  /// The largest compression ratio of Deflate: one byte decodes to at most 1032 bytes.
  private static let bestRatio = 1032

  let shape: Samples.Shape
  private(set) var metadata = PictureMetadata()
  private let file: InputFile
  private let reader: OpaquePointer
  private let isInterlaced: Bool
  /// The form in which the file stores pixels. `palette` holds red, green and blue bytes, or is nil if the
  /// pixels are not indices into a palette. `bits` is the number of bits per sample. Both values are needed
  /// to convert the background colour, which is stored in the same way as a pixel.
  private let stored: (palette: [UInt8]?, bits: Int)
  private var animation = Animation()
  /// The number of chunks that `takeChunks` has already processed.
  private var taken = 0
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
    let palette = withUnsafeBytes(of: header.palette) { Array($0.prefix(3 * Int(header.palette_count))) }
    stored = (header.is_palette ? palette : nil, Int(header.stored_bits))
    metadata.source = shape
    guard shape.width * Int(header.bits_per_pixel) / 8 * shape.height <= file.byteCount * Self.bestRatio
    else {
      throw .init(
        "declares \(shape.width)x\(shape.height) pixels, more than its \(file.byteCount) bytes can hold")
    }
    try PNGCall.reading { png_shim_start(reader, shape.rowBytes, $0) }
    if header.palette_count > 0 { metadata.notes.append("dropped PLTE: the result has no palette") }
    if header.has_transparency {
      metadata.notes.append("dropped tRNS: the result has an alpha channel instead")
    }
    takeChunks()
    if let warning = animation.warning { metadata.warnings.append(warning) }
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
    takeChunks()
    let wrong = Array(String(cString: png_shim_wrong_chunks(reader)).utf8)
    for first in stride(from: 0, to: wrong.count - 3, by: 4) {
      let name = String(decoding: wrong[first..<first + 4], as: UTF8.self)
      metadata.warnings.append("dropped \(name), because its checksum (CRC) is wrong")
    }
    let more = png_shim_wrong_count(reader) - wrong.count / 4
    if more > 0 {
      metadata.warnings.append("dropped \(more) more chunk(s), because the checksum (CRC) is wrong")
    }
    let mistakes = String(cString: png_shim_mistakes(reader))
    if !mistakes.isEmpty {
      metadata.warnings.append("has mistakes that do not damage the pixels; libpng reports: \(mistakes)")
    }
    if file.bytesLeft > 0 {
      metadata.notes.append("dropped \(file.bytesLeft) bytes after the end of the PNG data")
    }
  }

  /// Processes the chunks that libpng has read since the previous call. Each chunk is either added to
  /// ``metadata``, or dropped with a message that gives the reason.
  private func takeChunks() {
    while taken < png_shim_chunk_count(reader) {
      take(png_shim_chunk_at(reader, taken))
      taken += 1
    }
  }

  private func take(_ raw: png_shim_chunk) {
    let name = withUnsafeBytes(of: raw.name) { String(decoding: $0, as: UTF8.self) }
    var chunk = PNGChunk(
      name: name, data: Array(UnsafeBufferPointer(start: raw.data, count: raw.count)),
      isAfterPixels: raw.is_after_pixels)
    animation.take(chunk)
    if PNGChunk.beforePalette.contains(name), raw.is_after_palette || raw.is_after_pixels {
      // libpng and browsers ignore a chunk that is out of place. In the new file, a copy of the chunk would
      // be in the right place, so libpng and browsers would no longer ignore it.
      metadata.warnings.append("dropped \(name), because it is out of place")
      return
    }
    if chunk.isUnique, metadata.chunks.contains(where: { $0.name == name }) {
      metadata.notes.append("dropped \(name): a file may have only one, and the first one counts")
      return
    }
    if name == "eXIf" {
      if let note = chunk.removeThumbnails() { metadata.notes.append(note) }
      if chunk.data.isEmpty { return }
    } else if name == "bKGD" {
      chunk.expandBackground(palette: stored.palette, bits: stored.bits)
    }
    guard let reason = chunk.reason else { return metadata.chunks.append(chunk) }
    let note = "dropped \(name): \(reason)"
    let list = chunk.mayHoldOrientation ? \PictureMetadata.warnings : \.notes
    if !metadata[keyPath: list].contains(note) { metadata[keyPath: list].append(note) }
  }
}

/// The number of frames in an animated PNG file, and whether the first frame is the default image. Both are
/// read from the chunks before the pixels (PNG, third edition).
private struct Animation {
  private var frames = 0
  /// Whether the default image of the file is the first frame of the animation. If it is not, the default
  /// image is shown only by programs that do not support animations.
  private var hasPixels = false

  mutating func take(_ chunk: PNGChunk) {
    guard !chunk.isAfterPixels else { return }
    if chunk.name == "acTL", chunk.data.count == 8 {
      frames = chunk.data.prefix(4).bigEndianNumber
    }
    if chunk.name == "fcTL" { hasPixels = true }
  }

  /// A sentence that says which frames are ignored, or nil if none is ignored.
  var warning: String? {
    guard frames > (hasPixels ? 1 : 0) else { return nil }
    return hasPixels
      ? "is an animation; only its first frame is used"
      : "has an animation, which is ignored; only the default image is used, which is not one of the frames"
  }
}

/// Writes PNG files with libpng, row by row.
final class PNGWriter: RowWriter {
  let shape: Samples.Shape
  private let file: FileStream
  private let writer: OpaquePointer

  init(_ shape: Samples.Shape, _ chunks: [PNGChunk], _ file: FileStream) throws(ImageDataError) {
    var opened: OpaquePointer?
    try PNGCall.writing {
      opened = png_shim_open_writer(
        file.handle, UInt32(shape.width), UInt32(shape.height), UInt32(shape.channels),
        UInt32(shape.depth.bytes * 8), $0)
      return opened != nil
    }
    guard let opened else { throw .init("cannot be written: libpng could not create a writer") }
    (self.shape, self.file, writer) = (shape, file, opened)
    try write(chunks.filter { !$0.isAfterPixels })
  }

  deinit { png_shim_close_writer(writer) }

  private func write(_ chunks: [PNGChunk]) throws(ImageDataError) {
    for chunk in chunks {
      try PNGCall.writing {
        png_shim_write_chunk(writer, Array(chunk.name.utf8), chunk.data, chunk.data.count, $0)
      }
    }
  }

  func write(_ row: Samples) throws(ImageDataError) {
    try PNGCall.writing { png_shim_write_row(writer, row.bytes, $0) }
  }

  func finish(with metadata: PictureMetadata) throws(ImageDataError) {
    try write(metadata.chunks.filter(\.isAfterPixels))
    try PNGCall.writing { png_shim_end_writer(writer, $0) }
  }
}

/// Calls functions that use libpng, and throws libpng's error message as an error if such a function fails.
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
