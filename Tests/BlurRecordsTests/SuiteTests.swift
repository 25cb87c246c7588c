import Blur
import Foundation
import TestSupport
import Testing

@testable import BlurRecords

@Suite("Suites")
struct SuiteTests {
  static let kernels = ["naive", "separable"]

  static let good = """
    name: small
    why: To be read.
    repetitions: 2
    workloads:
      - why: two kernels
        kernels: [naive, separable]
        formats: [gray8, rgba8]
        sizes: [16x8, 17x9+3]
        sigmas: [0.5, 2]
        threads: [1, all]
      - kernels: naive
        formats: gray8
        sizes: 16x8
        sigmas: 2
        edges: [clamp, wrap]
    """

  func read(_ yaml: String) throws(MeasurementError) -> Suite {
    try SuiteReader(file: "s.yml", kernels: Self.kernels).read(yaml)
  }

  @Test("A few aliases are allowed, and aliases that would grow exponentially are rejected")
  func aliases() throws {
    let two = Self.good.replacing("[0.5, 2]", with: "&s [0.5, 2]").replacing("sigmas: 2", with: "sigmas: *s")
    #expect(try read(two).entries[1][.sigma] == ["0.5", "2"])
    #expect(throws: Never.self) {
      try read(Self.good.replacing("To be read.", with: "2*3*4 " + "a*b " + "*"))
    }
    let bomb = "? &a0 [x]\n: 1\n" + (1...30).map { "? &a\($0) [*a\($0 - 1), *a\($0 - 1)]\n: 1\n" }.joined()
    let error = #expect(throws: MeasurementError.self) { try read(bomb) }
    #expect(error?.description.contains("aliases") == true)
  }

  @Test("Writing keeps links and pipes, and replaces the file to which a link leads")
  func links() throws {
    try Scratch.folder { folder in
      let paths = ["file", "link", "pipe"].map { folder.appending(path: $0).path }
      let (file, link, pipe) = (paths[0], paths[1], paths[2])
      try TextFile.write("old", to: file)
      try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "file")
      try TextFile.write("new", to: link)
      #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "file")
      #expect(try TextFile.text(at: file) == "new")
      #expect(mkfifo(pipe, 0o600) == 0)
      // Opening a pipe for both directions does not wait for another process.
      let end = open(pipe, O_RDWR)
      defer { close(end) }
      try TextFile.write("text", to: pipe)
      var bytes = [UInt8](repeating: 0, count: 4)
      #expect(Foundation.read(end, &bytes, 4) == 4 && bytes == Array("text".utf8))
    }
  }

  @Test("Terminal control characters in a text file are replaced, and everything else is kept")
  func plainText() throws {
    let path = Scratch.unused(".csv").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let kept = "a,\"é\"\t1\r\nσ 日本 🙂\n"
    for obeyed in ["\u{1B}", "\u{0}", "\u{7F}", "\u{9B}", "\u{202E}", "\u{2066}"] {
      try Data((kept + obeyed + kept).utf8).write(to: URL(filePath: path))
      #expect(try TextFile.text(at: path) == kept + "\u{FFFD}" + kept)
      #expect(throws: MeasurementError.self) { try TextFile.text(at: path, limit: 2 * kept.utf8.count) }
    }
    try Data(("\u{FEFF}" + kept).utf8).write(to: URL(filePath: path))
    #expect(try TextFile.text(at: path).unicodeScalars.elementsEqual(kept.unicodeScalars))
    try Data([0x61, 0xFF, 0x0A]).write(to: URL(filePath: path))
    #expect(throws: MeasurementError.self) { try TextFile.text(at: path) }
    #expect(throws: MeasurementError.self) { try TextFile.text(at: "/dev/null") }
    #expect(throws: MeasurementError.self) {
      try TextFile.text(at: FileManager.default.currentDirectoryPath)
    }
  }

  @Test("A byte order mark, CR LF and quotes around values do not change a suite")
  func otherEditors() throws {
    let quoted = Self.good.replacing("repetitions: 2", with: "repetitions: \"2\"")
      .replacing("[0.5, 2]", with: "['0.5', \"2\"]")
    try Scratch.path(".yml") { file in
      try Data(("\u{FEFF}" + quoted.replacing("\n", with: "\r\n")).utf8).write(to: file)
      #expect(try read(Suite.yaml(of: file.path)) == read(Self.good))
    }
  }

  @Test("A suite is read as written, with defaults for missing keys")
  func reading() throws {
    let suite = try read(Self.good)
    #expect(suite.name == "small" && suite.why == "To be read.")
    #expect(suite.settings == TimingSettings(repetitions: 2, minTime: 0.1, warmUp: 0.05))
    #expect(suite.entries.count == 2)
    let sizes = [Size(width: 16, height: 8), Size(width: 17, height: 9, padding: 3)]
    let (first, second) = (suite.entries[0], suite.entries[1])
    #expect(first[.size] == sizes.map(\.text))
    #expect(first[.threads] == ["1", "all"])
    #expect(first[.edge] == ["clamp"] && first[.isa] == ["best"] && first[.scene] == nil)
    #expect(second[.kernel] == ["naive"] && second[.edge] == ["clamp", "wrap"])
  }

  @Test(
    "Each mistake is reported with its line, its column and what is allowed",
    arguments: [
      ("kernels: [naive, separable]", "kernels: [naive, seperable]", 6, 22, "did you mean 'separable'"),
      ("formats: [gray8, rgba8]", "formats: [gray8, rbg8]", 7, 22, "did you mean"),
      ("edges: [clamp, wrap]", "edges: [clamp, warp]", 15, 20, "did you mean 'wrap'"),
      ("sigmas: [0.5, 2]", "sigmas: [0.5, -2]", 9, 19, "from 0 to 1000"),
      ("sigmas: [0.5, 2]", "sigmas: [0.5, big]", 9, 19, "must be a number"),
      ("sizes: [16x8, 17x9+3]", "sizes: [16x8, 17by9]", 8, 19, "such as 640x480"),
      ("threads: [1, all]", "threads: [0, all]", 10, 15, "from 1 to 1024"),
      ("threads: [1, all]", "treads: [1, all]", 10, 5, "did you mean 'threads'"),
      ("sigmas: [0.5, 2]", "sigmas: []", 9, 13, "empty"),
      ("sigmas: [0.5, 2]", "sigmas: [{}]", 9, 14, "single word"),
      ("repetitions: 2", "repetitions: 2.5", 3, 14, "whole number"),
      ("repetitions: 2", "repetitions: 0x2", 3, 14, "whole number"),
      ("repetitions: 2", "min_time: 0x1", 3, 11, "min_time '0x1': must be a number of seconds"),
      ("repetitions: 2", "min_time: 0.1 s", 3, 11, "min_time '0.1 s': must be a number of seconds"),
      ("repetitions: 2", "repetitions: 2\nrepetitions: 3", 3, 1, "the key repetitions appears twice"),
      ("kernels: [naive, separable]", "kernels: [plugin]", 6, 15, "did you mean 'plugins'"),
      ("repetitions: 2", "repititions: 2", 3, 1, "did you mean 'repetitions'"),
      ("why: To be read.", "warm_up: 1", 1, 1, "needs the key why"),
      ("- kernels: naive", "- why: x", 11, 5, "needs the key kernels"),
      ("name: small", "name: [small", 2, 4, "not valid YAML"),
    ])
  func mistakes(old: String, new: String, line: Int, column: Int, reason: String) throws {
    let error = #expect(throws: MeasurementError.self) { try read(Self.good.replacing(old, with: new)) }
    guard case .suite("s.yml", line, column, let text) = error else {
      Issue.record("expected s.yml:\(line):\(column), found \(error as Any)")
      return
    }
    #expect(text.contains(reason), "\(text)")
  }

  @Test(
    "Files that are not suites are rejected", arguments: ["", "# nothing", "- a\n- b", "42", "a: &x [*x]"])
  func noSuite(yaml: String) {
    #expect(throws: MeasurementError.self) { try read(yaml) }
  }

  @Test("The product of the lists is complete, has each case once, and keeps images together")
  func product() throws {
    let jobs = try read(Self.good).jobs(kernels: Registry.kernels, cores: 4)
    // The first entry of the suite gives 2 formats × 2 sizes × 2 sigmas × 2 numbers of threads, which are 16
    // jobs. The second entry adds one job, for the edge mode wrap. Its other combination is already in the
    // first entry.
    #expect(jobs.count == 17)
    let names = jobs.flatMap(\.cases).map(\.name)
    #expect(names.count == 33 && Set(names).count == 33)
    #expect(jobs[0].workload.threads == 1 && jobs[1].workload.threads == 4)
    #expect(jobs[0].workload == jobs[1].workload.picture)
    #expect(jobs.allSatisfy { job in job.cases.allSatisfy { $0.workload == job.workload } })
  }

  @Test("On one core, `all` threads is one thread, which is measured once")
  func oneCore() throws {
    let jobs = try read(Self.good).jobs(kernels: Registry.kernels, cores: 1)
    #expect(jobs.count == 9)
  }

  @Test("A suite that names far too many cases is rejected before the cases are made")
  func tooMany() throws {
    let numbers = "[" + (1...400).map(String.init).joined(separator: ", ") + "]"
    let yaml = Self.good.replacing("[0.5, 2]", with: numbers).replacing("[1, all]", with: numbers)
    let suite = try read(yaml)
    let error = #expect(throws: MeasurementError.self) {
      try suite.jobs(kernels: Registry.kernels, cores: 1)
    }
    #expect(
      error?.description.contains("has 1280002 cases, but at most 100000 are allowed") == true,
      "\(error as Any)")
  }

  @Test("A kernel without wide code runs once, with the widest code it has")
  func instructionSets() throws {
    let yaml = Self.good.replacing("threads: [1, all]", with: "isa: [baseline, avx2, avx512, best, all]")
    let jobs = try read(yaml).jobs(kernels: Registry.kernels, cores: 1)
    for job in jobs {
      #expect(job.cases.filter { $0.kernel == "separable" }.map(\.isa).allSatisfy { $0 == .baseline })
      #expect(Set(job.cases).count == job.cases.count)
      #expect(job.cases.count <= 2)
    }
  }

  @Test("Lists on the command line replace those of the suite")
  func overrides() throws {
    let lists = try CaseLists(
      [.kernel: "separable", .size: "5x5, 6x6+1", .sigma: "3", .edge: "all"],
      Vocabulary(kernels: Self.kernels))
    let suite = try read(Self.good).overridden(by: lists)
    for entry in suite.entries {
      #expect(entry[.kernel] == ["separable"] && entry[.sigma] == ["3"])
      #expect(entry[.edge] == EdgeMode.allCases.map(\.name))
      let sizes = [Size(width: 5, height: 5), Size(width: 6, height: 6, padding: 1)]
      #expect(entry[.size] == sizes.map(\.text))
    }
    #expect(suite.entries[0][.format] == ["gray8", "rgba8"])
  }

  @Test(
    "A word in a list that is not understood is a usage error that names the option",
    arguments: [
      (.kernel, "simd,naiv", "simd"), (.sigma, "1,x", "'x'"), (.format, "gray9", "did you mean 'gray8'"),
      (.size, "5", "such as 640x480"), (.edge, "", "empty"), (.threads, "many", "1024"),
      (.isa, "sse", "baseline"),
      (.scene, "bar", "no scenes"), (.kernel, "plugin", "did you mean 'plugins'"),
    ] as [(CaseDimension, String, String)])
  func malformedLists(option: CaseDimension, text: String, reason: String) {
    let error = #expect(throws: MeasurementError.self) {
      try CaseLists([option: text], Vocabulary(kernels: Self.kernels))
    }
    #expect(error?.isUsage == true)
    #expect(error?.description.contains("--\(option.key)") == true)
    #expect(error?.description.contains(reason) == true, "\(error as Any)")
  }
}

