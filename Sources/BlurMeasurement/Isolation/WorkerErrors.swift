import BlurRecords
import Foundation

/// What a worker writes to its standard error: an assertion that ends it belongs to its failure.
struct WorkerErrors {
  /// Where the worker writes.
  let handle: FileHandle
  private let file: URL

  private static let mostCharacters = 200

  /// - Throws: ``MeasurementError/file(path:reason:)``.
  init(in folder: URL) throws(MeasurementError) {
    file = folder.appending(path: "errors")
    do {
      try Data().write(to: file)
      handle = try FileHandle(forWritingTo: file)
    } catch { throw .file(path: file.path, reason: error.localizedDescription) }
  }

  /// The last line that is not empty, on one line whatever is in it.
  var lastLine: String? {
    guard let data = try? Data(contentsOf: file) else { return nil }
    let line = String(decoding: data.suffix(4096), as: UTF8.self).split(whereSeparator: \.isNewline)
      .last { !$0.allSatisfy(\.isWhitespace) }
    return line.map {
      String($0.filter { !$0.unicodeScalars.contains { $0.value < 32 } }.prefix(Self.mostCharacters))
    }
  }

  /// Hands lines on to the standard error of this process, and says when no more are.
  ///
  /// - Parameter left: how many lines may be handed on; how many may be later.
  func forward(lines left: inout Int) {
    guard left > 0, let data = try? Data(contentsOf: file), !data.isEmpty else { return }
    let lines = data.split(separator: UInt8(ascii: "\n"))
    var text = lines.prefix(left).reduce(Data()) { $0 + $1 + Data("\n".utf8) }
    left -= min(left, lines.count)
    if left == 0 { text += Data("… what kernels write further is left out\n".utf8) }
    try? FileHandle.standardError.write(contentsOf: text)
  }
}
