/// Reads PBM, PGM and PPM (P1–P6), PAM (P7) and PFM (PF, Pf).
///
/// Sources: the Netpbm format pages (pbm, pgm, ppm, pam) and Debevec's PFM. Values are scaled from the file's
/// maximum to 255, or to 65535 where the maximum is above 255. A file's first picture is read.
struct NetpbmReader {
  private let file: [UInt8]
  private var position = 2

  static func decode(_ file: [UInt8]) throws(ImageFileError.Fault) -> Samples {
    var reader = NetpbmReader(file: file)
    switch file[1] {
    case UInt8(ascii: "7"): return try reader.pam()
    case UInt8(ascii: "F"): return try reader.pfm(channels: 3)
    case UInt8(ascii: "f"): return try reader.pfm(channels: 1)
    default: return try reader.pnm(kind: Int(file[1] - UInt8(ascii: "0")))
    }
  }

  private init(file: [UInt8]) { self.file = file }

  // MARK: Formats

  /// Kinds 1–3 are text, 4–6 binary; bits, gray, colour in each.
  private mutating func pnm(kind: Int) throws(ImageFileError.Fault) -> Samples {
    let width = try number("the width")
    let height = try number("the height")
    let isBits = kind == 1 || kind == 4
    let maximum = isBits ? 1 : try number("the maximum value")
    let channels = kind % 3 == 0 ? 3 : 1
    if kind > 3 { try skipOneSpace() }
    if kind == 4 { return try packedBits(width, height) }
    return try integers(width, height, channels, maximum, isText: kind <= 3, isBits: isBits)
  }

  private mutating func pam() throws(ImageFileError.Fault) -> Samples {
    var fields: [String: String] = [:]
    while let line = try headerLine(), line != "ENDHDR" {
      let words = line.split(separator: " ", maxSplits: 1)
      guard let key = words.first, !key.hasPrefix("#") else { continue }
      fields[String(key)] = words.count > 1 ? String(words[1]) : ""
    }
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
    return try integers(
      value("WIDTH"), value("HEIGHT"), channels, value("MAXVAL"), isText: false, isBits: false)
  }

  /// Rows from the bottom up; a negative scale means that the least significant byte comes first.
  private mutating func pfm(channels: Int) throws(ImageFileError.Fault) -> Samples {
    let width = try number("the width")
    let height = try number("the height")
    let word = try word("the scale")
    guard let scale = Double(word), scale != 0, scale.isFinite else {
      throw .init("is a damaged PFM: the scale is '\(word)'")
    }
    try skipOneSpace()
    let count = try Samples.byteCount(width: width, height: height, channels: channels, depth: .float)
    try expect(count)
    var samples = try Samples.zeros(width: width, height: height, channels: channels, depth: .float)
    let perRow = width * channels
    for i in 0..<perRow * height {
      let offset = position + 4 * i
      let bits = (0..<4).reduce(UInt32(0)) { bits, k in
        bits | UInt32(file[offset + k]) << UInt32(scale < 0 ? 8 * k : 24 - 8 * k)
      }
      samples.setShare((height - 1 - i / perRow) * perRow + i % perRow, Double(Float(bitPattern: bits)))
    }
    return samples
  }

  // MARK: Samples

  private mutating func integers(
    _ width: Int, _ height: Int, _ channels: Int, _ maximum: Int, isText: Bool, isBits: Bool
  ) throws(ImageFileError.Fault) -> Samples {
    guard (1...65535).contains(maximum) else {
      throw .init("has the maximum value \(maximum); it must be from 1 to 65535")
    }
    let depth = maximum > 255 ? Samples.Depth.bits16 : .bits8
    let stored = maximum > 255 ? 2 : 1
    _ = try Samples.byteCount(width: width, height: height, channels: channels, depth: depth)
    let count = width * height * channels
    // Text needs at least a digit for each sample.
    try expect(isText ? count : count * stored)
    var samples = try Samples.zeros(width: width, height: height, channels: channels, depth: depth)
    for i in 0..<count {
      let value = isText ? try isBits ? bit() : number("a sample") : binary(i, stored)
      guard value <= maximum else {
        throw .init("has the sample \(value), above its maximum \(maximum)")
      }
      let share = Double(value) / Double(maximum)
      samples.setShare(i, isBits ? 1 - share : share)
    }
    return samples
  }

  private func binary(_ index: Int, _ bytes: Int) -> Int {
    let offset = position + index * bytes
    return bytes == 1 ? Int(file[offset]) : Int(file[offset]) << 8 | Int(file[offset + 1])
  }

  private mutating func packedBits(_ width: Int, _ height: Int) throws(ImageFileError.Fault) -> Samples {
    _ = try Samples.byteCount(width: width, height: height, channels: 1, depth: .bits8)
    let rowBytes = (width + 7) / 8
    try expect(rowBytes * height)
    var samples = try Samples.zeros(width: width, height: height, channels: 1, depth: .bits8)
    for y in 0..<height {
      for x in 0..<width where file[position + y * rowBytes + x / 8] >> (7 - x % 8) & 1 == 0 {
        samples.bytes[y * width + x] = 255
      }
    }
    return samples
  }

  // MARK: Words

  private func expect(_ count: Int) throws(ImageFileError.Fault) {
    guard count <= file.count - position else {
      throw .init("is cut short: \(count) bytes of samples are declared, \(file.count - position) are there")
    }
  }

  private mutating func skipSpace() {
    while position < file.count {
      if file[position] == UInt8(ascii: "#") {
        while position < file.count, file[position] != UInt8(ascii: "\n") { position += 1 }
      } else if !file[position].isSpace {
        return
      } else {
        position += 1
      }
    }
  }

  private mutating func skipOneSpace() throws(ImageFileError.Fault) {
    guard position < file.count, file[position].isSpace else { throw .init("is cut short after its header") }
    position += 1
  }

  private mutating func word(_ what: String) throws(ImageFileError.Fault) -> String {
    skipSpace()
    let start = position
    while position < file.count, !file[position].isSpace, position - start < 32 { position += 1 }
    guard position > start else { throw .init("is cut short before \(what)") }
    return String(decoding: file[start..<position], as: UTF8.self)
  }

  private mutating func number(_ what: String) throws(ImageFileError.Fault) -> Int {
    let word = try word(what)
    guard word.count <= 12, let value = Int(word), value >= 0 else {
      throw .init("is damaged: \(what) is '\(word)'")
    }
    return value
  }

  /// A bit of a text bitmap; bits need no space between them.
  private mutating func bit() throws(ImageFileError.Fault) -> Int {
    skipSpace()
    guard position < file.count, file[position] == UInt8(ascii: "0") || file[position] == UInt8(ascii: "1")
    else { throw .init("is damaged or cut short: a bit is missing") }
    position += 1
    return Int(file[position - 1] & 1)
  }

  /// A line of a PAM header, without the newline; nil at the line end after the magic number.
  private mutating func headerLine() throws(ImageFileError.Fault) -> String? {
    while position < file.count, file[position].isSpace { position += 1 }
    let start = position
    while position < file.count, file[position] != UInt8(ascii: "\n") {
      position += 1
      guard position - start < 1024 else { throw .init("is a damaged PAM: a header line does not end") }
    }
    guard position < file.count else { throw .init("is cut short: its header has no ENDHDR") }
    defer { position += 1 }
    return String(decoding: file[start..<position], as: UTF8.self)
  }
}

extension UInt8 {
  fileprivate var isSpace: Bool { self == 32 || (9...13).contains(self) }
}