@Suite("Suite files")
struct SuiteFileTests {
  @Test(
    "The built-in suites are readable, have their names, and say why they exist",
    arguments: Suite.builtIn.filter { $0 != "scenes" })
  func ownSuites(name: String) throws {
    let reader = SuiteReader(file: name, kernels: Registry.all.map(\.name))
    let suite = try reader.read(Suite.yaml(of: name))
    #expect(suite.name == name)
    #expect(suite.why.count > 100 && !suite.entries.isEmpty)
  }

  @Test("Every suite file is built into the program")
  func embedded() throws {
    let folder = Program.package.appending(path: "Bench/Suites")
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter {
      $0.hasSuffix(".yml")
    }
    #expect(files.sorted() == Suite.builtIn.map { $0 + ".yml" })
  }

  @Test("Suite quick stays small, and suite standard has every format and sigmas from 0.5 to 50")
  func ownSizes() throws {
    let quick = try MeasurementPlan(suite: "quick", cores: 2)
    #expect(quick.jobs.caseCount <= 120)
    let standard = try MeasurementPlan(suite: "standard", cores: 2)
    #expect(Set(standard.jobs.map(\.workload.layout.format)) == Set(PixelFormat.allCases))
    #expect(Set(standard.jobs.map(\.workload.sigma)).isSuperset(of: [0.5, 1, 2, 5, 10, 20, 50]))
  }

