import Foundation
import Testing

/// A page in headless Chromium, driven by `Browser/browse.py`.
struct Browser {
  /// What was asked for, in order.
  let values: [Any]
  /// Errors, warnings and refusals.
  let complaints: [String]

  static let isInstalled = ["chromium", "chromium-browser"].contains(where: exists) && exists("python3")

  /// Opens a page and does steps, which `browse.py` describes.
  init(_ page: String, _ steps: [[String: Any]]) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "report-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (file, input, output) = ("page.html", "steps.json", "output.json")
    try page.write(to: folder.appending(path: file), atomically: true, encoding: .utf8)
    try JSONSerialization.data(withJSONObject: steps).write(to: folder.appending(path: input))
    try Data().write(to: folder.appending(path: output))
    let process = Process()
    let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Browser/browse.py")
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["python3", script.path, file]
    process.currentDirectoryURL = folder
    process.standardInput = try FileHandle(forReadingFrom: folder.appending(path: input))
    process.standardOutput = try FileHandle(forWritingTo: folder.appending(path: output))
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
    let data = try Data(contentsOf: folder.appending(path: output))
    let answer = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    values = try #require(answer["values"] as? [Any])
    complaints = try #require(answer["complaints"] as? [String])
  }

  /// Opens a page in a window of that width and evaluates one expression after the other.
  init(_ page: String, width: Int = 1280, _ expressions: String...) throws {
    try self.init(page, [["width": width, "height": 800]] + expressions.map { ["eval": $0] })
  }

  func number(_ index: Int) throws -> Int { try #require(values[index] as? Int, "\(values[index])") }
  func text(_ index: Int) throws -> String { try #require(values[index] as? String, "\(values[index])") }

  /// Chooses an option of a filter by its text.
  static func choosing(_ name: String, _ text: String) -> String {
    """
    (() => {
      const field = document.querySelector('#filters select[name=\(name)]');
      field.value = [...field.options].find(option => option.textContent === '\(text)').value;
      field.dispatchEvent(new Event('change'));
    })()
    """
  }

  /// How many elements a selector finds.
  static func count(_ selector: String) -> String { "document.querySelectorAll('\(selector)').length" }

  private static func exists(_ name: String) -> Bool {
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
      .contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(name)") }
  }
}
