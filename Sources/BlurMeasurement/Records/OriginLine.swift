import Foundation

/// A line `key: value` that says where results come from: ``Provenance/text`` is made of them.
public struct OriginLine: Sendable {
  /// What is said, such as `cpu`, and of it what.
  public let key: String, value: String

  /// Reads one line; nil for one without a colon.
  public init?(_ line: String) {
    guard let colon = line.firstIndex(of: ":") else { return nil }
    key = String(line[..<colon])
    value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
  }

  /// The lines of a text; others are left out.
  public static func lines(of text: String) -> [OriginLine] {
    text.split(whereSeparator: \.isNewline).compactMap { OriginLine(String($0)) }
  }

  /// The lines of the `.txt` beside a file of results; none where there is no such text.
  public static func beside(_ path: String) -> [OriginLine] {
    let text = URL(filePath: path).deletingPathExtension().appendingPathExtension("txt").path
    return lines(of: (try? SuiteFiles.text(at: text)) ?? "")
  }
}
