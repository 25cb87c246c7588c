/// Reads a Netpbm file word by word: the header and, in the text formats, the samples as well.
final class NetpbmHeader {
  private let file: InputFile
  /// Whether any header line so far has ended with a carriage return and a line feed (CRLF), and whether any
  /// has ended with only a line feed.
  private var hasCRLF = false, hasLoneFeed = false

  /// The length limit for a word, in bytes. Comments may have any length.
  private static let longestWord = 32
  /// The limits for a PAM header: the number of bytes in a line, and the number of lines.
  private static let longestLine = 1024, mostLines = 1000

  init(_ file: InputFile) { self.file = file }

  /// Checks that the magic number ends after two bytes, or after the three bytes of PF4.
  ///
  /// - Parameter kind: The second byte of the magic number.
  /// - Returns: Whether the magic number is PF4.
  func endMagic(_ kind: UInt8) throws(ImageDataError) -> Bool {
    var next = file.next()
    let isPF4 = kind == UInt8(ascii: "F") && next == UInt8(ascii: "4")
    if isPF4 { next = file.next() }
    guard let next else { throw .init("is cut short after its first bytes") }
    guard next.isSpace || next == UInt8(ascii: "#") else {
      let magic = "P\(UnicodeScalar(kind))\(isPF4 ? "4" : "")"
      throw .init("is damaged: a space or a new line must follow \(magic) at the start of the file")
    }
    file.unread(next)
    return isPF4
  }

  /// Reads the rest of a comment, including the byte that ends its line.
  ///
  /// - Returns: Whether the line ends with a carriage return. A line feed may follow.
  private func skipComment() -> Bool {
    while let byte = file.next() {
      if byte == UInt8(ascii: "\n") { return false }
      if byte == UInt8(ascii: "\r") { return true }
    }
    return false
  }

  /// Skips spaces and comments and returns the first byte of the next word, or nil at the end of the file.
  private func firstOfWord() -> UInt8? {
    var isAfterReturn = false
    while let byte = file.next() {
      if byte == UInt8(ascii: "\n") {
        if isAfterReturn { hasCRLF = true } else { hasLoneFeed = true }
      }
      isAfterReturn = byte == UInt8(ascii: "\r")
      if byte == UInt8(ascii: "#") {
        isAfterReturn = skipComment()
        if !isAfterReturn { hasLoneFeed = true }
      } else if !byte.isSpace {
        return byte
      }
    }
    return nil
  }

  /// Skips the spaces and comments before the next word.
  func skipSpaces() {
    if let byte = firstOfWord() { file.unread(byte) }
  }

  /// Skips the single space between the header and binary samples. A CRLF counts as one space, and so does a
  /// comment that directly follows the last number.
  ///
  /// A line feed after a carriage return could also be the first byte of the samples. This function skips the
  /// line feed only if the other header lines end with CRLF, or if exactly `count` bytes of the file are left
  /// after the line feed.
  ///
  /// - Parameter count: The number of bytes that the samples take.
  func skipOneSpace(before count: Int) throws(ImageDataError) {
    guard let byte = file.next() else { throw .init("is cut short after its header") }
    let isReturn: Bool
    if byte == UInt8(ascii: "#") {
      isReturn = skipComment()
    } else if byte.isSpace {
      isReturn = byte == UInt8(ascii: "\r")
    } else {
      throw .init("is damaged: no space follows its header")
    }
    let isCRLF = hasCRLF && !hasLoneFeed
    guard isReturn, isCRLF || file.bytesLeft == count + 1, let next = file.next() else { return }
    if next != UInt8(ascii: "\n") { file.unread(next) }
  }

  /// Returns the next word. The space or comment that ends the word is not consumed.
  ///
  /// - Parameter what: The name of the word in error messages.
  func word(_ what: String) throws(ImageDataError) -> String {
    guard let first = firstOfWord() else { throw .init("is cut short before \(what)") }
    var word = [first]
    while let byte = file.next() {
      if byte.isSpace || byte == UInt8(ascii: "#") || word.count == Self.longestWord {
        file.unread(byte)
        break
      }
      word.append(byte)
    }
    return String(decoding: word, as: UTF8.self)
  }

  func number(_ what: String) throws(ImageDataError) -> Int {
    let word = try word(what)
    guard let value = Self.number(in: word) else { throw .init("is damaged: \(what) is '\(word)'") }
    return value
  }

  /// Returns the value of a decimal number without a sign, or nil if the text is not such a number.
  static func number(in text: String) -> Int? {
    text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } && text.count <= 12
      ? Int(text) : nil
  }

  /// Returns the next bit of a text bitmap (P1). The format allows bits without spaces between them.
  func bit() throws(ImageDataError) -> Int {
    guard let byte = firstOfWord(), byte == UInt8(ascii: "0") || byte == UInt8(ascii: "1") else {
      throw .init("is damaged or cut short: a bit is missing")
    }
    return Int(byte & 1)
  }

  /// Returns the lines of a PAM header as keys and values, in uppercase. If there are several lines with the
  /// key TUPLTYPE, their values are joined with spaces.
  func fields() throws(ImageDataError) -> [String: String] {
    var fields: [String: String] = [:]
    for _ in 0..<Self.mostLines {
      let words = try line().uppercased().split(whereSeparator: \.isWhitespace)
      guard let key = words.first, !key.hasPrefix("#") else { continue }
      if words == ["ENDHDR"] { return fields }
      let value = words.dropFirst().joined(separator: " ")
      let before = key == "TUPLTYPE" ? fields["TUPLTYPE"] : nil
      fields[String(key)] = before.map { "\($0) \(value)" } ?? value
    }
    throw .init("is a damaged PAM: its header has more than \(Self.mostLines) lines")
  }

  /// Returns the next non-empty line, without its line feed.
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
