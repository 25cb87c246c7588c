import BlurText

extension Comparison {
  /// The comparison as a comment on a pull request. The verdict and the changed cases are visible, and
  /// everything else is collapsed.
  public var markdown: String { markdown(limit: 65_536) }

  /// Returns the comparison as a comment of limited length. Lines that do not fit are left out and counted.
  ///
  /// - Parameter limit: The maximum length in bytes of UTF-8. GitHub accepts 65,536 characters.
  func markdown(limit: Int) -> String {
    let labels = CaseLabels(cases.map(\.name))
    let table = table(labels)
    // Undecided cases are shown with the changes, because each of them may be a regression.
    let changes = sortedCases.filter { $0.status.isChange || $0.status == .unclear }
    let others = sortedCases.filter { !$0.status.isChange && $0.status != .unclear }
    let remarks = { (cases: [CaseComparison]) in
      cases.remarks(labels).map { "- " + $0.cut(to: 400).markdown }
    }
    // 3072 bytes are reserved for text that is always present: headings, tags, and lines that say how many
    // lines were left out.
    var room = Room(bytes: limit - 3072)
    let intro = room.fit(
      ["### \(sentence.markdown)"] + warnings.map { "> \($0.cut(to: 400).markdown)" }
        + [(subject + (labels.common.map { ". Common to all cases: \($0)" } ?? "")).cut(to: 800).markdown],
      called: "lines")
    let changed = room.fit(table: table.markdownLines(changes), rowsCalled: "changed cases")
    let reasons = room.fit(remarks(changes), called: "remarks")
    var margin = Room(bytes: room.bytes / 2)
    let origin = origin(&margin)
    room.bytes -= room.bytes / 2 - margin.bytes
    let same = room.fit(table: table.markdownLines(others), rowsCalled: "cases")
    let why = room.fit(remarks(others), called: "remarks").joined(separator: "\n")
    var blocks = [intro.joined(separator: "\n\n")]
    if !changes.isEmpty { blocks.append(changed) }
    if !reasons.isEmpty { blocks.append(reasons.joined(separator: "\n")) }
    // The sentences in `acceptances` are not escaped, because they contain Markdown code and no text from
    // outside this program.
    if !acceptances.isEmpty { blocks.append(acceptances.joined(separator: "\n\n")) }
    if !others.isEmpty {
      let word = others.contains { $0.status == .notSlower } ? "the same, or not slower" : "the same"
      blocks.append(String.folded("\(others.count) \(word)", same + (why.isEmpty ? "" : "\n\n" + why)))
    }
    blocks.append(String.folded("How to read this, and where it was measured", origin))
    return blocks.joined(separator: "\n\n") + "\n"
  }

  /// Returns the last section of the comment. It explains the verdicts and columns, lists notes and commands,
  /// and says where and when the times were measured.
  private func origin(_ room: inout Room) -> String {
    let lines = (meaning + legend + builds + furtherNotes).map { "- " + $0.cut(to: 400).markdown }
    let about = commands.isEmpty ? [] : ["# " + Self.aboutCommands]
    let raw = (about + commands + provenance).map { $0.cut(to: 400).plain }
    let blocks =
      [room.fit(lines, called: "notes").joined(separator: "\n")]
      + (raw.isEmpty ? [] : [Self.fenced(room.fit(raw, called: "lines"))])
    return blocks.joined(separator: "\n\n")
  }

  /// Returns the lines as a Markdown code block. The fence has more backquotes than any run of backquotes in
  /// the lines, so that no line can end the block.
  private static func fenced(_ lines: [String]) -> String {
    let longest = lines.flatMap { $0.split { $0 != "`" } }.map(\.count).max() ?? 0
    let fence = String(repeating: "`", count: max(3, longest + 1))
    return ([fence + "text"] + lines + [fence]).joined(separator: "\n")
  }
}

/// Keeps track of the number of bytes that are left in a comment of limited length.
private struct Room {
  var bytes: Int

  /// Returns the lines that fit into the rest of the comment. If some lines do not fit, a last line says how
  /// many were left out.
  mutating func fit(_ lines: [String], called name: String) -> [String] {
    var fitting: [String] = []
    for line in lines {
      guard line.utf8.count + 2 <= bytes else {
        let rest = lines.count - fitting.count
        return fitting + ["… and \(rest) more \(name), which do not fit into a comment."]
      }
      bytes -= line.utf8.count + 2
      fitting.append(line)
    }
    return fitting
  }

  /// Returns a table with the rows that fit into the rest of the comment. If some rows do not fit, a line
  /// below the table says how many were left out.
  ///
  /// - Parameter lines: The lines of the table: titles, alignments and rows.
  mutating func fit(table lines: [String], rowsCalled name: String) -> String {
    let rows = fit(Array(lines.dropFirst(2)), called: name)
    return (lines.prefix(2) + rows.map { $0.hasPrefix("|") ? $0 : "\n" + $0 }).joined(separator: "\n")
  }
}
