import Blur
import Foundation
import TestSupport
import Testing

@testable import BlurWisdom

@Suite("A wisdom file that grows")
struct WisdomStoreTests {
  static let here = Processor(model: "A \"CPU\" \\ of\na test", cores: 3, isa: .baseline)

  static func problem(_ sigma: Double, ns: Double = 10) throws -> Wisdom.Problem {
    Wisdom.Problem(
      try named(sigma),
      times: [
        Wisdom.Time(kernel: "simd", isa: "baseline", ns: ns, within: 0.255),
        Wisdom.Time(kernel: "dct", isa: "baseline", ns: 2.5e-3),
      ])
  }

  static func named(_ sigma: Double) throws -> MeasuredProblem {
    try MeasuredProblem(
      ImageLayout(.rgbaf32, width: 3, height: 2), sigma: Sigma(sigma), edge: .mirror, threads: 2)
  }

  @Test("Added problems are saved at once, and replace older times of the same problem")
  func grows() throws {
    try Scratch.folder { folder in
      let path = folder.path + "/new/folder/w.json"
      var store = try WisdomStore(path, renew: false, processor: Self.here)
      try store.add([Self.problem(1), Self.problem(2)])
      try store.add([Self.problem(2, ns: 20), Self.problem(3)])
      let again = try WisdomStore(path, renew: false, processor: Self.here)
      #expect(again.wisdom == store.wisdom)
      #expect(try again.wisdom.problems == [Self.problem(1), Self.problem(2, ns: 20), Self.problem(3)])
      #expect(try again.missing(of: [Self.named(2), Self.named(2.5)]) { $0 } == [Self.named(2.5)])
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path + "/new/folder") == ["w.json"])
      #expect(try WisdomStore(path, renew: true, processor: Self.here).wisdom.problems.isEmpty)
    }
  }

  @Test("Noisy problems are marked in the file and measured again")
  func noisy() throws {
    try Scratch.folder { folder in
      let path = folder.path + "/w.json"
      var store = try WisdomStore(path, renew: false, processor: Self.here)
      var noisy = try Self.problem(2)
      noisy.noisy = true
      try store.add([Self.problem(1), noisy])
      let again = try WisdomStore(path, renew: false, processor: Self.here)
      #expect(try again.wisdom.problems == [Self.problem(1), noisy])
      let wanted = try [Self.named(1), Self.named(2), Self.named(3)]
      #expect(again.missing(of: wanted) { $0 } == [wanted[2], wanted[1]])
      // A quiet measurement replaces the noisy one.
      try store.add([Self.problem(2, ns: 7)])
      #expect(try store.wisdom.problems == [Self.problem(1), Self.problem(2, ns: 7)])
    }
  }

  @Test("The text of a file is parsed back unchanged, with one line for each kernel's time")
  func text() throws {
    var wisdom = Wisdom(Self.here, date: "today")
    wisdom.problems = try [Self.problem(0.1), Self.problem(1e-300)]
    let text = try WisdomFile.text(of: wisdom)
    #expect(try WisdomFile.parse(Array(text.utf8), path: "f") == wisdom)
    #expect(text.split(separator: "\n").count { $0.contains("\"kernel\"") } == 4)
  }

  @Test("A reader never sees half a file, because the new file replaces the old one at once")
  func atomic() throws {
    try Scratch.folder { folder in
      let path = folder.path + "/w.json"
      var store = try WisdomStore(path, renew: false, processor: Self.here)
      try store.add([Self.problem(1)])
      let reader = try FileHandle(forReadingFrom: URL(filePath: path))
      let before = try WisdomFile.text(of: store.wisdom)
      try store.add([Self.problem(2)])
      #expect(try reader.readToEnd() == Data(before.utf8), "the open file changed")
      #expect(try WisdomFile.read(path).problems.count == 2)
    }
  }

  @Test("The error for a file that cannot be written names the file")
  func unwritable() throws {
    try Scratch.folder { folder in
      try Data().write(to: folder.appending(path: "file"))
      let path = folder.path + "/file/w.json"
      #expect {
        var store = try WisdomStore(path, renew: true, processor: Self.here)
        try store.add([Self.problem(1)])
      } throws: {
        "\($0)".contains(path) && "\($0)".contains("cannot be written")
      }
    }
  }

  @Test("A damaged file, or one of another machine, is overwritten only if it is to be renewed")
  func damaged() throws {
    try Scratch.folder { folder in
      let path = folder.path + "/w.json"
      try Data("{\"format\": \"blur-wis".utf8).write(to: URL(filePath: path))
      #expect { try WisdomStore(path, renew: false, processor: Self.here) } throws: {
        "\($0)".contains("--renew")
      }
      var store = try WisdomStore(path, renew: true, processor: Self.here)
      try store.add([Self.problem(1)])
      let other = Processor(model: "Another", cores: 3, isa: .baseline)
      #expect { try WisdomStore(path, renew: false, processor: other) } throws: {
        "\($0)".contains("another machine")
      }
    }
  }

  @Test(
    "A file that is not wisdom is never overwritten, and the error names its kind",
    arguments: [
      ("name,iterations,real_time,cpu_time\nx,1,2,3\n", "a records file from `blurbench run`"),
      ("kernel,sigma,certified_levels\r\n", "a CSV table"),
      ("{\"context\": {}, \"benchmarks\": []}", "another JSON document"), ("#!/bin/sh\n", "a script"),
      ("\u{7F}ELF", "a program or a shared library"),
    ])
  func otherKinds(text: String, kind: String) throws {
    try Scratch.folder { folder in
      let path = folder.path + "/run.csv"
      try Data(text.utf8).write(to: URL(filePath: path))
      for renew in [false, true] {
        #expect(throws: WisdomFile.Failure.otherKind(path: path, kind: kind)) {
          try WisdomStore(path, renew: renew, processor: Self.here)
        }
      }
      let warning = try #require(LinkedWisdom.load(path, isNamed: true).warning)
      #expect(warning.hasPrefix("\(path): is not a wisdom file but \(kind); name another file"))
      #expect(!warning.contains("--renew"))
      #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
    }
  }

  @Test("Damaged text and JSON are not mistaken for another kind of file")
  func damagedKinds() {
    for text in ["", " ", "not wisdom", "hello, world", "{\"format\": ", "[1,2,3]", "a,b\n"] {
      #expect(WisdomFile.otherKind(of: Array(text.utf8)) == nil, "\(text)")
    }
  }

  @Test("Times that plans measured are saved, and do not replace times in the file")
  func measured() throws {
    try Scratch.folder { folder in
      let path = folder.path + "/w.json"
      var store = try WisdomStore(path, renew: false, processor: Self.here)
      try store.add([Self.problem(1)])
      let table = MeasuredTimes()
      store.wisdom.record(in: table)
      let time = KernelTime(kernel: "dct", instructionSet: .baseline, nanoseconds: 7)
      let other = try Self.named(2)
      table.record([time], of: other)
      try store.add(table)
      let kept = try WisdomFile.read(path).problems
      #expect(try kept.count == 2 && kept[0] == Self.problem(1))
      #expect(kept[1].measured == other)
      #expect(kept[1].times == [Wisdom.Time(kernel: "dct", isa: "baseline", ns: 7)])
    }
  }
}
