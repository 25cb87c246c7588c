import BlurRecords
import BlurText
import Foundation

/// Collects what a server writes to its standard error. If an assertion ends the server, the error message
/// can then quote the text of the assertion.
package struct ErrorLog {
  /// The file handle that the server uses as its standard error.
  package let handle: FileHandle
  private let file: URL

  private static let mostCharacters = 200

  /// Creates an empty file that receives what the server writes to its standard error.
  ///
  /// - Throws: ``MeasurementError/file(path:reason:)`` if the file cannot be created.
  package init(in folder: URL) throws(MeasurementError) {
    file = folder.appending(path: "errors")
    do {
      try Data().write(to: file)
      handle = try FileHandle(forWritingTo: file)
    } catch { throw .file(path: file.path, reason: error.localizedDescription) }
  }

  /// The whole error output.
  package var text: String { String(decoding: (try? Data(contentsOf: file)) ?? Data(), as: UTF8.self) }

  /// The last non-empty line of the server's error output. Control characters are replaced, so that they
  /// cannot affect the terminal.
  var lastLine: String? {
    let line = text.split(whereSeparator: \.isNewline).last { !$0.allSatisfy(\.isWhitespace) }
    return line.map { PlainText.shown(String($0.prefix(Self.mostCharacters))) }
  }

  /// Copies lines of the server's error output to the standard error of this process, and prints a note when
  /// the limit is reached.
  ///
  /// - Parameter left: The number of lines that may still be copied. This function subtracts the number of
  ///   lines that it copies.
  func forward(lines left: inout Int) {
    let lines = text.split(whereSeparator: \.isNewline)
    guard left > 0, !lines.isEmpty else { return }
    for line in lines.prefix(left) { Terminal.say(String(line)) }
    left -= min(left, lines.count)
    if left == 0 { Terminal.say("… further messages of the kernels are not shown") }
  }
}
