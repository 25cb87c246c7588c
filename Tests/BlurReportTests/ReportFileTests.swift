import BlurRecords
import Foundation
import Testing

@testable import BlurReport

@Suite("Files of a report")
struct ReportFileTests {
  @Test("Records keep the columns that other files lack")
  func furtherColumns() throws {
    let lines = RecordsCSV.lines(Fixture.samples(Fixture.name("simd"), times: [5, 6])).split(separator: "\n")
    let header = "\"p99, in ns\",\"name\"," + RecordsCSV.header.dropFirst("name,".count)
    let text = header + lines.enumerated().map { "\($0.offset + 7),\($0.element)\n" }.joined()
    guard case .records(let records, let extras) = try ReportFile(text, path: "x.csv").content
    else { throw MeasurementError.failed("no records") }
    #expect(records.compactMap(\.realTime) == [5, 6])
    #expect(extras == [["p99, in ns": "7"], ["p99, in ns": "8"]])
  }

  @Test(
    "The error for a file of another kind says what it is, and what a report accepts",
    arguments: [
      ("{\"benchmarks\": [], \"context\": {}}", "is Google Benchmark's JSON document; a report shows"),
      (
        "{\"format\": \"blur-wisdom\", \"problems\": []}",
        "is a wisdom file from `blurbench tune`; a report shows"
      ),
      ("{\"figures\": \"regret\", \"provenance\": []}", "is a file of figures for the documentation"),
      ("{\"outcome\": 1, \"cases\": 1, \"method\": 1}", "is a comparison that another version of"),
      ("{\"benchmarks\": []}", "is another JSON document; a report shows records"),
      ("name: quick\nworkloads:\n", "is a suite; a report shows"),
      ("date: 2026-11-24\nmachine key: feed\n", "is the provenance text of a records file; a report"),
      ("a,b\n1,2\n", "is a table with the columns a, b; a report shows records (FILE.csv of"),
      ("kernel,sigma,certified_levels\nsimd,1\n", "line 2 has 2 fields instead of 3"),
      ("", "is an empty file; a report shows"), ("hello", "is text; a report shows"),
    ])
  func refused(text: String, reason: String) throws {
    let error = #expect(throws: MeasurementError.self) {
      try ReportFile(text, path: "some.csv")
    }
    let message = try #require(error).description
    #expect(message.hasPrefix("some.csv: ") && message.contains(reason), "\(message)")
  }

  @Test(
    "An impossible number in a comparison is refused with its line and key",
    arguments: [
      ("\"time\": 100}", "\"time\": -125}", "time", "-125"), ("\"time\": 100}", "\"time\": 0}", "time", " 0"),
      ("\"time\": 120.0}", "\"time\": 2e15}", "time", "2000000000000000"),
      ("\"estimate\": 1.2,", "\"estimate\": -1.5,", "estimate", "-1.5"),
      ("\"estimate\": 1.2,", "\"estimate\": 1e300,", "estimate", "e+300"),
      ("\"threshold\": 0.05,", "\"threshold\": -1,", "threshold", "-1"),
      ("\"threshold\": 0.05,", "\"threshold\": 20,", "threshold", "20"),
    ])
  func impossible(old: String, new: String, key: String, number: String) throws {
    let text = Fixture.comparison.replacing(old, with: new, maxReplacements: 1)
    let document = try JSONSerialization.jsonObject(with: Data(text.utf8))
    let options: JSONSerialization.WritingOptions = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let lines = String(
      decoding: try JSONSerialization.data(withJSONObject: document, options: options), as: UTF8.self)
    let line = try #require(
      lines.split(separator: "\n", omittingEmptySubsequences: false).firstIndex {
        $0.contains("\"\(key)\"") && $0.contains(number)
      })
    let error = #expect(throws: MeasurementError.self) { try ReportFile(lines, path: "d.json") }
    let found = try #require(error?.description)
    #expect(found.hasPrefix("d.json: line \(line + 1): "), "\(found)")
    let owner = key == "threshold" ? "the comparison" : Fixture.name("simd")
    #expect(found.contains(" is not a valid value of \(key) of \(owner); it must be from "), "\(found)")
  }

  @Test(
    "An impossible number in a certificate is refused with its line and column",
    arguments: [
      ("simd,2,-0.5", "certified_levels"), ("simd,2,nan", "certified_levels"),
      ("simd,2,0x1", "certified_levels"),
      ("simd,-2,0.5", "sigma"), ("simd,inf,0.5", "sigma"), ("simd,2,inf", "certified_levels"),
      ("simd,1e9,0.5", "sigma"), ("simd,2,1,-3", "across_achieved_sigma"),
      ("simd,2,1,,nan", "down_least_sum"),
    ])
  func certificates(row: String, column: String) throws {
    var text =
      "kernel,sigma,certified_levels,across_achieved_sigma,down_least_sum,measured_levels\n"
      + "simd,5x2,,4.9,-1,-3\n"
    _ = try ReportFile(text, path: "c.csv")
    text += row + String(repeating: ",", count: 5 - row.count { $0 == "," })
    let error = #expect(throws: MeasurementError.self) { try ReportFile(text + "\n", path: "c.csv") }
    let found = try #require(error?.description)
    #expect(
      found.hasPrefix("c.csv: line 3: '") && found.contains("is not a valid value of \(column); it must be "))
  }

  @Test("The command repeats the case in a shell, whatever the kernel's name contains")
  func commands() throws {
    let kernels = ["simd", "memcpy", "their-blur", "it's; rm -rf $HOME"]
    let records = kernels.flatMap { Fixture.samples(Fixture.name($0), times: [1]) }
    let file = try Fixture.file(
      records, provenance: "date: 2026-01-02T03:04:05Z\ncommand: blurbench run --peers --plugin ./a.so")
    let cases = ReportCase.cases(records, [], file: 0, words: file.pluginWords)
    let rest = "--isa baseline --threads 1 --format gray8 --size 64x48 --sigma 2 --edge clamp"
    #expect(
      cases.map(\.command) == [
        "blurbench run --kernel simd \(rest)", "blurbench run --kernel memcpy \(rest)",
        "blurbench run --kernel their-blur \(rest) --peers --plugin ./a.so",
        "blurbench run --kernel 'it'\\''s; rm -rf $HOME' \(rest) --peers --plugin ./a.so",
      ])
  }

  @Test("A value that contains slashes is a single field")
  func slashes() {
    let fields = ReportCase.fields(of: "BM_Blur/kernel=</script><b>/scene=list@phone/sigma=2")
    #expect(fields == ["kernel": "</script><b>", "scene": "list@phone", "sigma": "2"])
  }

  @Test("JSON in a script has no character that could end the script, and is otherwise the same")
  func escaping() throws {
    let hostile = "</script><!-- & \u{2028}\u{2029} \" \\ é 🙂"
    let json = String(decoding: try JSONEncoder().encode([hostile]), as: UTF8.self)
    let escaped = Report.escaped(json)
    #expect(!escaped.contains { "<>&\u{2028}\u{2029}".contains($0) })
    #expect(try JSONDecoder().decode([String].self, from: Data(escaped.utf8)) == [hostile])
  }

  @Test("The verdict counts workloads by their fastest kernel within one level")
  func verdict() throws {
    // box-triple is the fastest kernel and has an error of 0. simd comes next with 1 level, and the other
    // kernels have larger errors.
    let all = Fixture.grid()
    #expect(
      try Report([Fixture.file(all)], showsKernels: false).sentences == [
        "box-triple is fastest or tied in 8 of 8 workloads, among the kernels within 1 level of the true "
          + "Gaussian."
      ])
    let some = all.filter { !($0.name.contains("=box-triple/") && $0.name.contains("rgba8")) }
    #expect(
      try Report([Fixture.file(some)], showsKernels: false).sentences == [
        "box-triple is fastest or tied in 4 of 8 workloads, among the kernels within 1 level of the true "
          + "Gaussian.",
        "Also fastest or tied: simd in 4.",
        "box-triple is not fastest in 4 of 8: it is slower than simd in rgba8 64x48 at sigma 1, 2, 5, 10.",
      ])
  }

  @Test("The verdict of a noisy run says how many samples were disturbed", arguments: [1, 2])
  func disturbed(noisy: Int) throws {
    var records = Fixture.samples(Fixture.name("simd"), times: (1...10).map(Double.init))
    for index in records.indices { records[index].disturbance.isQuiet = index >= noisy }
    let sentences = try Report([Fixture.file(records)], showsKernels: false).sentences
    let note = "2 of 10 samples were disturbed by other programs or virtual machines (column quiet)."
    #expect(sentences.contains(note) == (noisy == 2), "\(sentences)")
  }

  @Test("Every workload that another kernel wins is named, and those that plug-ins win are counted")
  func lost() throws {
    let won = Fixture.samples(Fixture.name("ipp", sigma: 5), times: [10, 11, 12])
    let tied = Fixture.samples(Fixture.name("ipp", sigma: 2), times: [295, 300, 305])
    let sentences = try Report([Fixture.file(Fixture.grid() + won + tied)], showsKernels: false).sentences
    #expect(
      sentences == [
        "box-triple is fastest or tied in 7 of 8 workloads, among the kernels within 1 level of the true "
          + "Gaussian.",
        "Also fastest or tied: ipp in 2.",
        "box-triple is not fastest in 1 of 8: it is slower than ipp in gray8 64x48 at sigma 5.",
        "Plug-ins are faster than all kernels of this library in 1 of 8.",
      ])
  }

  @Test(
    "The report says about the kernel of a plug-in what the terminal says, unless all peers were measured")
  func plugins() throws {
    func sentences(_ option: String) throws -> [String] {
      let provenance = "command: blurbench run \(option)\nkernel opencv: a blur\n"
      let file = try Fixture.file(Fixture.grid(), provenance: provenance)
      return Report([file], showsKernels: false).sentences.filter { $0.hasPrefix("opencv ") }
    }
    let told = Fixture.grid().summary(ofPlugins: ["opencv"]).split { " \n".contains($0) }
    #expect(
      try sentences("--plugin a.so").map { $0.split(separator: " ") } == [
        (told.joined(separator: " ") + ".").split(separator: " ")
      ])
    #expect(try sentences("--peers").isEmpty)
  }

  @Test("The run with the most workloads comes first, and a run without blurs does not count")
  func runs() throws {
    let few = Fixture.samples(Fixture.name("simd"), times: [5, 6, 7])
    let scene = Fixture.name("simd").replacing("/kernel=", with: "/scene=list@phone/kernel=")
    var late = Fixture.samples(scene, times: [9e6, 5e6, 4e6])
    for index in late.indices { late[index].frames = FrameFigures(times: [3e6, 9e6 + Double(index)]) }
    let files = try [
      ("a/few.csv", few), ("a/grid.csv", Fixture.grid()), ("a/more.csv", few), ("a/other.csv", few),
      ("a/scenes.csv", late),
    ].map { path, records in try Fixture.file(records, path) }
    #expect(
      Report(files, showsKernels: false).sentences == [
        "box-triple is fastest or tied in 8 of 8 workloads, among the kernels within 1 level of the true "
          + "Gaussian.",
        "These figures are from grid.csv, which has the most workloads of 4 runs.",
        "other.csv: simd is fastest or tied in 1 of 1 workload, among the kernels within 1 level of the true "
          + "Gaussian.",
        "more.csv: simd is fastest or tied in 1 of 1 workload, among the kernels within 1 level of the true "
          + "Gaussian.",
        "The tables below have 1 more run.",
        "With simd, 99 of 100 frames take at most 16.7 ms (60 Hz) in 1 of 1 scene, and at most 8.3 ms "
          + "(120 Hz) in 0; the slowest is list on phone: 9 ms.",
      ])
  }

  @Test("A comparison's sentence names its largest change, and records without a verdict are counted")
  func others() throws {
    let comparison = try ReportFile(Fixture.comparison, path: "d.json")
    #expect(
      Report([comparison], showsKernels: false).sentences == [
        "Regression: 1 slower, 1 the same of 2 cases; the largest change: simd takes 1.20x as long "
          + "(1.18 to 1.22) on gray8 64x48, sigma 2, clamp."
      ])
    let scene = Fixture.name("simd").replacing("/kernel=", with: "/scene=list@phone/kernel=")
    let file = try Fixture.file(Fixture.samples(scene, times: [1, 2]))
    #expect(Report([file], showsKernels: false).sentences == ["1 case was measured."])
  }

  @Test("Certificates from a run are listed as well, and the command for a plug-in's loads the plug-in")
  func certifiedByRun() throws {
    var records = [2, 5].flatMap { Fixture.samples(Fixture.name("mine", sigma: $0), times: [1, 2]) }
    for index in records.indices { records[index].certifiedLevels = Double(index / 2) + 0.5 }
    let run = try Fixture.file(
      records, provenance: "command: blurbench run --plugin ./mine.so --sigma 2,5")
    let given = try ReportFile(
      "kernel,isa,format,sigma,edge,certified_levels\nmine,baseline,gray8,2.0,clamp,7\n", path: "c.csv")
    let rows = ReportData([run, given], showsKernels: false, home: nil) { _ in }.certificates.rows
    #expect(rows.map { $0["certified_levels"] } == ["7", "1.5"], "those that were given come first")
    #expect(
      rows.last?["command"]
        == "blurbench certify --kernel mine --format gray8 --sigma 5 --edge clamp --isa baseline "
        + "--plugin ./mine.so")
  }

}
