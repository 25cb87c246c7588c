/// Reads a file that callgrind writes.
///
/// Format: "Callgrind Format Specification" in the Valgrind manual. `events: Ir …` names the columns of every
/// cost line; `totals:` sums the file, `summary:` one part of it.
enum CallgrindFile {
  /// Executed instructions, or nil of other text.
  static func instructions(_ text: String) -> Int? {
    var values: [Substring: [Substring]] = [:]
    for line in text.split(whereSeparator: \.isNewline) {
      for key in ["events:", "totals:", "summary:"] where line.hasPrefix(key) {
        values[line.prefix(key.count)] = line.dropFirst(key.count).split(separator: " ")
      }
    }
    guard let column = values["events:"]?.firstIndex(of: "Ir"),
      let sums = values["totals:"] ?? values["summary:"], column < sums.count
    else { return nil }
    return Int(sums[column]).flatMap { $0 >= 0 ? $0 : nil }
  }
}
