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
    var widths: [Int] = []
    for line in lines {
      for (column, cell) in line.enumerated() {
        if column == widths.count { widths.append(0) }
        widths[column] = max(widths[column], cell.count)
      }
    }
    let padded = lines.map { line in
      var text = ""
      for (column, cell) in line.enumerated() {
        let space = String(repeating: " ", count: widths[column] - cell.count)
        let isRight = column < alignments.count && alignments[column] == .right
        text += (column > 0 ? "  " : "") + (isRight ? space + cell : cell + space)
      }
      while text.last == " " { text.removeLast() }
      return text
    }
    return padded.joined(separator: "\n")
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

  /// A line for each row of fields.
  public static func lines(_ rows: [[String]]) -> String {
    rows.map { $0.map(quoted).joined(separator: ",") + "\n" }.joined()
  }
}
