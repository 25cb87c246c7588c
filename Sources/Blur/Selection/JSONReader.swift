/// A JSON value (RFC 8259).
enum JSONValue: Equatable {
  case null
  case bool(Bool)
  case number(Double)
  case string(String)
  case array([JSONValue])
  case object([Member])

  /// A name and its value.
  struct Member: Equatable {
    let name: String, value: JSONValue
  }

  var boolean: Bool? { if case .bool(let truth) = self { truth } else { nil } }
  var text: String? { if case .string(let text) = self { text } else { nil } }
  var number: Double? { if case .number(let number) = self { number } else { nil } }
  var array: [JSONValue]? { if case .array(let items) = self { items } else { nil } }

  /// The number, if it is whole and can be exact.
  var integer: Int? {
    guard let number, number == number.rounded(), abs(number) < 0x1p53 else { return nil }
    return Int(number)
  }

  /// A member of an object.
  subscript(_ name: String) -> JSONValue? {
    if case .object(let members) = self { members.first { $0.name == name }?.value } else { nil }
  }
}

/// Reads JSON of limited depth, with few members of each object. Foundation has one too, but loading that takes a
/// program 8 ms.
struct JSONReader {
  private static let mostDepth = 16
  /// Members are looked for one by one.
  private static let mostMembers = 32
  private let bytes: [UInt8]
  private var place = 0

  private struct Malformed: Error {}

  /// The value that the bytes are, or nil if they are not one whole value: also for numbers that are too large,
  /// and names that stand twice in an object.
  static func value(of bytes: [UInt8]) -> JSONValue? {
    var reader = JSONReader(bytes: bytes)
    guard let value = try? reader.value(depth: 0) else { return nil }
    reader.skipSpace()
    return reader.place == bytes.count ? value : nil
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

  private mutating func skipSpace() {
    while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { place += 1 }
  }

  /// Skips the character if it is next.
  private mutating func takes(_ character: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: character) else { return false }
    place += 1
    return true
  }

  private mutating func value(depth: Int) throws(Malformed) -> JSONValue {
    guard depth < Self.mostDepth else { throw Malformed() }
    skipSpace()
    switch next {
    case UInt8(ascii: "{"): return try object(depth)
    case UInt8(ascii: "["): return try array(depth)
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    default: return .number(try number())
    }
  }

  private mutating func word(_ word: String, _ value: JSONValue) throws(Malformed) -> JSONValue {
    guard bytes[place...].starts(with: word.utf8) else { throw Malformed() }
    place += word.utf8.count
    return value
  }

  private mutating func array(_ depth: Int) throws(Malformed) -> JSONValue {
    var items: [JSONValue] = []
    try list(until: "]") { (reader) throws(Malformed) in items.append(try reader.value(depth: depth + 1)) }
    return .array(items)
  }

  private mutating func object(_ depth: Int) throws(Malformed) -> JSONValue {
    var members: [JSONValue.Member] = []
    try list(until: "}") { (reader) throws(Malformed) in
      let name = try reader.string()
      reader.skipSpace()
      guard reader.takes(":"), members.count < Self.mostMembers, !members.contains(where: { $0.name == name })
      else {
        throw Malformed()
      }
      members.append(JSONValue.Member(name: name, value: try reader.value(depth: depth + 1)))
    }
    return .object(members)
  }

  /// The items between the bracket that is next and `end`, with commas between.
  private mutating func list(
    until end: Unicode.Scalar, _ item: (inout JSONReader) throws(Malformed) -> Void
  ) throws(Malformed) {
    place += 1
    skipSpace()
    if takes(end) { return }
    repeat {
      skipSpace()
      try item(&self)
      skipSpace()
    } while takes(",")
    guard takes(end) else { throw Malformed() }
  }

  private mutating func number() throws(Malformed) -> Double {
    let start = place
    _ = takes("-")
    let isZero = takes("0")
    if !isZero { try digits() }
    if takes(".") { try digits() }
    if takes("e") || takes("E") {
      if !takes("+") { _ = takes("-") }
      try digits()
    }
    guard let number = Double(String(decoding: bytes[start..<place], as: UTF8.self)), number.isFinite else {
      throw Malformed()
    }
    return number
  }

  private mutating func digits() throws(Malformed) {
    let start = place
    while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { place += 1 }
    if place == start { throw Malformed() }
  }

  private mutating func string() throws(Malformed) -> String {
    guard takes("\"") else { throw Malformed() }
    var units: [UInt8] = []
    var start = place
    while let byte = next, byte >= 0x20 {
      place += 1
      guard byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else { continue }
      // Most strings have no escapes, and are taken as they stand.
      let plain = bytes[start..<place - 1]
      if byte == UInt8(ascii: "\"") {
        return String(decoding: units.isEmpty ? plain : units[...] + plain, as: UTF8.self)
      }
      units += plain
      units += try escaped()
      start = place
    }
    throw Malformed()
  }

  /// What follows a backslash, as UTF-8.
  private mutating func escaped() throws(Malformed) -> [UInt8] {
    guard let byte = next else { throw Malformed() }
    place += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
    case UInt8(ascii: "b"): return [0x08]
    case UInt8(ascii: "f"): return [0x0C]
    case UInt8(ascii: "n"): return [0x0A]
    case UInt8(ascii: "r"): return [0x0D]
    case UInt8(ascii: "t"): return [0x09]
    case UInt8(ascii: "u"): return Array(try scalar().description.utf8)
    default: throw Malformed()
    }
  }

  /// The character of `XXXX`, or of a surrogate pair `XXXX\uXXXX`.
  private mutating func scalar() throws(Malformed) -> Unicode.Scalar {
    let first = try unit()
    if let scalar = Unicode.Scalar(first) { return scalar }
    guard first < 0xDC00, takes("\\"), takes("u") else { throw Malformed() }
    let second = try unit()
    guard (0xDC00...0xDFFF).contains(second),
      let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
    else { throw Malformed() }
    return scalar
  }

  private mutating func unit() throws(Malformed) -> UInt32 {
    guard place + 4 <= bytes.count else { throw Malformed() }
    var unit: UInt32 = 0
    for byte in bytes[place..<place + 4] {
      guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { throw Malformed() }
      unit = unit << 4 | UInt32(digit)
    }
    place += 4
    return unit
  }
}
