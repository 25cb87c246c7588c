import BlurRecords
import BlurText
import Foundation

/// Collects what a server writes to its standard error. The message of an assertion that ends the server is
/// then reported together with the failure.
struct ErrorLog {
  /// The file handle that the server uses as its standard error.
  let handle: FileHandle
  private let file: URL

  private static let mostCharacters = 200

  /// Creates an empty file that receives what the server writes to its standard error.
  ///
  /// - Throws: ``MeasurementError/file(path:reason:)`` if the file cannot be created.
  init(in folder: URL) throws(MeasurementError) {
    file = folder.appending(path: "errors")
    do {
      try Data().write(to: file)
      handle = try FileHandle(forWritingTo: file)
    } catch { throw .file(path: file.path, reason: error.localizedDescription) }
  }

  /// The last line of the server's error output that is not empty. Control characters are replaced, so that
  /// they cannot change the terminal.
  var lastLine: String? {
    guard let data = try? Data(contentsOf: file) else { return nil }
    let line = String(decoding: data.suffix(4096), as: UTF8.self).split(whereSeparator: \.isNewline)
      .last { !$0.allSatisfy(\.isWhitespace) }
    return line.map { PlainText.shown(String($0.prefix(Self.mostCharacters))) }
  }

  /// Copies the server's lines to the standard error of this process, and prints a note when the limit is
  /// reached.
  ///
  /// - Parameter left: The number of lines that may still be copied. It is reduced by the number of lines
  ///   copied.
  func forward(lines left: inout Int) {
    guard left > 0, let data = try? Data(contentsOf: file), !data.isEmpty else { return }
    let lines = String(decoding: data, as: UTF8.self).split(whereSeparator: \.isNewline)
    for line in lines.prefix(left) { Terminal.say(String(line)) }
    left -= min(left, lines.count)
    if left == 0 { Terminal.say("… further messages of the kernels are not shown") }
  }
}
