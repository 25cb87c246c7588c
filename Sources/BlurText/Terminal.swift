import Foundation

/// Messages on standard error, separate from the results on standard output.
package enum Terminal {
  /// Prints a message on standard error.
  ///
  /// Control characters are replaced, because a message may quote text from a file. Standard output is
  /// flushed first, so that the lines keep their order if both streams go to the same log.
  package static func say(_ line: String) {
    fflush(nil)
    FileHandle.standardError.write(Data((PlainText.shown(line) + "\n").utf8))
  }

  /// Whether results may be coloured: standard output is a terminal and `NO_COLOR` is not set.
  package static var hasColour: Bool {
    isatty(1) == 1 && (ProcessInfo.processInfo.environment["NO_COLOR"] ?? "").isEmpty
  }

  /// Shows a line of progress on a terminal, in place of the previous line. Does nothing if standard error is
  /// not a terminal.
  package static func progress(_ line: String) {
    guard isatty(2) == 1 else { return }
    FileHandle.standardError.write(Data("\r\u{1B}[K\(line)".utf8))
  }

  /// Shows a message at the start of a step that takes a long time. On a terminal, the message replaces the
  /// previous line of progress. If standard error is not a terminal, the message is printed as a line of its
  /// own.
  package static func step(_ line: String) {
    if isatty(2) == 1 { progress(line) } else { say(line) }
  }
}

/// A text colour of a terminal. The raw value is the ANSI code of the colour.
package enum Tone: Int {
  case red = 31
  case green = 32
  case yellow = 33

  package func paint(_ text: String) -> String { "\u{1B}[\(rawValue)m\(text)\u{1B}[0m" }
}
