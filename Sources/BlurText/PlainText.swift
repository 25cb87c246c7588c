/// Functions that make untrusted text safe to display in a terminal.
public enum PlainText {
  /// Decodes UTF-8 and makes the text safe to display, or returns nil if the bytes are not valid UTF-8.
  ///
  /// A byte order mark at the start, which some editors and spreadsheets write, is left out. Control
  /// characters other than tabs and line breaks, and characters that change the direction of text, are
  /// replaced by U+FFFD.
  public static func decoded(_ bytes: [UInt8]) -> String? {
    let marks = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    guard let text = String(validating: bytes.dropFirst(marks), as: UTF8.self) else { return nil }
    // Most texts contain no unsafe characters. They are returned as they are, which saves a copy.
    return text.unicodeScalars.contains(where: isCommand) ? shown(text) : text
  }

  /// Returns the text with unsafe characters replaced by U+FFFD: control characters other than tabs and line
  /// breaks, and characters that change the direction of text.
  public static func shown(_ text: String) -> String {
    var shown = ""
    shown.unicodeScalars.append(contentsOf: text.unicodeScalars.lazy.map { isCommand($0) ? "\u{FFFD}" : $0 })
    return shown
  }

  private static func isCommand(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x09, 0x0A, 0x0D: false
    case 0..<0x20, 0x7F...0x9F: true
    // Bidirectional embeddings, overrides and isolates.
    case 0x202A...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}
