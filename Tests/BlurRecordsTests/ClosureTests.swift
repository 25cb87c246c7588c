import Foundation
import TestSupport
import Testing

/// Tests of which modules a module reaches through the imports in its source files.
@Suite("Modules that must not depend on engines")
struct ClosureTests {
  private static let sources = Program.package.appending(path: "Sources")

  private static func files(of module: String) -> [URL] {
    let folder = sources.appending(path: module)
    let all = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?.allObjects ?? []
    return all.compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
  }

  private static func imports(of module: String) throws -> Set<String> {
    var found: Set<String> = []
    for file in files(of: module) {
      for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
        let words = line.split(separator: " ").map(String.init)
        guard let place = words.firstIndex(of: "import"), place + 1 < words.count, line.first != " " else {
          continue
        }
        found.insert(words[place + 1])
      }
    }
    return found
  }

  /// Returns the module and all modules that it imports directly or indirectly.
  private static func closure(of module: String) throws -> Set<String> {
    var reached: Set<String> = []
    var open = [module]
    while let next = open.popLast() {
      if reached.insert(next).inserted { open += try imports(of: next).subtracting(reached) }
    }
    return reached
  }

  @Test(
    "The module BlurRecords and the parts of BlurComparison that work only with data link no C++",
    arguments: [
      "BlurRecords", "BlurComparison/Exports", "BlurComparison/History", "BlurComparison/Outputs",
      "BlurComparison/Statistics", "BlurComparison/Verdicts",
    ])
  func noEngine(module: String) throws {
    let reached = try Self.closure(of: module)
    #expect(reached.isSuperset(of: ["Blur", "BlurText", "BlurRecords"]))
    #expect(reached.isDisjoint(with: ["GoogleBenchmarkShim", "CGoogleBenchmark", "BlurMeasurement"]))
    // Another module does depend on GoogleBenchmarkShim, which contains C++. This shows that the search would
    // find such a dependency.
    #expect(try Self.closure(of: "BlurComparison").contains("GoogleBenchmarkShim"))
  }

  @Test("The module BlurRecords starts no process and no thread, and calls no C code for the system")
  func dataAlone() throws {
    #expect(try !Self.closure(of: "BlurRecords").contains("CLinux"))
    #expect(
      try Self.imports(of: "BlurRecords").isDisjoint(with: ["Dispatch", "Synchronization", "Subprocess"]))
    for file in Self.files(of: "BlurRecords") {
      let text = try String(contentsOf: file, encoding: .utf8)
      for word in ["Process()", "Thread(", "detachNewThread", "concurrentPerform", "fork()"] {
        #expect(!text.contains(word), "\(file.lastPathComponent): \(word)")
      }
    }
  }
}
