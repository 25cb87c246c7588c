import Blur
import Foundation
import TestSupport
import Testing

@Suite("Numbers of formats and edge modes in C and Python")
struct HeaderTests {
  @Test(
    "The C headers number the formats and edge modes in the order of the Swift cases",
    arguments: ["Sources/CBlur/include/blur.h", "Sources/CBlur/include/blur_plugin.h"])
  func numbers(header: String) throws {
    let text = try Self.text(header)
    #expect(try Self.constants(of: "blur_format", in: text) == PixelFormat.allCases.map { $0.rawValue })
    #expect(try Self.constants(of: "blur_edge", in: text) == EdgeMode.allCases.map { $0.name })
    #expect(PixelFormat.allCases.map { $0.code } == Array(PixelFormat.allCases.indices))
    #expect(EdgeMode.allCases.map { $0.code } == Array(EdgeMode.allCases.indices))
    #expect(EdgeMode.constant([1, 2, 3, 4]).code == EdgeMode.transparent.code)
  }

  @Test("The adapter for kernels in Python lists the formats and edge modes in the order of the Swift cases")
  func python() throws {
    let text = try Self.text("Bench/Peers/Python/python.cpp")
    func list(_ names: [String]) -> String { "(\(names.map { "\"\($0)\"" }.joined(separator: ", ")))" }
    #expect(text.contains("FORMATS = " + list(PixelFormat.allCases.map { $0.rawValue })))
    #expect(text.contains("EDGES = " + list(EdgeMode.allCases.map { $0.name })))
  }

  private static func text(_ file: String) throws -> String {
    try String(contentsOf: Program.package.appending(path: file), encoding: .utf8)
  }

  /// Returns the names of the constants of a C enum in lower case and without the prefix `BLUR_`, in the
  /// order of their numbers. The numbers must be 0, 1, 2 and so on.
  private static func constants(of name: String, in header: String) throws -> [String] {
    let start = try #require(header.range(of: "typedef enum \(name) {")).upperBound
    let end = try #require(header.range(of: "} \(name);")).lowerBound
    let constants = header[start..<end].matches(of: /BLUR_(\w+) = (\d+)/)
    #expect(constants.map { String($0.2) } == constants.indices.map { "\($0)" })
    return constants.map { $0.1.lowercased() }
  }
}
