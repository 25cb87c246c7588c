extension Comparison {
  /// Workflow commands of GitHub Actions, one line each: the verdict on the page of a run.
  ///
  /// The outcome comes first: GitHub shows ten errors and ten warnings of a step, and drops the others.
  public var annotations: String {
    let title = "blurbench compare"
    let outcomeLine =
      switch outcome {
      case .good: Annotation(level: .notice, title: title, message: sentence)
      case .regressed: Annotation(level: .error, title: title, message: sentence)
      case .cannotTell:
        Annotation(level: isStrict == true ? .error : .warning, title: title, message: sentence)
      }
    let labels = CaseLabels(cases.map(\.name))
    let errors = failures.map { item in
      let figures = [item.ratio.map(NumberText.change), NumberText.times(item.base.time, item.head.time)]
      let parts = [item.name.plain] + item.remarks + figures.compactMap(\.self).filter { !$0.isEmpty }
      return Annotation(
        level: .error, title: "\(word(for: item)): \(labels[item.name].cut(to: 100))",
        message: parts.joined(separator: "; "))
    }
    let doubtful = warnings.map { Annotation(level: .warning, title: title, message: $0) }
    let lines = [outcomeLine] + Self.shown(errors, .error) + Self.shown(doubtful, .warning)
    return lines.map { $0.line + "\n" }.joined()
  }

  /// At most nine, the last of them a count of those left out; the tenth place is the outcome's.
  private static func shown(_ all: [Annotation], _ level: Annotation.Level) -> [Annotation] {
    guard all.count > 9 else { return all }
    let count = all.count - 8
    return all.prefix(8) + [
      Annotation(level: level, title: "blurbench compare", message: "and \(count) more: see the log")
    ]
  }
}

/// A workflow command. The escapes are those of `@actions/core`.
private struct Annotation {
  enum Level: String { case notice, warning, error }

  let level: Level
  let title: String, message: String

  var line: String { "::\(level.rawValue) title=\(Self.property(title))::\(Self.data(message))" }

  /// The runner looks for the end of a command at the first line break.
  private static func data(_ text: String) -> String {
    text.replacing(["%": "%25", "\r": "%0D", "\n": "%0A"])
  }

  private static func property(_ text: String) -> String {
    text.replacing(["%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"])
  }
}

extension String {
  /// The text with these scalars replaced, in one go.
  fileprivate func replacing(_ escapes: [Unicode.Scalar: String]) -> String {
    unicodeScalars.map { escapes[$0] ?? String($0) }.joined()
  }
}
