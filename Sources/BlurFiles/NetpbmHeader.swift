/// Reads the words of a Netpbm file: those of the header and, in the text formats, also the samples.
struct NetpbmHeader {
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
