import Foundation

/// Values as JSON, the same way for every verb. Keys are sorted, dates are ISO 8601.
public enum JSONDocument {
  /// The value indented, with keys in snake_case and a line break at the end.
  ///
  /// - Throws: `EncodingError`, also for numbers that are not finite.
  public static func text(of value: some Encodable) throws -> String {
    try encoded(value, .prettyPrinted, .convertToSnakeCase) + "\n"
  }

  /// The value on one line, with keys as they are: for this program's own processes and pages.
  ///
  /// - Throws: `EncodingError`, also for numbers that are not finite.
  public static func line(of value: some Encodable) throws -> String {
    try encoded(value, [], .useDefaultKeys)
  }

  private static func encoded(
    _ value: some Encodable, _ format: JSONEncoder.OutputFormatting,
    _ keys: JSONEncoder.KeyEncodingStrategy
  ) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = format.union([.sortedKeys, .withoutEscapingSlashes])
    encoder.keyEncodingStrategy = keys
    encoder.dateEncodingStrategy = .iso8601
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }
}
