/// Text in columns as wide as their widest cell.
public enum TextTable {
  /// Which side of a column its cells stand at.
  public enum Alignment: Sendable { case left, right }

  /// The lines with their cells padded, without spaces at the ends of lines.
  ///
  /// - Parameters:
  ///   - lines: the cells of each line; lines may have different numbers of them.
  ///   - alignments: for the first columns; the others are left-aligned.
  public static func aligned(_ lines: [[String]], _ alignments: [Alignment] = []) -> String {
    let widths = (0..<(lines.map(\.count).max() ?? 0)).map { column in
      lines.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
    }
    return lines.map { line in
      let cells = line.enumerated().map { column, cell in
        let space = String(repeating: " ", count: widths[column] - cell.count)
        let isRight = column < alignments.count && alignments[column] == .right
        return isRight ? space + cell : cell + space
      }
      let text = cells.joined(separator: "  ")
      return String(text[..<(text.lastIndex { $0 != " " }.map { text.index(after: $0) } ?? text.startIndex)])
    }.joined(separator: "\n")
  }
}

/// Fields of comma-separated values (RFC 4180).
public enum CSVField {
  /// The field as it stands in a line: in quotes where it has a comma, a quote or a line break, or a space at
  /// an end, which some readers trim.
  public static func quoted(_ field: String) -> String {
    let isPlain = !field.contains { $0 == "," || $0 == "\"" || $0.isNewline }
    guard !isPlain || field.first == " " || field.last == " " else { return field }
    return "\"" + field.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
      + "\""
  }
}
