import BlurText

extension Comparison {
  /// The comparison as a comment on a pull request: the verdict, what changed, everything else folded.
  public var markdown: String { markdown(limit: 65_536) }

  /// The same, with lines left out, and counted, where the comment would be longer.
  ///
  /// - Parameter limit: how many bytes of UTF-8 it may have. GitHub takes 65,536 characters.
  func markdown(limit: Int) -> String {
    let labels = CaseLabels(cases.map(\.name))
    let table = ComparisonTable(CaseTable(self, labels))
    // What is in doubt may be a regression: it is shown.
    let changes = sortedCases.filter { $0.status.isChange || $0.status == .unclear }
    let others = sortedCases.filter { !$0.status.isChange && $0.status != .unclear }
    let remarks = { (cases: [CaseComparison]) in
      cases.remarks(labels).map { "- " + $0.cut(to: 400).markdown }
    }
    // The rest is for what stands there in any case: headings, tags, lines that count what was left out.
    var room = Room(bytes: limit - 3072)
    let intro = room.fit(
      ["### \(sentence.markdown)"] + warnings.map { "> \($0.cut(to: 400).markdown)" }
        + [(subject + (labels.common.map { ". Every case: \($0)" } ?? "")).cut(to: 800).markdown],
      called: "lines")
    let changed = table.lines(room.fit(changes.map(table.row), called: "changed cases"))
    let reasons = room.fit(remarks(changes), called: "remarks")
    var margin = Room(bytes: room.bytes / 2)
    let origin = origin(&margin)
    room.bytes -= room.bytes / 2 - margin.bytes
    let same = table.lines(room.fit(others.map(table.row), called: "cases"))
    let why = room.fit(remarks(others), called: "remarks").joined(separator: "\n")
    var blocks = [intro.joined(separator: "\n\n")]
    if !changes.isEmpty { blocks.append(changed) }
    if !reasons.isEmpty { blocks.append(reasons.joined(separator: "\n")) }
    // Words of this program alone, with code in them.
    if !acceptances.isEmpty { blocks.append(acceptances.joined(separator: "\n\n")) }
    if !others.isEmpty {
      let word = others.contains { $0.status == .notSlower } ? "the same, or not slower" : "the same"
      blocks.append(String.folded("\(others.count) \(word)", same + (why.isEmpty ? "" : "\n\n" + why)))
    }
    blocks.append(String.folded("How to read this, and where it was measured", origin))
    return blocks.joined(separator: "\n\n") + "\n"
  }

  /// What the words mean, notes, commands and provenance.
  private func origin(_ room: inout Room) -> String {
    let lines = (meaning + CaseTable(self, CaseLabels([])).legend + builds + furtherNotes).map {
      "- " + $0.cut(to: 400).markdown
    }
    let about = commands.isEmpty ? [] : ["# " + Self.aboutCommands]
    let raw = (about + commands + provenance).map { $0.cut(to: 400).plain }
    let blocks =
      [room.fit(lines, called: "notes").joined(separator: "\n")]
      + (raw.isEmpty ? [] : [Self.fenced(room.fit(raw, called: "lines"))])
    return blocks.joined(separator: "\n\n")
  }

  /// Lines as they are, in a fence that none of them can close.
  private static func fenced(_ lines: [String]) -> String {
    let longest = lines.flatMap { $0.split { $0 != "`" } }.map(\.count).max() ?? 0
    let fence = String(repeating: "`", count: max(3, longest + 1))
    return ([fence + "text"] + lines + [fence]).joined(separator: "\n")
  }
}

/// How many bytes are left for lines.
private struct Room {
  var bytes: Int

  /// As many of the first lines as fit, and how many do not.
  mutating func fit(_ lines: [String], called name: String) -> [String] {
    var fitting: [String] = []
    for line in lines {
      guard line.utf8.count + 2 <= bytes else {
        return fitting + ["… and \(lines.count - fitting.count) more \(name): a comment holds no more."]
      }
      bytes -= line.utf8.count + 2
      fitting.append(line)
    }
    return fitting
  }
}

/// A table with the columns of a terminal's.
private struct ComparisonTable {
  private let table: CaseTable

  init(_ table: CaseTable) { self.table = table }

  func row(_ item: CaseComparison) -> String {
    MarkdownTable.row(zip(table.columns, table.cells(item)).map { $0.isUntrusted ? $1.markdown : $1 })
  }

  /// The heading and `rows`; a line that is no row follows as text of its own.
  func lines(_ rows: [String]) -> String {
    let lines = MarkdownTable(table.columns.map(\.title), table.columns.map(\.alignment))
      .text(rows.filter { $0.hasPrefix("|") })
    return ([lines] + rows.filter { !$0.hasPrefix("|") }.map { "\n" + $0 }).joined(separator: "\n")
  }
}
