import Foundation
import TestSupport
import Testing

@testable import BlurServer

@Suite("A memory page that two processes share")
struct SharedPageTests {
  /// Calls `body` with the path of a file that is mapped as a shared memory page, and with two mappings of
  /// this page. The first mapping stands for the parent process, and the second one for its server.
  private func pages(_ body: (String, SharedPage, SharedPage) throws -> Void) throws {
    let names = ["first", "second"]
    try Scratch.path { page in
      try body(page.path, SharedPage(page.path, names: names), SharedPage(page.path, names: names))
    }
  }

  private func words(of page: SharedPage) -> [Int] { [page.current, page.last, page.steps] }

  @Test("Each side sees which case the other side is running, and which it ran last")
  func words() throws {
    try pages { _, parent, server in
      #expect(words(of: parent) == [0, 0, 0])
      server.begins(server.number(of: "second"))
      #expect(words(of: parent) == [2, 2, 1])
      server.begins(server.number(of: "none of them"))
      #expect(words(of: parent) == [0, 2, 2])
      server.begins(1)
      server.ends()
      #expect(words(of: parent) == [0, 1, 3])
    }
  }

  @Test("No step is lost when both sides count steps")
  func steps() throws {
    try pages { _, parent, server in
      DispatchQueue.concurrentPerform(iterations: 8) { index in
        for _ in 0..<20_000 { (index % 2 == 0 ? parent : server).begins(1) }
      }
      #expect(parent.steps == 160_000)
    }
  }

  /// A fault handler writes nine numbers about an invalid memory access. The first three are the kind of
  /// access (1 for a read, 2 for a write), whether the address is invalid in itself or unaligned, and the
  /// address. The next three describe the position relative to the source image: the nearest row, the
  /// distance from that row in bytes, and the distance in rows. The last three describe the position relative
  /// to the destination image in the same way.
  @Test(
    "A fault is described relative to the source or the destination, or to both if the other is nearer",
    arguments: [
      (
        [1, 0, 64, 29, 20_480, 5, 0, -8, 0],
        "read 20480 bytes beyond the end of row 29 of the source (where row 34 would be), or 8 bytes "
          + "before the start of row 0 of the destination;"
      ),
      ([1, 0, 64, 29, 8, 0, 0, -4096, -1], "read 8 bytes beyond the end of row 29 of the source;"),
      ([2, 0, 64, 29, 4096, 1, 3, -1, 0], "write 1 byte before the start of row 3 of the destination;"),
      (
        [1, 0, 64, 0, 0, 0, 0, -2, -1],
        "read 2 bytes before the start of row 0 of the destination (where row -1 would be)"
      ),
      (
        [2, 0, 64, 0, 0, 0, 0, 0, 0],
        "write at address 0x40 (a null pointer, or an offset from a null pointer), far from any image"
      ),
      ([2, 0, 1 << 32, 0, 0, 0, 0, 0, 0], "write at address 0x100000000, far from any image"),
      ([3, 1, 0, 0, 0, 0, 0, 0, 0], "an instruction for aligned data got an unaligned address"),
    ])
  func fault(words: [Int64], said: String) throws {
    try pages { path, parent, _ in
      #expect(parent.fault == nil)
      let file = try #require(FileHandle(forUpdatingAtPath: path))
      try file.seek(toOffset: 3 * 8)
      try file.write(contentsOf: words.withUnsafeBytes { Data($0) })
      let fault = try #require(parent.fault)
      #expect(fault.hasPrefix(said), "\(fault)")
      #expect(fault.contains(" or ") == said.contains(" or ") || words[1] == 1)
    }
  }

  @Test("Garbage that a server writes into the page names no case", arguments: [Int64.min, -1, 3, .max])
  func spoiled(word: Int64) throws {
    try pages { path, parent, server in
      server.begins(2)
      let file = try #require(FileHandle(forUpdatingAtPath: path))
      let bytes = withUnsafeBytes(of: word) { Data($0) }
      try file.write(contentsOf: bytes + bytes + bytes)
      #expect(parent.current == 0)
      #expect(parent.last == 0)
    }
  }
}
