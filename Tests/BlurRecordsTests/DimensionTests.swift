import Blur
import Testing

@testable import BlurRecords

@Suite("Dimensions of cases")
struct DimensionTests {
  static let catalog = SceneCatalog(scenes: ["bar"], devices: ["small"]) { (name) throws(BlurError) in
    Workload(
      threads: 1, layout: try ImageLayout(.rgba8, width: 30, height: 20), sigma: 7, edge: .mirror, scene: name
    )
  }
  static let vocabulary = Vocabulary(kernels: ["simd"], catalog: catalog)

  static func cases() throws -> [Case] {
    let layout = try Size(width: 33, height: 7, padding: 3).layout(.rgba16, .straight)
    let blur = Workload(threads: 3, layout: layout, sigma: 2.5, edge: .wrap, pace: .cold, mask: .radial)
    return [blur, try catalog.workload(SceneName("bar", on: "small"))].map {
      Case(kernel: "simd", isa: .avx2, workload: $0)
    }
  }

  @Test("The word of each dimension is parsed back to its value, which the other case does not have")
  func words() throws {
    let cases = try Self.cases()
    for (item, other) in zip(cases, cases.reversed()) {
      for dimension in CaseDimension.product(ofScenes: item.workload.scene != nil) {
        let word = try #require(item.word(dimension), "\(dimension.key)")
        #expect(try dimension.checked(word, Self.vocabulary) == word)
        #expect(item.has(word, of: dimension, cores: 1), "\(dimension.key)=\(word)")
        if dimension != .kernel && dimension != .isa {
          #expect(!other.has(word, of: dimension, cores: 1), "\(dimension.key)")
        }
      }
    }
  }

  @Test("The options in a case's command give the same job again")
  func commands() throws {
    for item in try Self.cases() {
      let words = item.command.split(separator: " ").dropFirst(2).map(String.init)
      var texts: [CaseDimension: String] = [:]
      for place in stride(from: 0, to: words.count, by: 2) {
        let key = words[place].dropFirst(2)
        texts[try #require(CaseDimension.allCases.first { $0.key == key })] = words[place + 1]
      }
      let lists = try CaseLists(texts, Self.vocabulary)
      #expect(try lists.workloads(cores: 1, Self.catalog) == [item.workload])
      #expect(lists.kernels == ["simd"] && lists.isas == [.upTo(.avx2)])
      #expect(lists.name(item, cores: 1))
    }
  }

  @Test("Every dimension belongs to a product, and has a key, a help text and a place in names")
  func complete() {
    let products = Set([false, true].flatMap { CaseDimension.product(ofScenes: $0) })
    #expect(products == Set(CaseDimension.allCases))
    #expect(Set(CaseDimension.allCases.map(\.suiteKey)).count == CaseDimension.allCases.count)
    #expect(Set(CaseDimension.allCases.map(\.help)).count == CaseDimension.allCases.count)
    #expect(
      Case.keys == [
        "kernel", "isa", "threads", "format", "alpha", "size", "stride", "sigma", "edge", "pace", "mask",
        "scene",
      ])
  }

  @Test("Old names without a pace mean warm blurs, and warm blurs are still named so")
  func paces() throws {
    let cold = try Self.cases()[0]
    var warm = cold
    warm.workload.pace = .warm
    #expect(cold.name == warm.name.replacing("/mask=", with: "/pace=cold/mask="))
    #expect(!warm.name.contains("pace"))
    #expect(try Case(name: warm.name) == warm && Case(name: cold.name) == cold)
    #expect(!warm.command.contains("pace") && cold.command.contains("--pace cold"))
    #expect(cold.workload.title.hasSuffix(", cold"))
  }

  @Test("Old names without a mask mean a single sigma, and such blurs are still named so")
  func masks() throws {
    let masked = try Self.cases()[0]
    var plain = masked
    plain.workload.mask = nil
    #expect(masked.name == plain.name + "/mask=radial" && !plain.name.contains("mask"))
    #expect(try Case(name: plain.name) == plain && Case(name: masked.name) == masked)
    #expect(!plain.command.contains("mask") && masked.command.contains("--mask radial"))
    #expect(masked.workload.title.contains(", mask radial") && plain.workload != masked.workload)
    #expect(masked.workload.rowTitle.contains(", mask radial") && plain.workload.row != masked.workload.row)
    #expect(try CaseFilter("mask=radial").keeps(masked) && !CaseFilter("mask=radial").keeps(plain))
  }

  @Test("Old names without an alpha mean premultiplied alpha, and such blurs are still named so")
  func alphas() throws {
    let straight = try Self.cases()[0]
    var plain = straight
    plain.workload.layout = try Size(width: 33, height: 7, padding: 3).layout(.rgba16)
    #expect(straight.name == plain.name.replacing("/size=", with: "/alpha=straight/size="))
    #expect(!plain.name.contains("alpha"))
    #expect(try Case(name: plain.name) == plain && Case(name: straight.name) == straight)
    #expect(straight.workload.title.hasPrefix("rgba16 straight 33x7") && !straight.workload.isPlain)
    #expect(straight.workload.blurredFormat == .rgbaf32 && plain.workload.blurredFormat == .rgba16)
    let gray = plain.name.replacing("rgba16", with: "gray16/alpha=straight")
    #expect(throws: MeasurementError.self) { try Case(name: gray) }
  }

  @Test("Methods of variable sigma run only with masks, and kernels only without, whatever a list names")
  func methods() throws {
    func jobs(_ kernels: String, _ masks: String) throws -> [Job] {
      try MeasurementPlan(
        suite: "quick", lists: [.kernel: kernels, .mask: masks, .format: "gray8", .size: "9x9", .sigma: "2"],
        cores: 1
      ).jobs
    }
    let both = try jobs("all", "none,linear")
    for job in both {
      let names = Set(job.cases.map(\.kernel))
      let methods = Set(VariableMethod.allCases.map(\.rawValue))
      #expect(job.workload.mask == nil ? names.isDisjoint(with: methods) : names == methods)
    }
    #expect(Set(both.map(\.workload.mask)) == [nil, .linear])
    for (kernels, masks, hint) in [("levels", "none", "--mask linear"), ("simd", "all", "cross-fade")] {
      let error = #expect(throws: MeasurementError.self) { try jobs(kernels, masks) }
      #expect(error?.isUsage == true && error?.description.contains(hint) == true, "\(error as Any)")
    }
  }

  @Test(
    "A word that stands for several values cannot be part of a name", arguments: ["threads=all", "isa=best"])
  func names(part: String) throws {
    let key = part.split(separator: "=")[0]
    let name = try Self.cases()[0].name.split(separator: "/").map {
      $0.hasPrefix("\(key)=") ? part : String($0)
    }
    .joined(separator: "/")
    #expect(throws: MeasurementError.self) { try Case(name: name) }
  }

  @Test("A record has the case of its name, or nil if the name is no case")
  func records() throws {
    let item = try Self.cases()[0]
    #expect(Record(item, machineKey: "m").item == item && Record(name: item.name).item == item)
    #expect(Record(name: "BM_Blur/a").item == nil)
    let copy = Record(.copying(item.workload), machineKey: "m")
    #expect(copy.isCopy && !Record(item, machineKey: "m").isCopy)
    let rows = [Record(item, machineKey: "m"), Record(item, machineKey: "m"), copy]
    let read = try RecordsCSV.read(RecordsCSV.text(rows), path: "f.csv")
    #expect(read == rows && read.map(\.item) == rows.map(\.item))
  }
}
