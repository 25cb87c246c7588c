import Blur
import Foundation
import Testing

@testable import BlurRecords

@Suite("Cases and their names")
struct CaseTests {
  static let name =
    "BM_Blur/kernel=simd/isa=avx512/threads=2/format=rgba8/size=1920x1080/sigma=10/edge=clamp"

  @Test("A case has the documented name")
  func documentedName() throws {
    let layout = try ImageLayout(.rgba8, width: 1920, height: 1080)
    let workload = Workload(threads: 2, layout: layout, sigma: 10, edge: .clamp)
    #expect(Case(kernel: "simd", isa: .avx512, workload: workload).name == Self.name)
  }

  @Test("A name is parsed back to its case, with and without padding", arguments: PixelFormat.allCases)
  func roundTrip(format: PixelFormat) throws {
    for (padding, sigma, edge) in [(0, 0.5, EdgeMode.clamp), (3, 12.25, .transparent), (1, 100, .wrap)] {
      let layout = try Size(width: 33, height: 7, padding: padding).layout(format)
      let workload = Workload(threads: 3, layout: layout, sigma: sigma, edge: edge)
      let item = Case(kernel: "box-triple", isa: .avx2, workload: workload)
      #expect(try Case(name: item.name) == item)
      #expect(item.name.contains("/stride=") == (padding > 0))
    }
  }

  @Test("A job is decoded as it was encoded, with its cases as names")
  func coding() throws {
    let item = try Case(name: Self.name)
    let job = Job(workload: item.workload, cases: [item])
    let data = try JSONEncoder().encode(job)
    #expect(try JSONDecoder().decode([String].self, from: data) == [Self.name])
    #expect(try JSONDecoder().decode(Job.self, from: data) == job)
    #expect(throws: (any Error).self) { try JSONDecoder().decode(Job.self, from: Data("[]".utf8)) }
  }

  @Test(
    "The error for a malformed name quotes the part that is wrong",
    arguments: [
      ("BM_Other/kernel=simd", "BM_Blur"), ("", "BM_Blur"),
      (name.replacing("/edge=clamp", with: ""), "edge= is missing"),
      (name.replacing("edge=clamp", with: "edge=clump"), "edge=clump"),
      (name.replacing("threads=2", with: "threads=0"), "threads=0"),
      (name.replacing("sigma=10", with: "sigma=nan"), "sigma=nan"),
      (name.replacing("1920x1080", with: "1920x"), "size=1920x"),
      (name.replacing("sigma=10", with: "radius=10"), "radius=10"),
      (name.replacing("1080/", with: "1080/stride=5/"), "stride 5"),
      (name + "/edge=clamp", "twice"),
    ])
  func malformed(name: String, part: String) {
    let error = #expect(throws: MeasurementError.self) { try Case(name: name) }
    #expect(error?.description.contains(part) == true, "\(error as Any)")
  }

  @Test("Malformed sizes are rejected", arguments: ["", "x", "0x5", "5x0", "-1x5", "5x5+", "5x5+1+1", "5X5"])
  func malformedSize(text: String) { #expect(Size(text) == nil) }

  @Test("A size is parsed with its padding")
  func sizes() throws {
    #expect(Size("640x480") == Size(width: 640, height: 480))
    let padded = try #require(Size("1001x701+3"))
    #expect(padded == Size(width: 1001, height: 701, padding: 3))
    #expect(try padded.layout(.rgba16).stride == 1001 * 8 + 3)
    #expect(Size("999999999999x1") == nil)
  }

  @Test("The command that repeats a case names everything about it")
  func command() throws {
    let item = try Case(name: Self.name.replacing("size=1920x1080", with: "size=19x10/stride=79"))
    #expect(
      item.command
        == "blurbench run --kernel simd --isa avx512 --threads 2 --format rgba8 --size 19x10+3 "
        + "--sigma 10 --edge clamp"
    )
  }
}

@Suite("Filters of cases")
struct FilterTests {
  static let names = [1, 10, 5].flatMap { sigma in
    ["simd", "separable"].map { kernel in
      "BM_Blur/kernel=\(kernel)/isa=baseline/threads=1/format=gray8/size=64x64/sigma=\(sigma)/edge=clamp"
    }
  }

  func kept(by text: String) throws -> [String] {
    let filter = try CaseFilter(text)
    return try Self.names.map { try Case(name: $0) }.filter(filter.keeps).map {
      "\($0.kernel) \($0.workload.sigma.short)"
    }
  }

  @Test("key=value compares whole values, and a regular expression matches any part")
  func forms() throws {
    #expect(try kept(by: "sigma=1") == ["simd 1", "separable 1"])
    #expect(try kept(by: "/sigma=1") == ["simd 1", "separable 1", "simd 10", "separable 10"])
    #expect(try kept(by: "kernel=simd,sigma=1,sigma=5") == ["simd 1", "simd 5"])
    #expect(try kept(by: "kernel=s.*/sigma=(5|10)/").count == 4)
    #expect(try kept(by: "stride=64").isEmpty)
  }

  @Test(
    "Unknown keys and malformed expressions are usage errors", arguments: ["kernal=simd", "(", "sigma=[/"])
  func malformed(text: String) {
    let error = #expect(throws: MeasurementError.self) { try CaseFilter(text) }
    #expect(error?.isUsage == true)
    if text == "kernal=simd" { #expect(error?.description.contains("'kernel'") == true) }
  }
}
