import Blur
import Foundation
import Testing

@testable import BlurMeasurement
@testable import BlurRecords

@Suite("A file of wisdom that grows")
struct WisdomStoreTests {
  static let here = Processor(model: "A \"CPU\" \\ of\na test", cores: 3, isa: .baseline)

  static func workload(_ sigma: Double, ns: Double = 10) -> Wisdom.Workload {
    Wisdom.Workload(
      format: .rgbaf32, width: 3, height: 2, sigma: sigma, edge: "mirror", threads: 2,
      times: [
        Wisdom.Time(kernel: "simd", isa: "baseline", ns: ns, within: 0.255),
        Wisdom.Time(kernel: "dct", isa: "baseline", ns: 2.5e-3),
      ])
  }

  static func named(_ sigma: Double) throws -> Workload {
    Workload(threads: 2, layout: try ImageLayout(.rgbaf32, width: 3, height: 2), sigma: sigma, edge: .mirror)
  }

  @Test("What is added is in the file, whole and in place of what was there")
  func grows() throws {
    try Fixture.withFolder { folder in
      let path = folder.path + "/new/folder/w.json"
      var store = try WisdomStore(path, renew: false, processor: Self.here)
      try store.add([Self.workload(1), Self.workload(2)])
      try store.add([Self.workload(2, ns: 20), Self.workload(3)])
      let again = try WisdomStore(path, renew: false, processor: Self.here)
      #expect(again.wisdom == store.wisdom)
      #expect(again.wisdom.workloads == [Self.workload(1), Self.workload(2, ns: 20), Self.workload(3)])
      #expect(try again.missing(of: [Self.named(2), Self.named(2.5)]) == [Self.named(2.5)])
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path + "/new/folder") == ["w.json"])
      #expect(try WisdomStore(path, renew: true, processor: Self.here).wisdom.workloads.isEmpty)
    }
  }

  @Test("What somebody disturbed stays marked in the file, and is measured again")
  func disturbed() throws {
    try Fixture.withFolder { folder in
      let path = folder.path + "/w.json"
      var store = try WisdomStore(path, renew: false, processor: Self.here)
      var disturbed = Self.workload(2)
      disturbed.disturbed = true
      try store.add([Self.workload(1), disturbed])
      let again = try WisdomStore(path, renew: false, processor: Self.here)
      #expect(again.wisdom.workloads == [Self.workload(1), disturbed])
      let wanted = try [Self.named(1), Self.named(2), Self.named(3)]
      #expect(again.missing(of: wanted) == [wanted[2], wanted[1]])
      // A calm time takes its place.
      try store.add([Self.workload(2, ns: 7)])
      #expect(store.wisdom.workloads == [Self.workload(1), Self.workload(2, ns: 7)])
    }
  }

  @Test("The text is JSON, with a line for each time")
  func text() throws {
    var wisdom = Wisdom(Self.here, date: "today")
    #expect(try JSONDecoder().decode(Wisdom.self, from: Data(wisdom.text.utf8)) == wisdom)
    wisdom.workloads = [Self.workload(0.1), Self.workload(1e-300)]
    #expect(try JSONDecoder().decode(Wisdom.self, from: Data(wisdom.text.utf8)) == wisdom)
    #expect(wisdom.text.split(separator: "\n").count { $0.contains("\"kernel\"") } == 4)
  }

  @Test("A reader never sees half a file: a new one takes the old one's place")
  func atomic() throws {
    try Fixture.withFolder { folder in
      let path = folder.path + "/w.json"
      var store = try WisdomStore(path, renew: false, processor: Self.here)
      try store.add([Self.workload(1)])
      let reader = try FileHandle(forReadingFrom: URL(filePath: path))
      let before = store.wisdom.text
      try store.add([Self.workload(2)])
      #expect(try reader.readToEnd() == Data(before.utf8), "the open file changed")
      #expect(try WisdomFile.read(path).workloads.count == 2)
    }
  }

  @Test("A file that cannot be written is an error with its name")
  func unwritable() throws {
    try Fixture.withFolder { folder in
      try Data().write(to: folder.appending(path: "file"))
      let path = folder.path + "/file/w.json"
      #expect {
        var store = try WisdomStore(path, renew: true, processor: Self.here)
        try store.add([Self.workload(1)])
      } throws: {
        "\($0)".contains(path) && "\($0)".contains("cannot be written")
      }
    }
  }

  @Test("A damaged or foreign file is not overwritten unless it is to be renewed")
  func damaged() throws {
    try Fixture.withFolder { folder in
      let path = folder.path + "/w.json"
      try Data("{\"format\": \"blur-wis".utf8).write(to: URL(filePath: path))
      #expect { try WisdomStore(path, renew: false, processor: Self.here) } throws: {
        "\($0)".contains("--renew")
      }
      var store = try WisdomStore(path, renew: true, processor: Self.here)
      try store.add([Self.workload(1)])
      let elsewhere = Processor(model: "Another", cores: 3, isa: .baseline)
      #expect { try WisdomStore(path, renew: false, processor: elsewhere) } throws: {
        "\($0)".contains("another machine")
      }
    }
  }

  @Test("Files of the same machine are merged, others refused")
  func merge() throws {
    try Fixture.withFolder { folder in
      let paths = ["a", "b", "c"].map { folder.path + "/\($0).json" }
      var first = try WisdomStore(paths[0], renew: false, processor: Self.here)
      try first.add([Self.workload(1), Self.workload(2)])
      var second = try WisdomStore(paths[1], renew: false, processor: Self.here)
      try second.add([Self.workload(2, ns: 5), Self.workload(3)])
      try first.merge(file: paths[1], processor: Self.here)
      #expect(
        try WisdomFile.read(paths[0]).workloads == [
          Self.workload(1), Self.workload(2, ns: 5), Self.workload(3),
        ])
      let elsewhere = Processor(model: "Another", cores: 3, isa: .baseline)
      var third = try WisdomStore(paths[2], renew: false, processor: elsewhere)
      #expect(throws: MeasurementError.self) { try third.merge(file: paths[0], processor: elsewhere) }
      #expect(throws: MeasurementError.self) {
        try first.merge(file: folder.path + "/none.json", processor: Self.here)
      }
    }
  }

  @Test("The cost model's source holds a line for each kernel that comes near the quickest, in three digits")
  func costTable() throws {
    var wisdom = Wisdom(Self.here, date: "2026-01-02T00:00:00Z")
    for format in PixelFormat.allCases {
      wisdom.workloads.append(
        Wisdom.Workload(
          format: format, width: 10, height: 10, sigma: 2,
          times: [
            Wisdom.Time(kernel: "simd", isa: "avx2", ns: 123_456, within: 1),
            Wisdom.Time(kernel: "simd", isa: "baseline", ns: 900_000, within: 1),
            Wisdom.Time(kernel: "dct", isa: "baseline", ns: 2_000_000, within: 1),
            Wisdom.Time(kernel: "separable", isa: "baseline", ns: 3_000_000, within: 0.1),
          ]))
    }
    let text = try CostTableText(wisdom).text()
    #expect(
      text.contains("gray8 10x10 clamp simd avx2: 123e4\n")
        && text.contains("rgbaf32 10x10 clamp separable baseline: 300e5\n"))
    #expect(text.contains("simd baseline: 900e4") && !text.contains("dct"))
    var other = wisdom.workloads[0]
    other.sigma = 3
    wisdom.workloads.append(other)
    #expect(throws: MeasurementError.self) { try CostTableText(wisdom).text() }
  }
}
