import Foundation
import TestSupport
import Testing

@Suite("The public Swift interface")
struct PublicSurfaceTests {
  private struct Graph: Decodable {
    struct Symbol: Decodable {
      struct Identifier: Decodable { let precise: String }
      struct Fragment: Decodable { let spelling: String }
      let identifier: Identifier
      let pathComponents: [String]
      let declarationFragments: [Fragment]
    }
    struct Relationship: Decodable {
      let kind: String, source: String, target: String
      let targetFallback: String?
    }
    let symbols: [Symbol]
    let relationships: [Relationship]
  }

  /// Returns one line for each public declaration of a module and one for each conformance, in order.
  private static func lines(of module: String) throws -> [String] {
    let graphs = try Scratch.folder { folder in
      let triple = try Program.output(["swiftc", "-print-target-info"])
        .firstMatch(of: /"unversionedTriple": "(.*?)"/)
      _ = try Program.output([
        "swift", "symbolgraph-extract", "-module-name", module, "-target", String(#require(triple).1),
        "-skip-synthesized-members", "-I", Program.buildFolder.appending(path: "Modules").path,
        "-I", Program.package.appending(path: "Sources/CBlurVectors/include").path,
        "-I", Program.package.appending(path: "Sources/CPNG").path,
        "-Xcc", "-fmodule-map-file=\(Program.buildFolder.path)/PNGShim.build/module.modulemap",
        "-output-dir", folder.path,
      ])
      return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        .map { try JSONDecoder().decode(Graph.self, from: Data(contentsOf: $0)) }
    }
    let symbols = graphs.flatMap(\.symbols)
    let paths = Dictionary(
      symbols.map { ($0.identifier.precise, $0.pathComponents.joined(separator: ".")) }
    ) { first, _ in first }
    let declarations = symbols.map { symbol in
      let text = symbol.declarationFragments.map(\.spelling).joined()
        .split(whereSeparator: \.isWhitespace).joined(separator: " ")
      return "\(module) \(symbol.pathComponents.joined(separator: ".")): \(text)"
    }
    let conformances = graphs.flatMap(\.relationships).filter { $0.kind == "conformsTo" }.map {
      "\(module) \(paths[$0.source] ?? $0.source) is \(paths[$0.target] ?? $0.targetFallback ?? $0.target)"
    }
    // Nearly every type has these conformances, without declaring them.
    let implied = ["Copyable", "Escapable", "SendableMetatype"].map { " is Swift.\($0)" }
    return Set(declarations + conformances).filter { line in !implied.contains { line.hasSuffix($0) } }
      .sorted()
  }

  /// The file is part of the repository, so that each change of the interface is visible in a review.
  @Test("The interface is that in the file PublicSurface.txt")
  func isAsWritten() throws {
    let path = "Tests/BlurTests/PublicSurface.txt"
    let lines = try ["Blur", "BlurWisdom", "BlurFiles"].flatMap { try Self.lines(of: $0) }
    let written = try String(contentsOf: Program.package.appending(path: path), encoding: .utf8)
      .split(separator: "\n").map(String.init)
    #expect(lines.count > 300)
    guard lines != written else { return }
    let found = Program.buildFolder.appending(path: "PublicSurface.txt")
    try lines.map { $0 + "\n" }.joined().write(to: found, atomically: true, encoding: .utf8)
    let changes =
      Set(written).subtracting(lines).sorted().map { "- \($0)" }
      + Set(lines).subtracting(written).sorted().map { "+ \($0)" }
    Issue.record(
      """
      The public interface has changed. If you intend this, run: cp \(found.path) \(path)
      \(changes.joined(separator: "\n"))
      """)
  }
}
