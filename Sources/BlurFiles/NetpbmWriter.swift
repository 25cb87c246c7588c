/// Writes binary PGM, PPM and PAM files. Samples are integers with the most significant byte first.
final class NetpbmWriter: RowWriter {
  let shape: Samples.Shape
  private let file: FileStream

  /// Creates a writer for PGM if the picture is gray, or for PPM if it is RGB.
  static func pnm(_ shape: Samples.Shape, _ file: FileStream) throws(ImageDataError) -> NetpbmWriter {
    try NetpbmWriter(
      shape, file, "P\(shape.channels == 1 ? 5 : 6)\n\(shape.width) \(shape.height)\n", "\n")
  }

  static func pam(_ shape: Samples.Shape, _ file: FileStream) throws(ImageDataError) -> NetpbmWriter {
    let type = ["GRAYSCALE", "GRAYSCALE_ALPHA", "RGB", "RGB_ALPHA"][shape.channels - 1]
    return try NetpbmWriter(
      shape, file,
      "P7\nWIDTH \(shape.width)\nHEIGHT \(shape.height)\nDEPTH \(shape.channels)\nMAXVAL ",
      "\nTUPLTYPE \(type)\nENDHDR\n")
  }

  /// Creates a writer and writes its header: `head`, then the maximum sample value, then `tail`.
  private init(
    _ shape: Samples.Shape, _ file: FileStream, _ head: String, _ tail: String
  ) throws(ImageDataError) {
    (self.shape, self.file) = (shape, file)
    try file.write(Array("\(head)\(Int(shape.depth.full))\(tail)".utf8))
  }

  func write(_ row: Samples) throws(ImageDataError) {
    try file.write(
      shape.depth == .bits16 ? row.words.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] } : row.bytes)
  }
}

/// Writes PFM files. Samples are floats in the byte order of this machine, which the header states. Rows are
/// stored from the bottom up.
final class PFMWriter: RowWriter {
  let shape: Samples.Shape
  private let file: FileStream
  private let headerCount: Int
  private var rowsLeft: Int

  init(_ shape: Samples.Shape, _ file: FileStream) throws(ImageDataError) {
    (self.shape, self.file, rowsLeft) = (shape, file, shape.height)
    let scale = 1.littleEndian == 1 ? "-1.0" : "1.0"
    let header = Array(
      "\(shape.channels == 1 ? "Pf" : "PF")\n\(shape.width) \(shape.height)\n\(scale)\n".utf8)
    headerCount = header.count
    try file.write(header)
  }

  func write(_ row: Samples) throws(ImageDataError) {
    rowsLeft -= 1
    try file.seek(to: headerCount + rowsLeft * shape.rowBytes)
    try file.write(row.bytes)
  }

  /// Moves the stream's position to the end of the file. The bottom row is written last but stored first, and
  /// a stream in memory ends at its current position.
  func finish() throws(ImageDataError) {
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
