/// Reads PBM, PGM and PPM (P1–P6), PAM (P7) and PFM (PF, Pf, PF4) files, row by row.
///
/// Sources: the Netpbm format pages (pbm, pgm, ppm, pam) and Debevec's page on PFM. PF4 is PFM with a fourth
/// channel for straight alpha. Samples are scaled so that the maximum value in the header becomes 255, or
/// 65535 if it is above 255. If a file holds several pictures, only the first one is read.
final class NetpbmReader: RowReader {
  let shape: Samples.Shape
  private(set) var metadata = PictureMetadata()
  private let file: InputFile
  private let coding: Coding
  /// The bytes of one row of a binary file, before they are converted to samples.
  private var stored: [UInt8]
  /// The byte offset of the first sample. It is needed to seek in PFM files.
  private let start: Int
  /// The number of rows that have not been read yet.
  private var rowsLeft: Int

  /// The encoding of the samples in the file.
  private enum Coding {
    case text(maximum: Int)
    case textBits
    case binary(maximum: Int)
    case packedBits
    case floats(scale: Double)

    /// Whether the samples are stored as text: as decimal numbers, or as the digits 0 and 1.
    var isText: Bool {
      switch self {
      case .text, .textBits: true
      default: false
      }
    }
  }

  /// The second byte of the magic number for each file type that can be read. The first byte is always `P`.
  static let kinds = "1234567Ff".utf8

  /// Creates a reader for the rows of a file, and reads the header.
  ///
  /// - Parameters:
  ///   - file: The file, positioned just after the magic number.
  ///   - kind: The second byte of the magic number, one of ``kinds``.
  init(_ file: InputFile, kind: UInt8) throws(ImageDataError) {
    let header = NetpbmHeader(file)
    let isPF4 = try header.endMagic(kind)
    switch kind {
    case UInt8(ascii: "7"): (shape, coding) = try Self.pam(header)
    case UInt8(ascii: "F"): (shape, coding) = try Self.pfm(header, channels: isPF4 ? 4 : 3)
    case UInt8(ascii: "f"): (shape, coding) = try Self.pfm(header, channels: 1)
    default: (shape, coding) = try Self.pnm(header, kind: Int(kind) - Int(UInt8(ascii: "0")))
    }
    self.file = file
    rowsLeft = shape.height
    metadata.source = shape
    let rowCount: Int
    switch coding {
    // In a text file, each sample takes at least one byte, so a row takes at least as many bytes as it has
    // samples.
    case .text, .textBits: rowCount = shape.rowCount
    case .packedBits: rowCount = (shape.width + 7) / 8
    case .binary, .floats: rowCount = shape.rowBytes
    }
    if !coding.isText && kind != UInt8(ascii: "7") {
      try header.skipOneSpace(before: rowCount * shape.height)
    }
    start = file.byteCount - file.bytesLeft
    guard rowCount * shape.height <= file.bytesLeft else {
      throw .init(
        "is cut short: \(shape.width)x\(shape.height) pixels need \(rowCount * shape.height) bytes, "
          + "but only \(file.bytesLeft) are left")
    }
    stored = [UInt8](repeating: 0, count: coding.isText ? 0 : rowCount)
    switch coding {
    case .floats(let scale): metadata.scale = abs(scale)
    case .text(let maximum), .binary(let maximum): metadata.maximum = maximum
    case .textBits, .packedBits: break
    }
  }

  /// Adds a warning if the file has more data after the picture.
  func finish() throws(ImageDataError) {
    if case .floats = coding { try file.seek(to: start + shape.height * shape.rowBytes) }
    if coding.isText { NetpbmHeader(file).skipSpaces() }
    let left = file.bytesLeft
    guard left > 0 else { return }
    let next = [file.next(), file.next()].compactMap { $0 }
    let isPicture = next.first == UInt8(ascii: "P") && next.count == 2 && Self.kinds.contains(next[1])
    metadata.warnings.append(
      (left == 1 ? "1 byte follows the picture and is" : "\(left) bytes follow the picture and are")
        + " not read"
        + (isPicture ? ", perhaps a second picture" : ""))
  }

  // MARK: Headers

  /// Reads the header of a P1 to P6 file. P1 to P3 store samples as text, and P4 to P6 store them as binary
  /// data. P1 and P4 hold bits, P2 and P5 hold gray values, and P3 and P6 hold colours.
  private static func pnm(
    _ header: NetpbmHeader, kind: Int
  ) throws(ImageDataError) -> (Samples.Shape, Coding) {
    let width = try header.number("the width")
    let height = try header.number("the height")
    let isBits = kind == 1 || kind == 4
    let maximum = isBits ? 1 : try header.number("the maximum value")
    let shape = try Self.shape(width, height, kind % 3 == 0 ? 3 : 1, maximum)
    if isBits { return (shape, kind == 1 ? .textBits : .packedBits) }
    return (shape, kind > 3 ? .binary(maximum: maximum) : .text(maximum: maximum))
  }

