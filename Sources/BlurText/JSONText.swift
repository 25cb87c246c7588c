/// A JSON value. The members of its objects keep their order, because programs that read Google Benchmark's
/// JSON expect a certain order.
public enum JSONText: Sendable {
  case string(String)
  case integer(Int)
  case number(Double)
  case bool(Bool)
  case array([JSONText])
  case object([(String, JSONText)])

  /// Returns the value as JSON text, with each array item and object member on its own line.
  ///
  /// - Parameter indent: The number of spaces before the closing bracket. Items and members are indented by
  ///   two more spaces.
  public func text(indent: Int = 0) -> String {
    switch self {
    case .string(let value): Self.quoted(value)
    case .integer(let value): String(value)
    // JSON cannot represent infinity or NaN.
    case .number(let value): value.isFinite ? value.short : "null"
    case .bool(let value): String(value)
    case .array(let items): Self.block("[", items.map { $0.text(indent: indent + 2) }, "]", indent)
    case .object(let members):
      Self.block(
        "{", members.map { "\(Self.quoted($0.0)): \($0.1.text(indent: indent + 2))" }, "}", indent)
    }
  }

  /// A Boolean value that indicates whether the value is a string.
  package var isString: Bool { if case .string = self { true } else { false } }

  private static func block(_ open: String, _ items: [String], _ close: String, _ indent: Int) -> String {
    guard !items.isEmpty else { return open + close }
    let margin = "\n" + String(repeating: " ", count: indent)
    return open + items.map { margin + "  " + $0 }.joined(separator: ",") + margin + close
  }

  private static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\n": quoted += "\\n"
      case "\t": quoted += "\\t"
      case _ where scalar.value < 0x20:
        let digits = String(scalar.value, radix: 16)
        quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}
