import BlurSuites

/// The text of a suite: of one inside the program, or of a file.
public struct SuiteText: Equatable, Sendable {
  /// What errors call it.
  public let name: String
  public let yaml: String

  /// Finds a suite.
  ///
  /// - Parameter suite: the name of one inside the program, or the path of a `.yml` file.
  /// - Throws: ``MeasurementError/usage(_:)`` for an unknown name, and errors of the file.
  public init(_ suite: String) throws(MeasurementError) {
    if suite.contains("/") || suite.hasSuffix(".yml") || suite.hasSuffix(".yaml") {
      (name, yaml) = (suite, try TextFile.text(at: suite, limit: Self.mostBytes))
      let kind = FileKind(text: yaml)
      guard kind.maySuit else { throw .file(path: suite, reason: "is no suite, but \(kind.words)") }
    } else if let bytes = BuiltInSuites.texts[suite] {
      (name, yaml) = (suite, String(decoding: bytes, as: UTF8.self))
    } else {
      let reason = ParseError(unknown: "suite", suite, among: Self.names).reason
      throw .usage(reason + "; a file's path ends with .yml")
    }
  }

  /// The names of the suites inside the program.
  public static let names = BuiltInSuites.texts.keys.sorted()

  /// The most bytes of a suite.
  static let mostBytes = 1 << 20
}
