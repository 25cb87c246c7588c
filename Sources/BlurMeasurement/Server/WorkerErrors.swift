import BlurRecords
import Foundation

/// Collects what a worker writes to its standard error. The message of an assertion that ends the worker is
/// then reported together with the failure.
struct WorkerErrors {
  /// The file handle that the worker uses as its standard error.
  let handle: FileHandle
  private let file: URL

  private static let mostCharacters = 200

  /// Creates an empty file that receives what the worker writes to its standard error.
  ///
  /// - Throws: ``MeasurementError/file(path:reason:)`` if the file cannot be created.
  init(in folder: URL) throws(MeasurementError) {
    file = folder.appending(path: "errors")
    do {
      try Data().write(to: file)
      handle = try FileHandle(forWritingTo: file)
    } catch { throw .file(path: file.path, reason: error.localizedDescription) }
  }

  /// The last line of the worker's error output that is not empty. Control characters are removed, so that
  /// the text fits on one line.
  var lastLine: String? {
    guard let data = try? Data(contentsOf: file) else { return nil }
    let line = String(decoding: data.suffix(4096), as: UTF8.self).split(whereSeparator: \.isNewline)
      .last { !$0.allSatisfy(\.isWhitespace) }
    return line.map {
      String($0.filter { !$0.unicodeScalars.contains { $0.value < 32 } }.prefix(Self.mostCharacters))
    }
  }

  /// Copies the worker's lines to the standard error of this process, and prints a note when the limit is
  /// reached.
  ///
  /// - Parameter left: The number of lines that may still be copied. It is reduced by the number of lines
  ///   copied.
  func forward(lines left: inout Int) {
    guard left > 0, let data = try? Data(contentsOf: file), !data.isEmpty else { return }
    let lines = data.split(separator: UInt8(ascii: "\n"))
    var text = lines.prefix(left).reduce(Data()) { $0 + $1 + Data("\n".utf8) }
    left -= min(left, lines.count)
    if left == 0 { text += Data("… further messages of the kernels are not shown\n".utf8) }
    try? FileHandle.standardError.write(contentsOf: text)
  }
}
