import Foundation
import TestSupport
import Testing

/// Tests that Package.swift declares every folder. SwiftPM does not warn about a folder that is in no target,
/// so its tests would never run.
@Suite("The package manifest")
struct ManifestTests {
  /// Returns the folders in `parent` that contain Swift files, with the number of these files.
  private static func swiftFolders(of parent: String) throws -> [String: Int] {
    let files = try FileManager.default.subpathsOfDirectory(
      atPath: Program.package.appending(path: parent).path)
    let folders = files.filter { $0.hasSuffix(".swift") && $0.contains("/") }.map { path in
      path.prefix { $0 != "/" }
    }
    return Dictionary(folders.map { (String($0), 1) }, uniquingKeysWith: +)
  }

  @Test("Every folder of sources or tests is a target")
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
    // The targets for wider instruction sets consist of symbolic links, and the manifest lists them in a
    // separate table.
    let sources = try Self.swiftFolders(of: "Sources").keys.filter { !$0.hasPrefix("BlurLoopsAVX") }
    #expect(sources.contains("Blur") && sources.contains("blurbench"))
    for name in sources {
      #expect(isDeclared([".target", ".executableTarget"], name), "Sources/\(name) is no target")
    }
    #expect(!isDeclared([".target", ".testTarget"], "NoSuchTests"))
  }
}
