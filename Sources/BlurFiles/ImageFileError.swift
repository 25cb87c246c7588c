import Foundation

/// The error for an image file that could not be read or written.
public struct ImageFileError: LocalizedError, Equatable, CustomStringConvertible {
  /// One line that names the file, and says what is wrong with it and what is allowed.
  public let description: String

  /// The same text as ``description``, for programs that show `localizedDescription`.
  public var errorDescription: String? { description }

  init(_ file: String, _ reason: String) { description = "\(file): \(reason)" }
}

/// An error in image data. The message does not name the file, so a caller that knows the name adds it.
struct ImageDataError: Error, CustomStringConvertible {
  let description: String

  init(_ reason: String) { description = reason }
}
