import Blur
import BlurText

/// The reason why a word in a suite file or on the command line is invalid, with the words that are allowed.
package struct ParseError: Error {
  package let reason: String

  package init(_ reason: String) { self.reason = reason }

  /// Creates an error for an unknown name, with the most similar known name as a suggestion.
  package init(unknown kind: String, _ name: String, among names: [String]) {
    let nearest = nearestName(to: name, in: names).map { ", did you mean '\($0)'?" } ?? ""
    reason = "no \(kind) is called '\(name)'\(nearest) (known: \(names.listed))"
  }
}
