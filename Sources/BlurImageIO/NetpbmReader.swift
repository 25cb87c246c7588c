/// Reads PBM, PGM and PPM (P1–P6), PAM (P7) and PFM (PF, Pf).
///
/// Sources: the Netpbm format pages (pbm, pgm, ppm, pam) and Debevec's PFM. Values are scaled from the file's
/// maximum to 255, or to 65535 where the maximum is above 255. A file's first picture is read.
final class NetpbmReader: RowReader {
  let shape: Samples.Shape
  private let file: InputFile
  private let coding: Coding
  /// The row of a binary file as it is stored.
  private var stored: [UInt8]
  /// For PFM, where the samples begin, and the rows that were not read yet.
  private let start: Int
  private var rowsLeft: Int

  /// How samples are stored.
  private enum Coding {
    case text(maximum: Int)
    case textBits
    case binary(maximum: Int)
    case packedBits
    case floats(isLittleEndian: Bool)
  }

  /// The second bytes of files that are read; the first is `P`.
  static let kinds = "1234567Ff".utf8

  /// - Parameters:
  ///   - file: stands behind the magic number.
  ///   - kind: one of ``kinds``.
  init(_ file: InputFile, kind: UInt8) throws(ImageFileError.Fault) {
    let header = NetpbmHeader(file)
    switch kind {
    case UInt8(ascii: "7"): (shape, coding) = try Self.pam(header)
    case UInt8(ascii: "F"): (shape, coding) = try Self.pfm(header, channels: 3)
    case UInt8(ascii: "f"): (shape, coding) = try Self.pfm(header, channels: 1)
    default: (shape, coding) = try Self.pnm(header, kind: Int(kind) - Int(UInt8(ascii: "0")))
    }
    self.file = file
    start = file.byteCount - file.bytesLeft
    rowsLeft = shape.height
    let rowCount: Int
    switch coding {
    // Text needs at least a digit for each sample.
    case .text, .textBits: rowCount = shape.rowCount
    case .packedBits: rowCount = (shape.width + 7) / 8
    case .binary, .floats: rowCount = shape.rowBytes
    }
    guard rowCount * shape.height <= file.bytesLeft else {
      throw .init(
        "is cut short: \(shape.width)x\(shape.height) pixels take \(rowCount * shape.height) bytes, "
          + "\(file.bytesLeft) are there")
    }
    switch coding {
    case .text, .textBits: stored = []
    default: stored = [UInt8](repeating: 0, count: rowCount)
    }
  }

  // MARK: Headers

  /// Kinds 1–3 are text, 4–6 binary; bits, gray, colour in each.
  private static func pnm(
    _ header: NetpbmHeader, kind: Int
  ) throws(ImageFileError.Fault) -> (Samples.Shape, Coding) {
    let width = try header.number("the width")
    let height = try header.number("the height")
    let isBits = kind == 1 || kind == 4
    let maximum = isBits ? 1 : try header.number("the maximum value")
    if kind > 3 { try header.skipOneSpace() }
    let shape = try Self.shape(width, height, kind % 3 == 0 ? 3 : 1, maximum)
    if isBits { return (shape, kind == 1 ? .textBits : .packedBits) }
    return (shape, kind > 3 ? .binary(maximum: maximum) : .text(maximum: maximum))
  }

  private static func pam(_ header: NetpbmHeader) throws(ImageFileError.Fault) -> (Samples.Shape, Coding) {
    let fields = try header.fields()
    func value(_ key: String) throws(ImageFileError.Fault) -> Int {
      guard let text = fields[key], let value = Int(text), value > 0 else {
        throw .init("is a damaged PAM: \(key) is '\(fields[key] ?? "")'")
      }
      return value
    }
    let channels = try value("DEPTH")
    let types = ["BLACKANDWHITE": 1, "GRAYSCALE": 1, "RGB": 3, "GRAYSCALE_ALPHA": 2, "RGB_ALPHA": 4]
    let type = fields["TUPLTYPE"] ?? ""
    let wanted = type == "BLACKANDWHITE_ALPHA" ? 2 : type.isEmpty ? channels : types[type]
    guard let wanted, wanted == channels, (1...4).contains(channels) else {
      throw .init(
        "is a PAM of type '\(type)' with depth \(channels); types with 1 to 4 channels are read: "
          + types.keys.sorted().joined(separator: ", "))
    }
    let maximum = try value("MAXVAL")
    return (try shape(value("WIDTH"), value("HEIGHT"), channels, maximum), .binary(maximum: maximum))
  }

  /// A negative scale means that the least significant byte comes first.
  private static func pfm(
    _ header: NetpbmHeader, channels: Int
  ) throws(ImageFileError.Fault) -> (Samples.Shape, Coding) {
    let width = try header.number("the width")
    let height = try header.number("the height")
    let word = try header.word("the scale")
    guard let scale = Double(word), scale != 0, scale.isFinite else {
      throw .init("is a damaged PFM: the scale is '\(word)'")
    }
    try header.skipOneSpace()
    let shape = try Samples.Shape.declared(width: width, height: height, channels: channels, depth: .float)
    return (shape, .floats(isLittleEndian: scale < 0))
  }

  private static func shape(
    _ width: Int, _ height: Int, _ channels: Int, _ maximum: Int
  ) throws(ImageFileError.Fault) -> Samples.Shape {
    guard (1...65535).contains(maximum) else {
      throw .init("has the maximum value \(maximum); it must be from 1 to 65535")
    }
    return try .declared(
      width: width, height: height, channels: channels, depth: maximum > 255 ? .bits16 : .bits8)
  }

  // MARK: Rows

  func read(into samples: inout Samples, row y: Int) throws(ImageFileError.Fault) {
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
    case .floats(let isLittleEndian):
      // The file's first row is the bottom one.
      try file.seek(to: start + rowsLeft * shape.rowBytes)
      try readStored()
      for i in 0..<shape.rowCount {
        let bits = stored.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 4 * i, as: UInt32.self) }
        let value = Float(bitPattern: isLittleEndian ? UInt32(littleEndian: bits) : UInt32(bigEndian: bits))
        samples.setShare(first + i, Double(value))
      }
    }
  }

  private func readStored() throws(ImageFileError.Fault) {
    let fault = stored.withUnsafeMutableBytes { bytes -> ImageFileError.Fault? in
      do throws(ImageFileError.Fault) { try file.read(into: bytes) } catch { return error }
      return nil
    }
    if let fault { throw fault }
  }

  /// Scales the stored row to samples from number `first` on.
  private func unpack(
    into samples: inout Samples, _ first: Int, _ maximum: Int
  ) throws(ImageFileError.Fault) {
    if maximum == 255 {
      samples.bytes.replaceSubrange(first..<first + shape.rowCount, with: stored)
      return
    }
    for i in 0..<shape.rowCount {
      let value = shape.depth == .bits8 ? Int(stored[i]) : Int(stored[2 * i]) << 8 | Int(stored[2 * i + 1])
      samples.setShare(first + i, try Self.share(value, of: maximum))
    }
  }

  private static func share(_ value: Int, of maximum: Int) throws(ImageFileError.Fault) -> Double {
    guard value <= maximum else { throw .init("has the sample \(value), above its maximum \(maximum)") }
    return Double(value) / Double(maximum)
  }
}
