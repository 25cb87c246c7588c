extension Comparison {
  /// The comparison as GitHub Actions workflow commands, one per line. GitHub shows their messages on the
  /// page of the run.
  ///
  /// The outcome comes first, because GitHub shows only the first ten errors and the first ten warnings of a
  /// step.
  public var annotations: String {
    let title = "blurbench compare"
    let level: Annotation.Level =
      switch outcome {
      case .good: .notice
      case .regressed: .error
      case .cannotTell: isStrict == true ? .error : .warning
      }
    let outcomeLine = Annotation(level: level, title: title, message: sentence)
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

  /// Returns at most nine annotations of one level, such as errors or warnings. If there are more, the ninth
  /// annotation says how many were left out. GitHub shows ten annotations per level, and one of them is
  /// reserved for the outcome.
  private static func shown(_ all: [Annotation], _ level: Annotation.Level) -> [Annotation] {
    guard all.count > 9 else { return all }
    let count = all.count - 8
    return all.prefix(8) + [
      Annotation(level: level, title: "blurbench compare", message: "and \(count) more: see the log")
    ]
  }
}

/// A GitHub Actions workflow command. Special characters are escaped in the same way as in the package
/// `@actions/core`.
private struct Annotation {
  enum Level: String { case notice, warning, error }

  let level: Level
  let title: String, message: String

  /// The command as text. Line breaks are escaped because a command ends at the first one.
  var line: String {
    let escapes: [Unicode.Scalar: String] = ["%": "%25", "\r": "%0D", "\n": "%0A"]
    let title = title.replacing(escapes.merging([":": "%3A", ",": "%2C"]) { $1 })
    return "::\(level.rawValue) title=\(title)::\(message.replacing(escapes))"
  }
}

extension String {
  /// Returns the text with special characters replaced by their escape sequences. All characters are replaced
  /// in a single pass, so that the `%` of one escape sequence is not escaped again.
  fileprivate func replacing(_ escapes: [Unicode.Scalar: String]) -> String {
    unicodeScalars.map { escapes[$0] ?? String($0) }.joined()
  }
}
