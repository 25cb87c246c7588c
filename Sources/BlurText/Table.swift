/// The side of a column to which a text table aligns the cells.
package enum Alignment: Sendable { case left, right }

/// A column of a table: its title, and the value that it shows for a row.
package struct Column<Row>: Sendable {
  /// The value of a cell. Text tables show the description of the value, and the data of the report page
  /// contains the encoded value.
  package typealias Value = any CustomStringConvertible & Encodable

  /// The title of the column, or an empty string if it has none.
  package let title: String
  fileprivate let alignment: Alignment
  fileprivate let tone: @Sendable (Row) -> Tone?
  package let value: @Sendable (Row) -> Value?

  /// Creates a column.
  ///
  /// - Parameters:
  ///   - alignment: The side to which a text table aligns the cells.
  ///   - tone: Returns the colour of a row's cell in a terminal, or nil for the usual colour.
  ///   - value: Returns the value of a row's cell, or nil if the cell is empty.
  package init(
    _ title: String = "", _ alignment: Alignment, tone: @escaping @Sendable (Row) -> Tone? = { _ in nil },
    _ value: @escaping @Sendable (Row) -> Value?
  ) {
    (self.title, self.alignment, self.tone, self.value) = (title, alignment, tone, value)
  }

  /// Creates a column whose cells are left-aligned.
  package init(
    _ title: String = "", tone: @escaping @Sendable (Row) -> Tone? = { _ in nil },
    _ value: @escaping @Sendable (Row) -> Value?
  ) {
    self.init(title, .left, tone: tone, value)
  }

  /// Returns the value of a row's cell as text, or an empty string if the cell is empty.
  package func text(_ row: Row) -> String { value(row)?.description ?? "" }

  /// Returns the number of characters in the title or in the widest cell, whichever is larger.
  package func width(_ rows: [Row]) -> Int { rows.map { text($0).count }.reduce(title.count, max) }
}

/// The columns of a table. They determine how rows are written as text, as CSV, as Markdown, and as data for
/// the report page.
package struct Table<Row>: Sendable {
  package let columns: [Column<Row>]

  /// Creates a table with the given columns.
  package init(_ columns: [Column<Row>]) { self.columns = columns }

  private var titles: [String] { columns.map(\.title) }

  private func cells(_ row: Row) -> [String] { columns.map { $0.text(row) } }

  /// Returns the table without the columns that are empty in all given rows.
  package func withoutEmptyColumns(_ rows: [Row]) -> Table {
    Table(columns.filter { column in rows.contains { !column.text($0).isEmpty } })
  }

  /// Returns the table as lines of text without trailing spaces. Each column is as wide as its widest cell.
  /// The first line contains the titles, unless no column has a title.
  ///
  /// - Parameters:
  ///   - indent: The number of spaces at the beginning of each line.
  ///   - colour: Whether the cells are coloured with ANSI escape codes.
  package func lines(_ rows: [Row], indent: Int = 0, colour: Bool = false) -> [String] {
    let widths = columns.map { $0.width(rows) }
    func line(_ cells: [String], _ tones: [Tone?]) -> String {
      var text = String(repeating: " ", count: indent)
      for (place, cell) in cells.enumerated() {
        // A terminal does not display colour codes, so they do not count towards the width of a cell.
        let space = String(repeating: " ", count: widths[place] - cell.count)
        let shown = tones[place].map { $0.paint(cell) } ?? cell
        text += (place > 0 ? "  " : "") + (columns[place].alignment == .right ? space + shown : shown + space)
      }
      while text.last == " " { text.removeLast() }
      return text
    }
    let heading = titles.allSatisfy(\.isEmpty) ? [] : [line(titles, columns.map { _ in nil })]
    return heading + rows.map { row in line(cells(row), columns.map { colour ? $0.tone(row) : nil }) }
  }

  /// Returns the table as text, without a final line break. See ``lines(_:indent:colour:)``.
  package func text(_ rows: [Row], indent: Int = 0) -> String {
    lines(rows, indent: indent).joined(separator: "\n")
  }

  /// The first line of the CSV text, which contains the titles.
  package var csvHeader: String { titles.csvLine }

  /// Returns a line of comma-separated values for each row. Line breaks in a cell become spaces.
  package func csvLines(_ rows: [Row]) -> String { rows.map { cells($0).map(\.oneLine).csvLine }.joined() }

  /// Returns the table as comma-separated values (RFC 4180), with the titles in the first line.
  package func csv(_ rows: [Row]) -> String { csvHeader + csvLines(rows) }

  /// Returns the table in GitHub's dialect of Markdown, as lines: the titles, the alignments, and a line for
  /// each row.
  package func markdownLines(_ rows: [Row]) -> [String] {
    let sides = columns.map { $0.alignment == .right ? "---:" : "---" }
    let lines = [titles, sides] + rows.map { cells($0).map(\.markdown) }
    return lines.map { "| " + $0.joined(separator: " | ") + " |" }
  }

  /// Returns the table in GitHub's dialect of Markdown, without a final line break.
  package func markdown(_ rows: [Row]) -> String { markdownLines(rows).joined(separator: "\n") }

  /// Encodes the values of a row as a JSON array, in which `null` stands for an empty cell.
  package func encode(_ row: Row, to encoder: any Encoder) throws {
    var array = encoder.unkeyedContainer()
    for column in columns {
      if let value = column.value(row) { try array.encode(value) } else { try array.encodeNil() }
    }
  }
}

extension [String] {
  /// The strings as a line of comma-separated values (RFC 4180), with its line break.
  ///
  /// A field is quoted if it contains a comma, a quotation mark or a line break. It is also quoted if it
  /// begins or ends with a space, because some readers trim such spaces.
  package var csvLine: String {
    map { field in
      let isPlain =
        field.first != " " && field.last != " "
        && !field.contains { $0 == "," || $0 == "\"" || $0.isNewline }
      guard !isPlain else { return field }
      return "\"" + field.replacing("\"", with: "\"\"") + "\""
    }.joined(separator: ",") + "\n"
  }
}
