import ArgumentParser
import BlurRecords
import BlurText
import Foundation

extension ExitCode {
  /// A check failed, a result was wrong, or a regression was found.
  static let checkFailed = ExitCode(3)
  /// No verdict is possible.
  static let cannotTell = ExitCode(4)
}

/// Files that a verb writes at its end.
enum OutputPath {
  /// Work takes minutes: what cannot be written is said before.
  static func check(_ file: String) throws {
    let folder = URL(filePath: file).deletingLastPathComponent().path
    guard !file.isEmpty, !TextFile.isFolder(file) else {
      throw ValidationError("'\(file)' is no name of a file")
    }
    guard TextFile.isFolder(folder), FileManager.default.isWritableFile(atPath: folder) else {
      throw ValidationError("\(file): \(folder) is no folder that can be written to")
    }
  }
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
