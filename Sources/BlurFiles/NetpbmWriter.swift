/// Writes binary PGM, PPM and PAM files. Samples are integers with the most significant byte first.
final class NetpbmWriter: RowWriter {
  let shape: Samples.Shape
  private let file: FileStream
  /// The sample value of white in the file.
  private let maximum: Int

  /// Creates a writer for PGM if the picture is gray, or for PPM if it is RGB.
  ///
  /// - Parameter maximum: The sample value of white, or nil to use the largest value of the sample type (255
  ///   or 65535).
  static func pnm(
    _ shape: Samples.Shape, maximum: Int?, _ file: FileStream
  ) throws(ImageDataError) -> NetpbmWriter {
    try NetpbmWriter(
      shape, maximum, file, "P\(shape.channels == 1 ? 5 : 6)\n\(shape.width) \(shape.height)\n", "\n")
  }

  static func pam(
    _ shape: Samples.Shape, maximum: Int?, _ file: FileStream
  ) throws(ImageDataError) -> NetpbmWriter {
    let type = ["GRAYSCALE", "GRAYSCALE_ALPHA", "RGB", "RGB_ALPHA"][shape.channels - 1]
    return try NetpbmWriter(
      shape, maximum, file,
      "P7\nWIDTH \(shape.width)\nHEIGHT \(shape.height)\nDEPTH \(shape.channels)\nMAXVAL ",
      "\nTUPLTYPE \(type)\nENDHDR\n")
  }

  /// Creates a writer and writes its header: `head`, then the maximum sample value, then `tail`.
  private init(
    _ shape: Samples.Shape, _ maximum: Int?, _ file: FileStream, _ head: String, _ tail: String
  ) throws(ImageDataError) {
    (self.shape, self.file) = (shape, file)
    self.maximum = maximum ?? Int(shape.depth.full)
    try file.write(Array("\(head)\(self.maximum)\(tail)".utf8))
  }

  func write(_ row: Samples) throws(ImageDataError) {
    guard shape.depth == .bits16 else { return try file.write(row.bytes) }
    try file.write(
      row.words.flatMap { word in
        let value = (Int(word) * maximum * 2 + 65535) / (2 * 65535)
        return [UInt8(value >> 8), UInt8(value & 255)]
      })
  }
}

/// Writes PFM files. Samples are floats in the byte order of this machine, and the header names this byte
/// order. Rows are stored from the bottom up.
final class PFMWriter: RowWriter {
  let shape: Samples.Shape
  private let file: FileStream
  private let headerCount: Int
  private var rowsLeft: Int

  /// Creates a writer and writes the header. A picture with alpha is written as PF4, a variant of PFM with an
  /// alpha channel.
  ///
  /// - Parameter scale: The absolute value of the scale to write into the header. The sign of the scale
  ///   stands for the byte order.
  init(_ shape: Samples.Shape, scale: Double, _ file: FileStream) throws(ImageDataError) {
    (self.shape, self.file, rowsLeft) = (shape, file, shape.height)
    let scale = 1.littleEndian == 1 ? -scale : scale
    let magic = shape.channels == 1 ? "Pf" : shape.channels == 3 ? "PF" : "PF4"
    let header = Array("\(magic)\n\(shape.width) \(shape.height)\n\(scale)\n".utf8)
    headerCount = header.count
    try file.write(header)
  }

  func write(_ row: Samples) throws(ImageDataError) {
    rowsLeft -= 1
    try file.seek(to: headerCount + rowsLeft * shape.rowBytes)
    try file.write(row.bytes)
  }

  /// Moves the stream's position to the end of the file. Otherwise, a stream in memory would end after the
  /// bottom row, which is written last but stored first.
  func finish(with metadata: PictureMetadata) throws(ImageDataError) {
    try file.seek(to: headerCount + shape.height * shape.rowBytes)
  }
}

extension Samples {
  /// The samples as 16-bit integers.
  var words: [UInt16] {
    bytes.withUnsafeBytes { bytes in
      stride(from: 0, to: bytes.count, by: 2).map { bytes.loadUnaligned(fromByteOffset: $0, as: UInt16.self) }
    }
  }
}
