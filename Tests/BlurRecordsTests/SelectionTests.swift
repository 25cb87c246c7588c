import Blur
import Foundation
import Testing

@testable import BlurRecords

@Suite("Selection from records")
struct SelectionTests {
  static let workload = Workload(
    threads: 1, layout: try! ImageLayout(.gray8, width: 64, height: 48), sigma: 3, edge: .clamp)

  /// Returns three records of a case. Their median time is `time`, in nanoseconds. The parameter `error` is
  /// the error that was measured on the test image, and `certified` is the computed worst case over all
  /// images.
  static func records(
    _ kernel: String, _ time: Double, error: Double = 0.5, certified: Double? = nil,
    on workload: Workload = workload, isa: InstructionSet = .baseline
  ) -> [Record] {
    [1.5, 1, 0.9].enumerated().map { repetition, factor in
      var record = Record(Case(kernel: kernel, isa: isa, workload: workload), machineKey: "feed")
      record.realTime = time * factor
      record.repetition = repetition
      record.maxErrorLevels = error
      record.certifiedLevels = certified
      return record
    }
  }

  static func select(_ records: [Record], _ levels: Double = 1) -> Selection {
    Selection(workload, records, within: .levels(levels), kernels: Registry.kernels)
  }

  private func reason(_ kernel: String, in selection: Selection) -> String? {
    selection.others.first { $0.kernel == kernel }?.reason
  }

  @Test("The fastest kernel within the bound is chosen, with its margin over the next kernel")
  func fastest() {
    let avx2 = Self.records("simd", 110, isa: .avx2)
    let found = Self.select(
      Self.records("simd", 100) + avx2 + Self.records("dct", 180) + Self.records("memcpy", 1)
        + Self.records("box-triple", 10, error: 9) + Self.records("vyv-3", 20, error: 0.1))
    #expect(found.chosen?.kernel == "simd" && found.chosen?.time == 100 && found.chosen?.reason == nil)
    #expect(found.runnerUp == "dct" && abs(found.margin! - 1.8) < 1e-12)
    #expect(
      reason("dct", in: found) == "takes 1.80 times as long"
        && reason("simd", in: found) == "takes 1.10 times as long")
    #expect(reason("box-triple", in: found) == "promises no bound on its error")
    #expect(reason("vyv-3", in: found) == "its promised error is 25 levels; allowed: 1")
    #expect(reason("pyramid", in: found) == "not measured")
    #expect(reason("memcpy", in: found) == nil)
    let names = Set(([found.chosen!] + found.others).map(\.kernel))
    #expect(names == Set(Registry.kernels.map(\.name)))
  }

  @Test("A looser bound admits faster kernels, and a stricter bound may admit none")
  func bounds() {
    let records = Self.records("simd", 100) + Self.records("vyv-3", 20, error: 4)
    #expect(Self.select(records, 25).chosen?.kernel == "vyv-3")
    #expect(Self.select(records, 24.9).chosen?.kernel == "simd")
    let none = Self.select(records, 0.9)
    #expect(none.chosen == nil && none.margin == nil)
    #expect(
      none.text(explains: false).contains(
        "no kernel is accurate enough; the closest is simd, with a measured error of "))
  }

  @Test("External kernels need a certificate within the bound, and an error on the image within it")
  func external() {
    let own = Self.records("simd", 100)
    #expect(Self.select(own + Self.records("peer", 10)).chosen?.kernel == "simd")
    #expect(Self.select(own + Self.records("peer", 10, certified: 1.2)).chosen?.kernel == "simd")
    #expect(Self.select(own + Self.records("peer", 10, certified: 0.9)).chosen?.kernel == "peer")
    let off = Self.select(own + Self.records("peer", 10, error: 2, certified: 0.9))
    #expect(off.chosen?.kernel == "simd")
    #expect(reason("peer", in: off) == "its error on the test image is 2 levels; allowed: 1")
  }

  @Test("Wrong, refused and untimed kernels are not chosen, and the reason is given")
  func unusable() {
    let wrong = Self.records("dct", 1).map { $0.wrong("writes 3 bytes after the image") }
    let refused = Self.records("fft", 1).map { $0.skipped("kernel fft does not support this") }
    var timeless = Self.records("separable", 1)
    for i in timeless.indices { timeless[i].realTime = nil }
    let found = Self.select(Self.records("simd", 100) + wrong + refused + timeless)
    #expect(found.chosen?.kernel == "simd")
    #expect(reason("dct", in: found) == "wrong: writes 3 bytes after the image")
    #expect(reason("fft", in: found) == "skipped: kernel fft does not support this")
    #expect(reason("separable", in: found) == "has no valid time")
    #expect(found.text(explains: true).contains("writes 3 bytes after"))
  }

  @Test("Workloads are kept apart, and lists select among them")
  func workloads() throws {
    var other = Self.workload
    other.threads = 2
    let records = Self.records("simd", 100) + Self.records("dct", 10, on: other)
    #expect(
      Selection.all(records, within: .levels(1), kernels: Registry.kernels).map(\.chosen?.kernel) == [
        "simd", "dct",
      ])
    let run = { (lists: [CaseDimension: String]) in
      try SelectionRun(lists: lists, within: .levels(1), cores: 2)
    }
    #expect(try run([.threads: "all"]).selections(from: records).map(\.chosen?.kernel) == ["dct"])
    #expect(try run([.sigma: "3", .size: "64x48"]).selections(from: records).count == 2)
    #expect(throws: MeasurementError.self) { try run([.sigma: "4"]).selections(from: records) }
    #expect(throws: MeasurementError.self) { try run([.format: "gray9"]) }
  }
}
