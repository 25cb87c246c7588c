import Foundation
import TestSupport
import Testing

/// SciPy, as an independent check of our statistics.
enum Python {
  static let hasScipy = (try? run("import scipy.stats", on: [[Double]]())) != nil

  /// Runs a Python script, which reads the variable `data` and appends numbers to the list `result`. Returns
  /// that list.
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
