import Foundation

/// Functions that format numbers as text.
enum NumberText {
  /// Returns a fraction as a percentage, such as `5 %` for 0.05.
  static func share(_ share: Double) -> String {
    let percent = 100 * share
    return String(format: abs(percent) < 100 ? "%.3g %%" : "%.0f %%", percent)
  }

  /// Returns a ratio as a signed percentage with its confidence interval, such as `+4.8 % [+3.1, +6.0]`.
  static func change(_ ratio: Ratio) -> String { "\(signed(ratio.estimate)) % \(interval(ratio))" }

  /// Returns only the confidence interval of a ratio, in percent, such as `[+3.1, +6.0]`.
  static func interval(_ ratio: Ratio) -> String {
    ratio.isBounded ? "[\(signed(ratio.low)), \(signed(ratio.high))]" : "(too few values)"
  }

  /// Returns a ratio as a signed percentage without an interval, such as `+0.3 %`.
  static func change(_ ratio: Double) -> String { "\(signed(ratio)) %" }

  private static func signed(_ ratio: Double) -> String {
    let percent = 100 * (ratio - 1)
    let text = String(format: abs(percent) < 100 ? "%+.1f" : "%+.0f", percent)
    return ["+0.0", "-0.0"].contains(text) ? "0.0" : text
  }

  /// Returns two times in nanoseconds as text, in the unit of the longer one: `1.020 → 1.071 ms`.
  static func times(_ base: Double?, _ head: Double?) -> String {
    let times = [base, head].compactMap(\.self)
    guard let least = times.min(), let most = times.max() else { return "" }
    let units: [(name: String, size: Double)] = [("s", 1e9), ("ms", 1e6), ("µs", 1e3)]
    let unit = units.first { most >= $0.size } ?? ("ns", 1)
    let value = least / unit.size
    let digits = value < 0.1 ? 5 : value < 10 ? 3 : value < 100 ? 2 : 1
    let text = { (time: Double?) in time.map { String(format: "%.\(digits)f", $0 / unit.size) } ?? "?" }
    return "\(text(base)) → \(text(head)) \(unit.name)"
  }

  /// Returns an error in levels as text: `1 level`, `0.25 levels`.
  static func levels(_ value: Double) -> String {
    String(format: "%.3g", value) + (value == 1 ? " level" : " levels")
  }

  /// Returns two errors in levels as text, with enough digits to distinguish them: `1 → 3`.
  static func levels(_ base: Double, _ head: Double) -> String {
    let short = [base, head].map { String(format: "%.3g", $0) }
    return short[0] == short[1] ? "\(base) → \(head)" : "\(short[0]) → \(short[1])"
  }
}
