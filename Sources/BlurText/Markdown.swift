extension String {
  /// The string as Markdown that renders as plain text, without formatting, links or mentions.
  ///
  /// Punctuation that could be read as markup is written as character references, which CommonMark never
  /// reads as markup (CommonMark 0.31, section 2.5). GitHub looks for @mentions and #issues later, in the
  /// rendered text, so character references do not help there. A zero-width space after the @ or # keeps
  /// GitHub from finding a mention or an issue.
  package var markdown: String {
    let scalars = Array(plain.unicodeScalars)
    var text = ""
    for (index, scalar) in scalars.enumerated() {
      let next = index + 1 < scalars.count ? scalars[index + 1] : " "
      switch scalar {
      case "@", "#": text += "&#\(scalar.value);&#8203;"
      // GitHub turns bare addresses such as www.… and …://… into links, unless their dot or colon is escaped.
      case "." where next.properties.isAlphabetic, ":" where next == "/": text += "&#\(scalar.value);"
      case _ where Self.plainPunctuation.contains(scalar) || !scalar.isPunctuation:
        text.unicodeScalars.append(scalar)
      default: text += "&#\(scalar.value);"
      }
    }
    return text
  }

  private static let plainPunctuation = Set(".,:;%/=()+-'\"?".unicodeScalars)

  /// Returns a Markdown section that is collapsed until the reader opens it.
  ///
  /// - Parameters:
  ///   - title: The section's title, as plain text.
  ///   - text: The section's content, as Markdown.
  package static func folded(_ title: String, _ text: String) -> String {
    "<details><summary>\(title.markdown)</summary>\n\n\(text)\n\n</details>"
  }

  /// The string on one line, without control and formatting characters.
  ///
  /// Names come from files that may be hostile. Control characters in a name could send commands to a
  /// terminal, and formatting characters could reverse the direction of the text.
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
  /// A Boolean value that indicates whether the scalar is ASCII punctuation or an ASCII symbol.
  fileprivate var isPunctuation: Bool {
    isASCII && !properties.isWhitespace && properties.numericType == nil && !properties.isAlphabetic
  }
}
