import Blur
import BlurText

/// A word of a suite file or of the command line that cannot be read, and what is allowed.
package struct ParseError: Error {
  package let reason: String

  package init(_ reason: String) { self.reason = reason }

  /// A name that is not among those known.
  package init(unknown kind: String, _ name: String, among names: [String]) {
    let nearest = NameDistance.nearest(to: name, in: names).map { ", did you mean '\($0)'?" } ?? ""
    reason = "no \(kind) is called '\(name)'\(nearest) (known: \(names.listed))"
  }
}