  @Test("Suite once has single calls and first calls, from icons to 4K frames")
  func singleCalls() throws {
    let workloads = try MeasurementPlan(suite: "once", cores: 2).jobs.map(\.workload)
    #expect(Set(workloads.map(\.pace)) == [.once, .onceCold])
    #expect(Set(workloads.map(\.sigma)) == [1, 3, 10, 30])
    #expect(workloads.contains { $0.layout.pixelCount == 32 * 32 })
    #expect(workloads.contains { $0.layout.pixelCount == 3840 * 2160 })
    #expect(Set(workloads.map(\.layout.format)) == [.gray8, .rgba8, .grayf32])
  }

  @Test("Unknown names, unreadable files and filters without a match are rejected")
  func refusals() {
    let unknown = #expect(throws: MeasurementError.self) {
      try MeasurementPlan(suite: "quik", cores: 1)
    }
    #expect(unknown?.isUsage == true && unknown?.description.contains("'quick'") == true)
    let missing = #expect(throws: MeasurementError.self) {
      try MeasurementPlan(suite: "missing/suite.yml", cores: 1)
    }
    #expect(missing?.isUsage == false && missing?.description.contains("missing/suite.yml") == true)
    let nothing = #expect(throws: MeasurementError.self) {
      try MeasurementPlan(suite: "quick", filter: "sigma=77", cores: 1)
    }
    #expect(nothing?.isUsage == true && nothing?.description.contains("sigma=77") == true)
    let external = #expect(throws: MeasurementError.self) {
      try MeasurementPlan(suite: "quick", lists: [.kernel: "plugins"], cores: 1)
    }
    #expect(external?.isUsage == true && external?.description.contains("--plugin") == true)
  }
}
