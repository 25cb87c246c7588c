import Blur
import BlurRecords
import BlurText

extension Comparison {
  /// The comparison as text without colours: the verdict, the caveats, a table, and explanations.
  public var text: String { text(colour: false) }

  /// Returns the comparison as text for a terminal.
  ///
  /// - Parameter colour: Whether verdicts are printed in red, green or yellow, with ANSI escape codes.
  public func text(colour: Bool) -> String {
    let labels = CaseLabels(cases.map(\.name))
    let paint = { (word: String, tone: Tone?) in colour ? tone?.paint(word) ?? word : word }
    let about = [subject.sentenceCase] + (labels.common.map { ["Common to all cases: \($0)"] } ?? [])
    let blocks = [
      [headline(paint)] + warnings.map { "  \(paint("caveat", .yellow)): \($0)" },
      about + builds.map(\.plain),
      cases.isEmpty ? [] : table(labels).lines(sortedCases, colour: colour),
      sortedCases.remarks(labels),
      acceptances,
      commands.isEmpty ? [] : [Self.aboutCommands + ":"] + commands.map { "  \($0)" },
      furtherNotes.map { "note: \($0.plain)" },
      meaning + legend,
    ]
    return blocks.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") }.joined(separator: "\n\n") + "\n"
  }

  /// The heading of the list of commands.
  static let aboutCommands = "To measure one case of the new version (head) again"

  /// Shell commands that measure the slower or wrong cases again with the new version (head). A case has no
  /// command if the head does not support it, or if the command would contain characters with a special
  /// meaning in a shell.
  var commands: [String] {
    let plain: (Character) -> Bool = { $0.isASCII && ($0.isLetter || $0.isNumber) || "-._/".contains($0) }
    let options = headOptions ?? []
    let changed = sortedCases.filter { $0.verdict == .regressed || !$0.openFaults.isEmpty }
    return changed.filter { !$0.isMissing }.compactMap { item in
      guard let item = try? Case(name: item.name) else { return nil }
      // To measure a plug-in's kernel again, a command must contain the path of the plug-in, but records do
      // not contain this path. So if the comparison was made from records, a command is printed only for
      // kernels that are built into this program.
      guard method != .records || Registry.kernels.contains(where: { $0.name == item.kernel }) else {
        return nil
      }
      let isPlain = ([item.kernel] + options).allSatisfy { $0.allSatisfy(plain) }
      return isPlain ? ([item.command] + options).joined(separator: " ") : nil
    }
  }

  /// Returns the summary sentence. The words before its colon, such as "No regression", are coloured.
  private func headline(_ paint: (String, Tone?) -> String) -> String {
    let end = sentence.firstIndex(of: ":") ?? sentence.endIndex
    let tone: Tone =
      switch outcome {
      case .good: .green
      case .regressed: .red
      case .cannotTell: isStrict == true ? .red : .yellow
      }
    return paint(String(sentence[..<end]), tone) + sentence[end...]
  }

  /// Returns the colour of the verdict on a case, or nil for the terminal's default text colour.
  func tone(of item: CaseComparison) -> Tone? {
    switch item.status {
    case .regressed where !isSlower(item): .yellow
    case .regressed, .faulty: .red
    case .improved: .green
    case .suspect, .missing, .unclear, .accepted: .yellow
    case .notSlower, .same: nil
    }
  }
}

extension String {
  /// The string with its first letter capitalized.
  fileprivate var sentenceCase: String { prefix(1).uppercased() + dropFirst() }
}
