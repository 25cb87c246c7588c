import Blur

/// Selects cases by a regular expression for their names, or by pairs such as `key=value,…`.
public struct CaseFilter {
  private let text: String
  private let keep: (Case) -> Bool

  /// Parses a filter.
  ///
  /// If the filter consists of pairs, then for each key that occurs, a case must have one of the given
  /// values: `kernel=simd,sigma=1,sigma=2` selects the kernel simd with the sigmas 1 and 2. Any other text is
  /// a regular expression, which only has to match a part of the case name.
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
    for pair in pairs where pair.key == CaseDimension.edge.key && EdgeMode(name: pair.value) == nil {
      guard let meant = EdgeMode.named(elsewhere: pair.value)?.name else { continue }
      let names = EdgeMode.allCases.map(\.name)
      throw .usage(
        "--filter: " + ParseError(unknown: "edge mode", pair.value, among: names, meant: meant).reason)
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

  /// Returns the error for a filter that selects none of the cases. `example` is the name of one of the
  /// cases.
  func matchesNone(example: String) -> MeasurementError {
    .usage("--filter '\(text)' matches none of the cases; one of them is \(example)")
  }
}

extension [Record] {
  /// Returns the records of the cases that the filter selects, or all records if there is no filter.
  ///
  /// - Throws: ``MeasurementError/usage(_:)`` if the filter is malformed or selects none of the records.
  public func kept(by filter: String?) throws(MeasurementError) -> [Record] { try [self].kept(by: filter)[0] }

  /// Returns the names of the cases that one process measured. Pass nil for a run that used a single process.
  package func names(inProcess process: Int?) -> Set<String> {
    Set(filter { $0.process == process }.map(\.name))
  }
}

extension [[Record]] {
  /// Returns, for each set, the records that the filter selects, or all records if there is no filter. The
  /// filter may select nothing in some of the sets, but it must select something in at least one of them.
  ///
  /// - Throws: ``MeasurementError/usage(_:)`` if the filter is malformed or selects none of the records.
  public func kept(by filter: String?) throws(MeasurementError) -> [[Record]] {
    guard let filter else { return self }
    let chosen = try CaseFilter(filter)
    let kept = map { set in set.filter { $0.item.map(chosen.keeps) ?? false } }
    guard kept.allSatisfy(\.isEmpty), let first = joined().first else { return kept }
    throw chosen.matchesNone(example: first.name)
  }
}
