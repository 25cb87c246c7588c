import Foundation
import TestSupport
import Testing

@Suite("The documentation page about errors")
struct ErrorPageTests {
  private static func text(_ path: String) throws -> String {
    try String(contentsOf: Program.package.appending(path: path), encoding: .utf8)
  }

  /// Returns the cases of `BlurError` in the form of DocC links, such as `unknownKernel(_:nearest:)`.
  private static func cases() throws -> [String] {
    try text("Sources/Blur/Kernel/BlurError.swift").matches(of: /(?m)^  case (\w+)\((.*)\)$/).map { match in
      let labels = match.2.split(separator: ",").map { value in
        value.contains(":") ? value.prefix { $0 != ":" }.trimmingCharacters(in: .whitespaces) : "_"
      }
      return "\(match.1)(\(labels.map { $0 + ":" }.joined()))"
    }
  }

  @Test("Every error has a row that says what it means and what to do, and there are no other rows")
  func rows() throws {
    let page = try Self.text("Sources/Blur/Blur.docc/ErrorsAndCertificates.md")
    let rows = page.matches(of: /(?m)^\| ``BlurError\/(.+?)`` \| (.{10,}) \| (.{10,}) \|$/).map {
      String($0.1)
    }
    let cases = try Self.cases()
    #expect(cases.count >= 14 && rows == rows.reduce(into: []) { if !$0.contains($1) { $0.append($1) } })
    #expect(Set(rows) == Set(cases), "\(Set(rows).symmetricDifference(cases))")
  }
}
