import Foundation
import TestSupport
import Testing

/// A page that was opened in headless Chromium, controlled by the script `Browser/browse.py`.
struct Browser {
  /// The values of the expressions that were evaluated, in order.
  let values: [Any]
  /// The errors and warnings that the browser reported. They include scripts that the browser did not run
  /// because of the content security policy.
  let complaints: [String]

  static let isInstalled =
    ["chromium", "chromium-browser"].contains(where: Program.exists) && Program.exists("python3")

  /// Opens a page and performs steps, whose format is documented in `browse.py`.
  init(_ page: String, _ steps: [[String: Any]]) throws {
    let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Browser/browse.py")
    let text = try Scratch.folder { folder in
      try page.write(to: folder.appending(path: "page.html"), atomically: true, encoding: .utf8)
      return try Program.output(
        ["python3", script.path, "page.html"], in: folder,
        input: JSONSerialization.data(withJSONObject: steps))
    }
    let answer = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    values = try #require(answer["values"] as? [Any])
    complaints = try #require(answer["complaints"] as? [String])
  }

  /// Opens a page in a window with this width, and evaluates the expressions one after the other.
  init(_ page: String, width: Int = 1280, _ expressions: String...) throws {
    try self.init(page, [["width": width, "height": 800]] + expressions.map { ["eval": $0] })
  }

  func number(_ index: Int) throws -> Int { try #require(values[index] as? Int, "\(values[index])") }
  func text(_ index: Int) throws -> String { try #require(values[index] as? String, "\(values[index])") }

  /// Returns a JavaScript expression that chooses the option with this text in a filter of the page.
  static func choosing(_ name: String, _ text: String) -> String {
    """
    (() => {
      const field = document.querySelector('#filters select[name=\(name)]');
      field.value = [...field.options].find(option => option.textContent === '\(text)').value;
      field.dispatchEvent(new Event('change'));
    })()
    """
  }

  /// Returns a JavaScript expression for the number of elements that match a selector.
  static func count(_ selector: String) -> String { "document.querySelectorAll('\(selector)').length" }
}
