import BlurRecords
import Foundation
import TestSupport
import Testing

@testable import BlurReport

@Suite("The site with all results")
struct SiteTests {
  static let origin = """
    date: 2026-01-02T03:04:05Z
    command: blurbench run
    cpu: Some CPU
    compiler: Swift
    git revision: \(commit)

    """
  static let commit = String(repeating: "0123456789", count: 4)

  @Test("There are a page for each machine and date, a history, and an overview with links to files")
  func pages() throws {
    let once = Fixture.samples(Fixture.name("simd", sigma: 77), times: [5, 6, 7])
    try Self.withResults([
      "one/2026-01-02-quick.csv": Fixture.grid(), "one/2026-01-02-more.csv": Fixture.grid() + once,
      "one/2026-01-03-quick.csv": Fixture.grid(scale: 2), "two/2026-01-02-quick.csv": Fixture.grid(),
    ]) { folder in
      try Self.origin.replacing("-02T", with: "-03T")
        .write(toFile: "\(folder)/one/2026-01-03-quick.txt", atomically: true, encoding: .utf8)
      try "{}".write(toFile: "\(folder)/two/other.json", atomically: true, encoding: .utf8)
      // A JSON file of figures, such as those of `lab regret`, is used by other pages of the
      // documentation. Such a file in the folder of a machine's results is not a fault.
      let figures = "\(folder)/two/2026-01-02-regret.json"
      try "{\"figures\": \"regret\", \"provenance\": []}".write(
        toFile: figures, atomically: true, encoding: .utf8)
      #expect(try Site.faults(of: figures) == [])
      let site = try Site(of: folder, source: "https://example.org/r", web: "web/index.html")
      #expect(
        site.pages.map(\.path) == [
          "index.html", "one/2026-01-03.html", "one/2026-01-02.html", "one/history.html",
          "two/2026-01-02.html",
        ])
      #expect(site.pages[0].html.contains("https://example.org/r/one/2026-01-02-more.csv"))
      #expect(site.pages.map { $0.html.contains("web/index.html") } == [true, false, false, false, false])
      // A workload that was timed on one day only is shown only on the page of that day.
      #expect(site.pages.map { $0.html.contains("--sigma 77") } == [false, false, true, false, false])
      #expect(site.leftOut.count == 1 && site.leftOut[0].contains("two/other.json"))
    }
  }

  @Test("The overview has a column for each run, with each kernel's score in that run alone")
  func scores() throws {
    // In the second run, simd is missing and all kernels take four times as long. If the runs were pooled,
    // simd would win every workload.
    let slow = Fixture.grid(scale: 4).filter { !$0.name.contains("/kernel=simd/") }
    let files = [
      try Fixture.file(Fixture.grid(), "2026-01-02-quick.csv"), try Fixture.file(slow, "2026-01-02-more.csv"),
      try Fixture.file(slow, "2026-01-01-quick.csv"),
    ]
    let machine = SiteData.MachineResults("m", files, [], nil)
    let data = SiteData([machine], web: nil)
    #expect(machine.runs.map(\.name) == ["2026-01-02-quick", "2026-01-02-more"], "the latest of each suite")
    #expect(machine.runs.map(\.page) == ["m/2026-01-02.html", "m/2026-01-02.html"])
    // The kernels of this package come first, in the order of the registry, and plug-ins follow.
    #expect(data.kernels.map(\.name) == ["box-triple", "simd", "pyramid", "opencv"])
    let scores = data.kernels.map(\.scores)
    #expect(scores[1][0] != nil && scores[1][1] == nil)
    #expect(scores[0].map(\.?.wins) == [8, 8] && scores[0].map(\.?.slowdown) == [1, 1])
    // simd takes twice as long as box-triple, and the times of each kernel range from 98 % to 103 %.
    let score = try #require(scores[1][0])
    #expect(score.slowdown == 2 && abs(score.low - 196.0 / 103) < 1e-3 && abs(score.high - 206.0 / 98) < 1e-3)
    #expect(scores.map { $0[0]?.family } == ["own", "own", "own", "peer"])
  }

  @Test("The overview's matrix shows the run with the most workloads, and each cell names its workload")
  func matrix() throws {
    let few = Fixture.samples(Fixture.name("simd"), times: [5, 6, 7])
    let files = [
      try Fixture.file(Fixture.grid(), "2026-01-02-quick.csv"), try Fixture.file(few, "2026-01-03-few.csv"),
    ]
    let machine = SiteData.MachineResults("m", files, [], nil)
    let matrix = try #require(machine.matrix)
    #expect(matrix.name == "2026-01-02-quick.csv" && matrix.page == "m/2026-01-02.html")
    #expect(matrix.rows.count == Fixture.formats.count && matrix.sigmas == [1, 2, 5, 10])
    let cell = try #require(matrix.rows[1].cells[2])
    #expect(
      cell.address == [
        "format": "rgba8", "size": "64x48", "sigma": "5", "threads": "1", "edge": "clamp", "pace": "warm",
      ])
    #expect(machine.verdict?.hasPrefix("box-triple is fastest or tied in 8 of 8 workloads") == true)
  }

  @Test("Faults that prevent publishing results are named, and good results have none")
  func faults() throws {
    var good = Fixture.samples(Fixture.name("simd"), times: (1...10).map { 100 + Double($0) })
    for index in good.indices { good[index].disturbance.isQuiet = true }
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
      ("says whether the machine was quiet", changed { $0.disturbance.isQuiet = nil }),
      ("no error was recorded", changed { $0.maxErrorLevels = nil }),
      ("because a memcpy takes longer", changed { $0.memcpyRatio = 0.1 }),
      ("nothing was measured", [Fixture.wrong]),
    ]
    for (words, records) in bad {
      let faults = try Self.faults(records)
      #expect(faults.count == 1 && faults[0].contains(words), "\(words): \(faults)")
    }
    #expect(try Self.faults(good) == [])
    #expect(
      try Self.faults(good, origin: "\(Self.commit), with uncommitted changes")[0].contains("uncommitted"))
    let release = try Self.faults(good, origin: "v1.2")
    let problem = "the git revision is not a commit: v1.2"
    #expect(release.count == 1 && release[0].hasSuffix(problem), "\(release)")
    #expect(try Self.faults(good, name: "quick.csv").first?.contains("begin with the date") == true)
    let mixed = good + changed { $0.machineKey = "other" }
    #expect(try Self.faults(mixed).first?.contains("several machines") == true)
    let other = changed { $0.machineKey = "other" }
    try Self.withResults(["m/2026-01-02-quick.csv": good, "m/2026-01-02-more.csv": other]) { folder in
      let faults = try Site.faults(of: "\(folder)/m/2026-01-02-more.csv")
      #expect(faults.count == 1 && faults[0].contains("several machines, key, other"), "\(faults)")
    }
  }

  @Test("Empty folders, missing folders and folders without results are rejected")
  func refused() throws {
    try Self.withResults([:]) { folder in
      #expect(throws: MeasurementError.self) { try Site(of: folder, source: nil) }
      #expect(throws: MeasurementError.self) { try Site(of: "\(folder)/none", source: nil) }
      #expect(throws: MeasurementError.self) { try Site.faults(of: folder) }
    }
  }

  @Test(
    "The overview fits the window of a phone, and the browser reports no errors", .tags(.browser), .slow,
    .enabled(if: Browser.isInstalled, "Chromium is not installed (package chromium)"), arguments: [1400, 390])
  func overview(width: Int) throws {
    try Self.withResults(["one/2026-01-02-quick.csv": Fixture.grid()]) { folder in
      let site = try Site(of: folder, source: "https://example.org")
      let browser = try Browser(
        site.pages[0].html, width: width, Browser.count("#kernels tbody tr"),
        Browser.count("#kernels td.own"),
        "document.documentElement.scrollWidth", "document.querySelector('h3 a').getAttribute('href')",
        "document.querySelector('#machine-0 .fastest td a').getAttribute('href')",
        "/object|undefined|NaN/.exec(document.body.innerText)?.[0] ?? 'none'")
      #expect(try browser.number(0) == Fixture.kernels.count)
      #expect(try browser.number(1) == 1, "box-triple alone is ever fastest")
      #expect(try browser.number(2) <= width)
      #expect(try browser.text(3) == "one/2026-01-02.html")
      #expect(
        try browser.text(4)
          == "one/2026-01-02.html#file=2026-01-02-quick.csv&edge=clamp&format=gray8&pace=warm"
          + "&sigma=1&size=64x48&threads=1")
      #expect(try browser.text(5) == "none")
      #expect(browser.complaints == [])
    }
  }

  @Test(
    "The pages of the committed results fit wide and narrow windows, and no section is empty",
    .tags(.browser, .long), .slow,
    .enabled(if: Browser.isInstalled, "Chromium is not installed (package chromium)"))
  func committed() throws {
    let results = Program.package.appending(path: "Results").path
    let site = try Site(of: results, source: "https://example.org")
    #expect(site.pages.reduce(0) { $0 + $1.html.utf8.count } < 10_000_000)
    for page in Tiers.some(of: site.pages) {
      for width in [1400, 390] {
        let browser = try Browser(
          page.html, width: width, "document.documentElement.scrollWidth",
          "/\\[object|undefined|NaN/.exec(document.querySelector('main').innerText)?.[0] ?? 'none'",
          """
          [...document.querySelectorAll('main > section:not([hidden])')]
            .filter(section => ![...section.children].some(
              part => part.tagName !== 'H2' && part.offsetHeight))
            .map(section => section.id).join()
          """)
        #expect(try browser.number(0) <= width, "\(page.path)")
        #expect(try browser.text(1) == "none" && browser.text(2) == "", "\(page.path)")
        #expect(browser.complaints == [], "\(page.path)")
      }
    }
  }

  /// Returns the faults that the check of the results website finds in a file with these records.
  private static func faults(
    _ records: [Record], name: String = "2026-01-02-quick.csv", origin: String = commit
  ) throws -> [String] {
    try withResults(["m/\(name)": records], origin: Self.origin.replacing(commit, with: origin)) { folder in
      try Site.faults(of: "\(folder)/m")
    }
  }

  /// Calls `body` with a folder of results, in which each file has a `.txt` file next to it.
  private static func withResults<Result>(
    _ files: [String: [Record]], origin: String = origin, _ body: (String) throws -> Result
  ) throws -> Result {
    try Scratch.folder { root in
      for (path, records) in files {
        let url = root.appending(path: path)
        try FileManager.default.createDirectory(
          at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        let text = RecordsCSV.text(records)
        try text.write(to: url, atomically: true, encoding: .utf8)
        try origin.write(
          to: url.deletingPathExtension().appendingPathExtension("txt"), atomically: true, encoding: .utf8)
      }
      return try body(root.path)
    }
  }
}
