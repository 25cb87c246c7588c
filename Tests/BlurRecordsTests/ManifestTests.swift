import Foundation
import TestSupport
import Testing

/// SwiftPM says nothing of a folder that no target names: its tests would run nowhere, and go stale unseen.
@Suite("The manifest")
struct ManifestTests {
  /// The folders of `parent` that hold Swift files, with the number of them.
  private static func swiftFolders(of parent: String) throws -> [String: Int] {
    let files = try FileManager.default.subpathsOfDirectory(
      atPath: Program.package.appending(path: parent).path)
    let folders = files.filter { $0.hasSuffix(".swift") && $0.contains("/") }.map { path in
      path.prefix { $0 != "/" }
    }
    return Dictionary(folders.map { (String($0), 1) }, uniquingKeysWith: +)
  }

  @Test("Every folder of sources and of tests is a target")
  func targets() throws {
    let manifest = try String(contentsOf: Program.package.appending(path: "Package.swift"), encoding: .utf8)
      .split(separator: "\n").filter { !$0.drop { $0 == " " }.hasPrefix("//") }
    let isDeclared = { (kinds: [String], name: String) in
      let text = manifest.map { $0.drop { $0 == " " } }.joined(separator: " ")
      return kinds.contains { kind in
        text.contains("\(kind)(name: \"\(name)\"") || text.contains("\(kind)( name: \"\(name)\"")
      }
    }
    let tests = try Self.swiftFolders(of: "Tests").keys.filter { $0.hasSuffix("Tests") }
    #expect(tests.count > 10 && tests.contains("BlurRecordsTests"))
    for name in tests { #expect(isDeclared([".testTarget"], name), "Tests/\(name) is no target") }
    // Those of the wider instruction sets are links, in a table of their own.
    let sources = try Self.swiftFolders(of: "Sources").keys.filter { !$0.hasPrefix("BlurLoopsAVX") }
    #expect(sources.contains("Blur") && sources.contains("blurbench"))
    for name in sources {
      #expect(isDeclared([".target", ".executableTarget"], name), "Sources/\(name) is no target")
    }
    #expect(!isDeclared([".target", ".testTarget"], "NoSuchTests"))
  }
}
