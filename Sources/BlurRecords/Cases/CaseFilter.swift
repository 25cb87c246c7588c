/// Selects cases by name, with a regular expression or with pairs such as `key=value,…`.
public struct CaseFilter {
  private let text: String
  private let keep: (Case) -> Bool

  /// Parses a filter.
  ///
  /// With pairs, a case must match one of the values given for each key: `kernel=simd,sigma=1,sigma=2`
  /// selects the kernel simd at sigma 1 and 2. Any other text is a regular expression that may match any part
  /// of a case name.
  ///
  /// - Throws: ``MeasurementError/usage(_:)`` for an unknown key or a malformed expression.
  public init(_ text: String) throws(MeasurementError) {
    self.text = text
    guard let pairs = Self.pairs(in: text) else {
      do {
        let expression = try Regex(text)
        keep = { $0.name.firstMatch(of: expression) != nil }
      } catch {
        throw .usage(
          "--filter '\(text)': neither a regular expression nor a list such as kernel=simd,sigma=5: \(error)")
      }
      return
    }
    for pair in pairs where !Case.keys.contains(pair.key) {
      throw .usage("--filter: " + ParseError(unknown: "key", pair.key, among: Case.keys).reason)
    }
    let wanted = Dictionary(grouping: pairs, by: \.key).mapValues { $0.map(\.value) }
    keep = { item in
      let fields = Dictionary(uniqueKeysWithValues: item.fields.map { ($0.key, $0.value) })
      return wanted.allSatisfy { key, values in fields[key].map(values.contains) ?? false }
    }
  }

  /// Returns the pairs of a filter such as `key=value,…`, or nil if the text does not have that form.
  private static func pairs(in text: String) -> [(key: String, value: String)]? {
    let pairs = text.split(separator: ",").map {
      $0.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    }
    let isWord = { (text: String) in text.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" } }
    guard !pairs.isEmpty, pairs.allSatisfy({ $0.count == 2 && isWord($0[0]) && !$0[1].contains("/") }) else {
      return nil
    }
    return pairs.map { ($0[0], $0[1]) }
  }

  /// Returns whether the filter selects the case.
  public func keeps(_ item: Case) -> Bool { keep(item) }

  /// Returns the error for a filter that selects no case. `example` is the name of a case that exists.
  func matchesNone(example: String) -> MeasurementError {
    .usage("--filter '\(text)' matches none of the cases; one of them is \(example)")
  }
}
