/// A table of GitHub's Markdown.
public struct MarkdownTable {
  private let titles: [String], alignments: [TextTable.Alignment]

  /// Begins a table.
  ///
  /// - Parameters:
  ///   - titles: of the columns, as Markdown.
  ///   - alignments: of the first columns; the others are left-aligned.
  public init(_ titles: [String], _ alignments: [TextTable.Alignment] = []) {
    (self.titles, self.alignments) = (titles, alignments)
  }

  /// A line with cells, which are Markdown.
  public static func row(_ cells: [String]) -> String { "| " + cells.joined(separator: " | ") + " |" }

  /// The whole table.
  ///
  /// - Parameter rows: lines, see ``row(_:)``.
  public func text(_ rows: [String]) -> String {
    let sides = titles.indices.map {
      $0 < alignments.count && alignments[$0] == .right ? "---:" : "---"
    }
    return ([Self.row(titles), Self.row(sides)] + rows).joined(separator: "\n")
  }
}

extension String {
  /// The text as Markdown without markup, links or mentions.
  ///
  /// Character references cannot be markup (CommonMark 0.31, section 2.5); references to people and issues
  /// are looked for later, in the text, and an invisible space keeps them from being found.
  package var markdown: String {
    let scalars = Array(plain.unicodeScalars)
    var text = ""
    for (index, scalar) in scalars.enumerated() {
      let next = index + 1 < scalars.count ? scalars[index + 1] : " "
      switch scalar {
      case "@", "#": text += "&#\(scalar.value);&#8203;"
      // Bare addresses become links: www.… and …://….
      case "." where next.properties.isAlphabetic, ":" where next == "/": text += "&#\(scalar.value);"
      case _ where Self.plainPunctuation.contains(scalar) || !scalar.isPunctuation:
        text.unicodeScalars.append(scalar)
      default: text += "&#\(scalar.value);"
      }
    }
    return text
  }

  private static let plainPunctuation = Set(".,:;%/=()+-'\"?".unicodeScalars)

  /// A part of a Markdown page that is opened on demand.
  ///
  /// - Parameters:
  ///   - title: any text.
  ///   - text: Markdown.
  package static func folded(_ title: String, _ text: String) -> String {
    "<details><summary>\(title.markdown)</summary>\n\n\(text)\n\n</details>"
  }

  /// One line without control characters: names come from files, and may hold commands for a terminal or
  /// change the direction of writing.
  package var plain: String {
    String(
      String.UnicodeScalarView(
        unicodeScalars.compactMap { scalar in
          if scalar.properties.isWhitespace { return " " }
          let isUnseen = [.control, .format, .unassigned].contains(scalar.properties.generalCategory)
          return isUnseen ? nil : scalar
        }))
  }
}

extension Unicode.Scalar {
  /// Whether it is punctuation or a sign of ASCII.
  fileprivate var isPunctuation: Bool {
    isASCII && !properties.isWhitespace && properties.numericType == nil && !properties.isAlphabetic
  }
}
