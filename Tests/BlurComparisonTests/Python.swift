import Foundation
import TestSupport
import Testing

/// SciPy as a second opinion.
enum Python {
  static let hasScipy = (try? run("import scipy.stats", on: [[Double]]())) != nil

  /// What a script prints as JSON, given `data` as the variable of that name.
  static func run(_ script: String, on data: some Encodable) throws -> [Double] {
    let whole = """
      import json, sys
      data, result = json.load(sys.stdin), []
      \(script)
      print(json.dumps(result))
      """
    let text = try Program.output(["python3", "-c", whole], input: JSONEncoder().encode(data))
    return try JSONDecoder().decode([Double].self, from: Data(text.utf8))
  }
}
