/// Reads a file that callgrind has written.
///
/// Source: "Callgrind Format Specification" in the Valgrind manual. The line `events: Ir …` names the columns
/// of all cost lines. The line `totals:` holds the sums for the whole file, and `summary:` the sums for one
/// part of it.
enum CallgrindFile {
  /// Returns the number of executed instructions, or nil if the text is not a callgrind file.
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
