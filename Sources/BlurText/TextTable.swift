/// Lays out plain text in columns, each as wide as its widest cell.
public enum TextTable {
  /// The alignment of the cells of a column, either at the left or at the right side of the column.
  public enum Alignment: Sendable { case left, right }

  /// Returns the lines with their cells padded to the column widths, without trailing spaces.
  ///
  /// - Parameters:
  ///   - lines: The cells of each line. Lines may have different numbers of cells.
  ///   - alignments: The alignments of the first columns. Any further columns are left-aligned.
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

/// Writes the fields of comma-separated values (RFC 4180).
public enum CSVField {
  /// Returns the field as it is written in a CSV file.
  ///
  /// The field is quoted if it contains a comma, a quotation mark or a line break. It is also quoted if it
  /// begins or ends with a space, because some readers trim such spaces.
  public static func quoted(_ field: String) -> String {
    let isPlain = !field.contains { $0 == "," || $0 == "\"" || $0.isNewline }
    guard !isPlain || field.first == " " || field.last == " " else { return field }
    return "\"" + field.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
      + "\""
  }

  /// Returns the CSV text of the rows, one line for each row.
  public static func lines(_ rows: [[String]]) -> String {
    rows.map { $0.map(quoted).joined(separator: ",") + "\n" }.joined()
  }
}
