import Foundation

/// Encodes values as JSON in one style for all commands: keys are sorted, and dates are written in ISO 8601.
public enum JSONDocument {
  /// Returns the value as indented JSON with snake_case keys and a final line break.
  ///
  /// - Throws: `EncodingError`, for example if a number is infinite or NaN.
  public static func text(of value: some Encodable) throws -> String {
    try encoded(value, .prettyPrinted, .convertToSnakeCase) + "\n"
  }

  /// Returns the value as one line of JSON, with keys spelled as in Swift.
  ///
  /// This form is for messages between this program's own processes and for data embedded in its HTML pages.
  ///
  /// - Throws: `EncodingError`, for example if a number is infinite or NaN.
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
