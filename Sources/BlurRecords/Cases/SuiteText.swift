import BlurSuites

/// The YAML text of a suite that is built into the program or stored in a file.
public struct SuiteText: Equatable, Sendable {
  /// The name of the suite in error messages.
  public let name: String
  public let yaml: String

  /// Loads the text of a suite.
  ///
  /// - Parameter suite: The name of a built-in suite, or the path of a `.yml` file.
  /// - Throws: ``MeasurementError/usage(_:)`` for an unknown name, or an error from reading the file.
  public init(_ suite: String) throws(MeasurementError) {
    if suite.contains("/") || suite.hasSuffix(".yml") || suite.hasSuffix(".yaml") {
      (name, yaml) = (suite, try TextFile.text(at: suite, limit: Self.mostBytes))
      let kind = FileKind(text: yaml)
      guard kind.maySuit else { throw .file(path: suite, reason: "is not a suite but \(kind.words)") }
    } else if let bytes = BuiltInSuites.texts[suite] {
      (name, yaml) = (suite, String(decoding: bytes, as: UTF8.self))
    } else {
      let reason = ParseError(unknown: "suite", suite, among: Self.names).reason
      throw .usage(reason + "; the path of a suite file must end with .yml")
    }
  }

  /// The names of the built-in suites.
  public static let names = BuiltInSuites.texts.keys.sorted()

  /// The maximum size of a suite file in bytes.
  static let mostBytes = 1 << 20
}
