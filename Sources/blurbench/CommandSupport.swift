import ArgumentParser
import BlurText
import Foundation

extension ExitCode {
  /// A check failed, a result was wrong, or a regression was found.
  static let checkFailed = ExitCode(3)
  /// No verdict is possible.
  static let cannotTell = ExitCode(4)
}

/// Messages on standard error, apart from results.
enum Terminal {
  /// Messages may quote files. What was printed before comes first, even where both go to one log.
  static func say(_ line: String) {
    fflush(nil)
    FileHandle.standardError.write(Data((PlainText.shown(line) + "\n").utf8))
  }

  /// Whether results may be coloured: on a terminal, unless the user said no.
  static var hasColour: Bool {
    isatty(1) == 1 && (ProcessInfo.processInfo.environment["NO_COLOR"] ?? "").isEmpty
  }

  /// Shows a line in place of the last one, on a terminal only.
  static func progress(_ line: String) {
    guard isatty(2) == 1 else { return }
    FileHandle.standardError.write(Data("\r\u{1B}[K\(line)".utf8))
  }

  /// The same at the beginning of a step that takes long, which a log shows as a line too.
  static func step(_ line: String) {
    if isatty(2) == 1 { progress(line) } else { say(line) }
  }
}
