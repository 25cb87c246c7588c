import Foundation
import Testing

@testable import BlurMeasurement

@Suite("A page that two processes share")
struct SharedPageTests {
  /// Calls `body` with the path of a page and two views of it, as a parent and its worker have.
  private func pages(_ body: (String, SharedPage, SharedPage) throws -> Void) throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "blurbench-\(UUID())").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let names = ["first", "second"]
    try body(path, SharedPage(path, names: names), SharedPage(path, names: names))
  }

  private func words(of page: SharedPage) -> [Int] { [page.current, page.last, page.steps] }

  @Test("One side sees which case runs on the other, and which ran last")
  func words() throws {
    try pages { _, parent, worker in
      #expect(words(of: parent) == [0, 0, 0])
      worker.begins(worker.number(of: "second"))
      #expect(words(of: parent) == [2, 2, 1])
      worker.begins(worker.number(of: "none of them"))
      #expect(words(of: parent) == [0, 2, 2])
      worker.begins(1)
      worker.ends()
      #expect(words(of: parent) == [0, 1, 3])
    }
  }

  @Test("No step is lost when both sides count")
  func steps() throws {
    try pages { _, parent, worker in
      DispatchQueue.concurrentPerform(iterations: 8) { index in
        for _ in 0..<20_000 { (index % 2 == 0 ? parent : worker).begins(1) }
      }
      #expect(parent.steps == 160_000)
    }
  }

  @Test("What a worker spoils names no case", arguments: [Int64.min, -1, 3, .max])
  func spoiled(word: Int64) throws {
    try pages { path, parent, worker in
      worker.begins(2)
      let file = try #require(FileHandle(forUpdatingAtPath: path))
      let bytes = withUnsafeBytes(of: word) { Data($0) }
      try file.write(contentsOf: bytes + bytes + bytes)
      #expect(parent.current == 0)
      #expect(parent.last == 0)
    }
  }
}