  private static func pam(_ header: NetpbmHeader) throws(ImageDataError) -> (Samples.Shape, Coding) {
    let fields = try header.fields()
    func value(_ key: String) throws(ImageDataError) -> Int {
      guard let text = fields[key] else { throw .init("is a damaged PAM: its header has no \(key)") }
      guard let value = NetpbmHeader.number(in: text), value > 0 else {
        throw .init("is a damaged PAM: \(key) is '\(text)'")
      }
      return value
    }
    let channels = try value("DEPTH")
    let types = [
      "BLACKANDWHITE": 1, "BLACKANDWHITE_ALPHA": 2, "GRAYSCALE": 1, "GRAYSCALE_ALPHA": 2, "RGB": 3,
      "RGB_ALPHA": 4,
    ]
    let type = fields["TUPLTYPE"] ?? ""
    let wanted = type.isEmpty ? channels : types[type]
    guard let wanted, wanted == channels, (1...4).contains(channels) else {
      throw .init(
        "is a PAM of type '\(type)' with depth \(channels), which is not supported; the supported types are "
          + types.keys.sorted().joined(separator: ", "))
    }
    let maximum = try value("MAXVAL")
    return (try shape(value("WIDTH"), value("HEIGHT"), channels, maximum), .binary(maximum: maximum))
  }

  /// Reads the header of a PFM file. A negative scale means that the samples are little-endian. The absolute
  /// value of the scale is the unit of the samples, but the samples are not multiplied by it.
  private static func pfm(
    _ header: NetpbmHeader, channels: Int
  ) throws(ImageDataError) -> (Samples.Shape, Coding) {
    let width = try header.number("the width")
    let height = try header.number("the height")
    let word = try header.word("the scale")
    guard let scale = Double(word), scale != 0, scale.isFinite else {
      throw .init("is a damaged PFM: the scale is '\(word)'")
    }
    let shape = try Samples.Shape.declared(width: width, height: height, channels: channels, depth: .float)
    return (shape, .floats(scale: scale))
  }

  private static func shape(
    _ width: Int, _ height: Int, _ channels: Int, _ maximum: Int
  ) throws(ImageDataError) -> Samples.Shape {
    guard (1...65535).contains(maximum) else {
      throw .init("has the maximum value \(maximum); it must be from 1 to 65535")
    }
    return try .declared(
      width: width, height: height, channels: channels, depth: maximum > 255 ? .bits16 : .bits8)
  }

  // MARK: Rows

  func read(into samples: inout Samples, row y: Int) throws(ImageDataError) {
    rowsLeft -= 1
    let first = y * shape.rowCount
    switch coding {
    case .text(let maximum):
      let words = NetpbmHeader(file)
      for i in 0..<shape.rowCount {
        try samples.setShare(first + i, Self.share(words.number("a sample"), of: maximum))
      }
    case .textBits:
      let words = NetpbmHeader(file)
      for i in 0..<shape.rowCount { samples.setShare(first + i, try words.bit() == 1 ? 0 : 1) }
    case .binary(let maximum):
      try readStored()
      try unpack(into: &samples, first, maximum)
    case .packedBits:
      try readStored()
      for x in 0..<shape.width {
        samples.bytes[first + x] = stored[x / 8] >> (7 - x % 8) & 1 == 0 ? 255 : 0
      }
    case .floats(let scale):
      // A PFM file stores its rows from the bottom up, so the top row is the last one in the file.
      try file.seek(to: start + rowsLeft * shape.rowBytes)
      try readStored()
      for i in 0..<shape.rowCount {
        let bits = stored.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 4 * i, as: UInt32.self) }
        let value = Float(bitPattern: scale < 0 ? UInt32(littleEndian: bits) : UInt32(bigEndian: bits))
        samples.setShare(first + i, Double(value))
      }
    }
  }

  private func readStored() throws(ImageDataError) {
    let failure = stored.withUnsafeMutableBytes { bytes -> ImageDataError? in
      do throws(ImageDataError) { try file.read(into: bytes) } catch { return error }
      return nil
    }
    if let failure { throw failure }
  }

  /// Scales the samples of the stored row from 0…`maximum` to full scale and writes them to `samples`,
  /// beginning at the index `first`.
  private func unpack(
    into samples: inout Samples, _ first: Int, _ maximum: Int
  ) throws(ImageDataError) {
    if maximum == 255 {
      samples.bytes.replaceSubrange(first..<first + shape.rowCount, with: stored)
      return
    }
    for i in 0..<shape.rowCount {
      let value = shape.depth == .bits8 ? Int(stored[i]) : Int(stored[2 * i]) << 8 | Int(stored[2 * i + 1])
      samples.setShare(first + i, try Self.share(value, of: maximum))
    }
  }

  private static func share(_ value: Int, of maximum: Int) throws(ImageDataError) -> Double {
    guard value <= maximum else {
      throw .init("has a sample of \(value), which is above its maximum of \(maximum)")
    }
    return Double(value) / Double(maximum)
  }
}
