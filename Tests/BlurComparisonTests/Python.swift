import Foundation
import Testing

/// SciPy as a second opinion.
enum Python {
  static let hasScipy = (try? run("import scipy.stats", on: [[Double]]())) != nil

  /// What a script prints as JSON, given `data` as the variable of that name.
  static func run(_ script: String, on data: some Encodable) throws -> [Double] {
    let process = Process()
    let input = Pipe()
    let output = Pipe()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [
      "python3", "-c",
      "import json, sys\ndata = json.load(sys.stdin)\nresult = []\n" + script
        + "\nprint(json.dumps(result))",
    ]
    process.standardInput = input
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    try input.fileHandleForWriting.write(contentsOf: JSONEncoder().encode(data))
    try input.fileHandleForWriting.close()
    let text = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return try JSONDecoder().decode([Double].self, from: text)
  }
}
