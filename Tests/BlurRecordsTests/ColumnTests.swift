import BlurText
import Foundation
import Testing

@Suite("Columns of tables")
struct ColumnTests {
  struct Row: Encodable {
    let name: String, count: Int?

    static let table = Table<Row>([
      Column("name", tone: { $0.count == nil ? .red : nil }, { $0.name }),
      Column("count", .right) { $0.count }, Column("note") { _ in nil },
    ])

    func encode(to encoder: any Encoder) throws { try Self.table.encode(self, to: encoder) }
  }

  let rows = [Row(name: "a", count: 12), Row(name: "a, \"b\"\n|c ", count: nil)]

  @Test("Columns of text are as wide as their widest cell, and numbers are aligned at the right")
  func text() {
    let rows = [Row(name: "long name", count: 5), Row(name: "a", count: 12), Row(name: "b", count: nil)]
    let lines = ["  name       count  note", "  long name      5", "  a             12", "  b"]
    #expect(Row.table.lines(rows, indent: 2) == lines)
    let coloured = Row.table.lines(rows, indent: 2, colour: true)
    #expect(coloured.dropLast() == lines.dropLast() && coloured[3] == "  \u{1B}[31mb\u{1B}[0m")
    let untitled = Table<Row>([Column { $0.count }, Column { $0.name }])
    #expect(untitled.text(rows) == "5   long name\n12  a\n    b")
  }

  @Test("A column that is empty in all rows can be left out")
  func empty() {
    #expect(Row.table.withoutEmptyColumns(rows).columns.map(\.title) == ["name", "count"])
    #expect(Row.table.withoutEmptyColumns([rows[1]]).columns.map(\.title) == ["name"])
  }

  @Test("CSV quotes what has commas, quotation marks or spaces at an end, and has one line for each row")
  func csv() {
    #expect(Row.table.csv(rows) == "name,count,note\na,12,\n\"a, \"\"b\"\" |c \",,\n")
    #expect([" a", "b "].csvLine == "\" a\",\"b \"\n")
  }

  @Test("Markdown has a line of alignments, and cells cannot add columns")
  func markdown() {
    #expect(
      Row.table.markdownLines(rows) == [
        "| name | count | note |", "| --- | ---: | --- |", "| a | 12 |  |", "| a, \"b\" &#124;c  |  |  |",
      ])
  }

  @Test("The data of a page has a value for each column, and null for an empty cell")
  func data() throws {
    #expect(try JSONDocument.line(of: rows[0]) == "[\"a\",12,null]")
    #expect(try JSONDocument.line(of: rows[1]).hasSuffix(",null,null]"))
  }
}
