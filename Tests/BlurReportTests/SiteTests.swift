import BlurRecords
import Foundation
import Testing
import Tiers

@testable import BlurReport

@Suite("Pages of all results")
struct SiteTests {
  static let origin = """
    date: 2026-01-02T03:04:05Z
    command: blurbench run
    cpu: Some CPU
    compiler: Swift
    git revision: abc

    """

  @Test("has a page for each machine and date, one for all dates, and an overview with links to files")
  func pages() throws {
    try Self.withResults([
      "one/2026-01-02-quick.csv": Fixture.grid(), "one/2026-01-02-more.csv": Fixture.grid(),
      "one/2026-01-03-quick.csv": Fixture.grid(scale: 2), "two/2026-01-02-quick.csv": Fixture.grid(),
    ]) { folder in
      try Self.origin.replacing("-02T", with: "-03T")
        .write(toFile: "\(folder)/one/2026-01-03-quick.txt", atomically: true, encoding: .utf8)
      try "{}".write(toFile: "\(folder)/two/other.json", atomically: true, encoding: .utf8)
      let site = try Site(of: folder, source: "https://example.org/r", web: "web/index.html")
      #expect(
        site.pages.map(\.path) == [
          "index.html", "one/2026-01-03.html", "one/2026-01-02.html", "one/all.html", "two/2026-01-02.html",
        ])
      #expect(site.pages[0].html.contains("https://example.org/r/one/2026-01-02-more.csv"))
      #expect(site.pages.map { $0.html.contains("web/index.html") } == [true, false, false, false, false])
      #expect(site.leftOut.count == 1 && site.leftOut[0].contains("two/other.json"))
    }
  }

  @Test("An overview gives each kernel its figure for each machine, and says who has none")
  func scores() throws {
    let slow = Fixture.grid().filter { !$0.name.contains("/kernel=simd/") }
    let files = try [Fixture.grid(), slow].map { [try Fixture.file($0)] }
    let data = SiteData(files.map { SiteData.Machine("m", $0, [], all: nil) }, web: nil)
    // This package's in the order of the registry, then plug-ins.
    #expect(data.kernels.map(\.name) == ["box-triple", "simd", "pyramid", "opencv"])
    let scores = data.kernels.map(\.scores)
    #expect(scores[1][0] != nil && scores[1][1] == nil)
    #expect(scores[0].map(\.?.wins) == [8, 8] && scores[0].map(\.?.slowdown) == [1, 1])
  }

  @Test("What keeps results from being published is named, and nothing else")
  func faults() throws {
    let good = Fixture.samples(Fixture.name("simd"), times: (1...10).map { 100 + Double($0) })
    func changed(_ change: (inout Record) -> Void) -> [Record] {
      good.map { record in
        var record = record
        change(&record)
        return record
      }
    }
    let bad: [(String, [Record])] = [
      ("fewer than 10 samples", Array(good.dropLast())),
      ("disturbed", changed { $0.disturbance.isQuiet = $0.repetition != 3 && $0.repetition! > 5 }),
      ("no error is stated", changed { $0.maxErrorLevels = nil }),
      ("faster than a copy", changed { $0.memcpyRatio = 0.1 }),
      ("nothing was measured", [Fixture.wrong]),
    ]
    for (words, records) in bad {
      let faults = try Self.faults(records)
      #expect(faults.count == 1 && faults[0].contains(words), "\(words): \(faults)")
    }
    #expect(try Self.faults(good) == [])
    #expect(try Self.faults(good, origin: "abc, with uncommitted changes")[0].contains("uncommitted"))
    #expect(try Self.faults(good, name: "quick.csv")[0].contains("begin with the date"))
    let mixed = good + changed { $0.machineKey = "other" }
    #expect(try Self.faults(mixed)[0].contains("several machines"))
  }

  @Test("An empty folder and a file are refused")
  func refused() throws {
    try Self.withResults([:]) { folder in
      #expect(throws: MeasurementError.self) { try Site(of: folder, source: nil) }
      #expect(throws: MeasurementError.self) { try Site(of: "\(folder)/none", source: nil) }
      #expect(throws: MeasurementError.self) { try Site.faults(of: folder) }
    }
  }

  @Test(
    "The overview fits a window of a phone, and complains of nothing", .tags(.browser), .onlyInAll,
    .enabled(if: Browser.isInstalled, "Chromium is not installed (package chromium)"), arguments: [1400, 390])
  func overview(width: Int) throws {
    try Self.withResults(["one/2026-01-02-quick.csv": Fixture.grid()]) { folder in
      let site = try Site(of: folder, source: "https://example.org")
      let browser = try Browser(
        site.pages[0].html, width: width, Browser.count("#kernels tbody tr"),
        Browser.count("#kernels td.own"),
        "document.documentElement.scrollWidth", "document.querySelector('h3 a').getAttribute('href')")
      #expect(try browser.number(0) == Fixture.kernels.count)
      #expect(try browser.number(1) == 1, "box-triple alone is ever fastest")
      #expect(try browser.number(2) <= width)
      #expect(try browser.text(3) == "one/2026-01-02.html")
      #expect(browser.complaints == [])
    }
  }

  /// The faults of one file, without its path.
  private static func faults(
    _ records: [Record], name: String = "2026-01-02-quick.csv", origin: String = "abc"
  ) throws -> [String] {
    try withResults(["m/\(name)": records], origin: Self.origin.replacing("abc", with: origin)) { folder in
      try Site.faults(of: "\(folder)/m")
    }
  }

  /// A folder of results with a `.txt` beside each file.
  private static func withResults<Result>(
    _ files: [String: [Record]], origin: String = origin, _ body: (String) throws -> Result
  ) throws -> Result {
    let root = FileManager.default.temporaryDirectory.appending(path: "results-\(UUID())")
    defer { try? FileManager.default.removeItem(at: root) }
    try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
    for (path, records) in files {
      let url = root.appending(path: path)
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      let text = RecordsCSV.header + RecordsCSV.lines(records)
      try text.write(to: url, atomically: true, encoding: .utf8)
      try origin.write(
        to: url.deletingPathExtension().appendingPathExtension("txt"), atomically: true, encoding: .utf8)
    }
    return try body(root.path)
  }
}
