import Foundation

/// Results as JSON, the same way for every verb.
public enum JSONDocument {
  /// The value with keys in snake_case and sorted, dates by ISO 8601, and a line break at the end.
  ///
  /// - Throws: `EncodingError`, also for numbers that are not finite.
  public static func text(of value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    encoder.keyEncodingStrategy = .convertToSnakeCase
    encoder.dateEncodingStrategy = .iso8601
    return String(decoding: try encoder.encode(value), as: UTF8.self) + "\n"
  }
}
