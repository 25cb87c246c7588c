import Blur
import BlurText

/// An error that occurred while measuring, or while reading or writing a file. Each message says what was
/// wrong, where it was, and what is allowed.
public enum MeasurementError: Error, Equatable, Sendable, CustomStringConvertible {
  /// A line of a suite file is invalid.
  case suite(file: String, line: Int, column: Int, reason: String)
  /// The request is invalid: for example an unknown name, a malformed list, or a filter that matches nothing.
  case usage(String)
  /// A file cannot be read or written, or its contents cannot be used.
  case file(path: String, reason: String)
  /// A correct request failed, for example because Google Benchmark or the operating system reported an
  /// error.
  case failed(String)

  /// The error message, on one line.
  public var description: String {
    switch self {
    case .suite(let file, let line, let column, let reason): "\(file):\(line):\(column): \(reason)"
    case .usage(let reason), .failed(let reason): reason
    case .file(let path, let reason): "\(path): \(reason)"
    }
  }

  /// Whether the user's request caused the error (exit code 64), rather than the machine or a file.
  public var isUsage: Bool {
    if case .usage = self { true } else { false }
  }
}

/// An error that says why a word in a suite file or on the command line is invalid, and which words are
/// allowed.
package struct ParseError: Error {
  package let reason: String

  package init(_ reason: String) { self.reason = reason }

  /// Creates an error for an unknown name.
  ///
  /// - Parameter meant: The name to suggest. By default, it is the most similar known name.
  package init(unknown kind: String, _ name: String, among names: [String], meant: String? = nil) {
    let nearest = (meant ?? nearestName(to: name, in: names)).map { ", did you mean '\($0)'?" } ?? ""
    reason = "no \(kind) is called '\(name)'\(nearest) (known: \(names.listed))"
  }
}
