/// Untrusted text, made safe to show.
public enum PlainText {
  /// UTF-8 without terminal commands: each control character but line breaks and tabs, and each that changes
  /// the direction of text, becomes U+FFFD. Nil for bytes that are not UTF-8.
  public static func decoded(_ bytes: [UInt8]) -> String? {
    guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
    // Nearly all text is clean, and need not be copied.
    return text.unicodeScalars.contains(where: isCommand) ? shown(text) : text
  }

  /// The text without terminal commands.
  public static func shown(_ text: String) -> String {
    var shown = ""
    shown.unicodeScalars.append(contentsOf: text.unicodeScalars.lazy.map { isCommand($0) ? "\u{FFFD}" : $0 })
    return shown
  }

  private static func isCommand(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x09, 0x0A, 0x0D: false
    case 0..<0x20, 0x7F...0x9F: true
    // Embeddings, overrides and isolates of bidirectional text.
    case 0x202A...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}
