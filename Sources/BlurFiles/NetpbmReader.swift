/// Reads PBM, PGM and PPM (P1–P6), PAM (P7) and PFM (PF, Pf) files, row by row.
///
/// Sources: the Netpbm format pages (pbm, pgm, ppm, pam) and Debevec's page on PFM. Samples are scaled from
/// the maximum value of the file to 255, or to 65535 if that maximum is above 255. If a file holds several
/// pictures, only the first one is read.
final class NetpbmReader: RowReader {
  let shape: Samples.Shape
  private let file: InputFile
  private let coding: Coding
  /// The bytes of one row, as a binary file stores them.
  private var stored: [UInt8]
  /// The position of the first sample in a PFM file, and the number of rows that have not been read yet.
  private let start: Int
  private var rowsLeft: Int

  /// The way in which the file stores its samples.
  private enum Coding {
    case text(maximum: Int)
    case textBits
    case binary(maximum: Int)
    case packedBits
    case floats(isLittleEndian: Bool)
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
    // In a text file, each sample takes at least one byte, so a row cannot be shorter than its number of
    // samples.
    case .text, .textBits: rowCount = shape.rowCount
    case .packedBits: rowCount = (shape.width + 7) / 8
    case .binary, .floats: rowCount = shape.rowBytes
    }
    guard rowCount * shape.height <= file.bytesLeft else {
      throw .init(
        "is cut short: \(shape.width)x\(shape.height) pixels need \(rowCount * shape.height) bytes, "
          + "but only \(file.bytesLeft) are left")
    }
    switch coding {
    case .text, .textBits: stored = []
    default: stored = [UInt8](repeating: 0, count: rowCount)
    }
  }

  // MARK: Headers

  /// Reads the header of P1 to P6. Kinds 1 to 3 store samples as text, and kinds 4 to 6 as binary. In both
  /// groups, the three kinds are for bits, gray and colour, in this order.
  private static func pnm(
    _ header: NetpbmHeader, kind: Int
  ) throws(ImageDataError) -> (Samples.Shape, Coding) {
    let width = try header.number("the width")
    let height = try header.number("the height")
    let isBits = kind == 1 || kind == 4
    let maximum = isBits ? 1 : try header.number("the maximum value")
    if kind > 3 { try header.skipOneSpace() }
    let shape = try Self.shape(width, height, kind % 3 == 0 ? 3 : 1, maximum)
    if isBits { return (shape, kind == 1 ? .textBits : .packedBits) }
    return (shape, kind > 3 ? .binary(maximum: maximum) : .text(maximum: maximum))
  }

  private static func pam(_ header: NetpbmHeader) throws(ImageDataError) -> (Samples.Shape, Coding) {
    let fields = try header.fields()
    func value(_ key: String) throws(ImageDataError) -> Int {
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
        "is a PAM of type '\(type)' with depth \(channels), which is not supported; the supported types are "
          + types.keys.sorted().joined(separator: ", "))
    }
    let maximum = try value("MAXVAL")
    return (try shape(value("WIDTH"), value("HEIGHT"), channels, maximum), .binary(maximum: maximum))
  }

  /// Reads the header of a PFM file. A negative scale means that the least significant byte of each sample
  /// comes first.
  private static func pfm(
    _ header: NetpbmHeader, channels: Int
  ) throws(ImageDataError) -> (Samples.Shape, Coding) {
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
    case .floats(let isLittleEndian):
      // A PFM file stores its rows from the bottom up, so the top row is the last one in the file.
      try file.seek(to: start + rowsLeft * shape.rowBytes)
      try readStored()
      for i in 0..<shape.rowCount {
        let bits = stored.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 4 * i, as: UInt32.self) }
        let value = Float(bitPattern: isLittleEndian ? UInt32(littleEndian: bits) : UInt32(bigEndian: bits))
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
  /// beginning at sample number `first`.
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

/// Reads the words of a Netpbm file: the words of the header and, in the text formats, the samples as well.
private struct NetpbmHeader {
  private let file: InputFile

  /// The longest word that is read, in bytes. Comments may have any length.
  private static let longestWord = 32
  /// The longest line of a PAM header in bytes, and the largest number of lines.
  private static let longestLine = 1024, mostLines = 1000

  init(_ file: InputFile) { self.file = file }

  /// Skips spaces and comments and returns the first byte of the next word, or nil at the end of the file.
  private func firstOfWord() -> UInt8? {
    while let byte = file.next() {
      if byte == UInt8(ascii: "#") {
        while let byte = file.next(), byte != UInt8(ascii: "\n") {}
      } else if !byte.isSpace {
        return byte
      }
    }
    return nil
  }

  func skipOneSpace() throws(ImageDataError) {
    guard file.next()?.isSpace == true else { throw .init("is cut short after its header") }
  }

  /// Returns the next word. The space after the word is not consumed.
  ///
  /// - Parameter what: The name of the word in error messages.
  func word(_ what: String) throws(ImageDataError) -> String {
    guard let first = firstOfWord() else { throw .init("is cut short before \(what)") }
    var word = [first]
    while let byte = file.next() {
      if byte.isSpace || word.count == Self.longestWord {
        file.unread(byte)
        break
      }
      word.append(byte)
    }
    return String(decoding: word, as: UTF8.self)
  }

  func number(_ what: String) throws(ImageDataError) -> Int {
    let word = try word(what)
    guard word.count <= 12, let value = Int(word), value >= 0 else {
      throw .init("is damaged: \(what) is '\(word)'")
    }
    return value
  }

  /// Returns the next bit of a text bitmap (P1). The format allows bits without spaces between them.
  func bit() throws(ImageDataError) -> Int {
    guard let byte = firstOfWord(), byte == UInt8(ascii: "0") || byte == UInt8(ascii: "1") else {
      throw .init("is damaged or cut short: a bit is missing")
    }
    return Int(byte & 1)
  }

  /// Returns the lines of a PAM header as keys and values.
  func fields() throws(ImageDataError) -> [String: String] {
    var fields: [String: String] = [:]
    for _ in 0..<Self.mostLines {
      let line = try line()
      if line == "ENDHDR" { return fields }
      let words = line.split(separator: " ", maxSplits: 1)
      guard let key = words.first, !key.hasPrefix("#") else { continue }
      fields[String(key)] = words.count > 1 ? String(words[1]) : ""
    }
    throw .init("is a damaged PAM: its header has more than \(Self.mostLines) lines")
  }

  /// Returns the next line that is not empty, without its newline.
  private func line() throws(ImageDataError) -> String {
    var line: [UInt8] = []
    while let byte = file.next() {
      if line.isEmpty && byte.isSpace { continue }
      if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
      line.append(byte)
      guard line.count < Self.longestLine else {
        throw .init("is a damaged PAM: a header line does not end")
      }
    }
    throw .init("is cut short: its header has no ENDHDR")
  }
}

extension UInt8 {
  fileprivate var isSpace: Bool { self == 32 || (9...13).contains(self) }
}
