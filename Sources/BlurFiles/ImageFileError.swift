import Foundation

/// The reason why an image file could not be read or written. Each message says what to do.
public struct ImageFileError: LocalizedError, Equatable, CustomStringConvertible {
  /// One line with the file, what is wrong with it, and what is allowed.
  public let description: String

  /// The same text as ``description``, for programs that show `localizedDescription`.
  public var errorDescription: String? { description }

  init(_ file: String, _ reason: String) { description = "\(file): \(reason)" }
}

/// An error in image data, without the name of the file. The caller that knows the name adds it.
struct ImageDataError: Error, CustomStringConvertible {
  let description: String

  init(_ reason: String) { description = reason }
}
