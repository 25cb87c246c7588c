import Foundation

/// Why an image file could not be read or written. Each message says what to do.
public struct ImageFileError: LocalizedError, Equatable, CustomStringConvertible {
  /// One line: the file, what is wrong with it, and what is allowed.
  public let description: String

  /// The same, for what shows `localizedDescription`.
  public var errorDescription: String? { description }

  init(_ file: String, _ reason: String) { description = "\(file): \(reason)" }

  /// A fault in bytes whose file is named later.
  struct Fault: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }
  }
}
