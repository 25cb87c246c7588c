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
  /// Messages may quote files.
  static func say(_ line: String) {
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
}
