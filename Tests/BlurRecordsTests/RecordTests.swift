import BlurText
import Foundation
import TestSupport
import Testing

@testable import BlurRecords

@Suite("Records")
struct RecordTests {
  /// A record with text that must be quoted, and without some of the values.
  static var awkward: Record {
    var record = Record(name: "BM_Blur/a,\"b\"")
    record.errorOccurred = true
    record.errorMessage = "said \"no\", twice"
    record.isa = "avx2"
    record.threads = 2
    record.machineKey = "feed"
    record.maxErrorLevels = 0.1 + 0.2
    return record
  }

  @Test("The columns are Google Benchmark's ten, in its order, and then ours")
  func columns() {
    #expect(
      RecordsCSV.header
        == "name,iterations,real_time,cpu_time,time_unit,bytes_per_second,items_per_second,label,"
        + "error_occurred,error_message,megapixels_per_second,memcpy_ratio,ceiling_share,plan_ns,"
        + "max_error_levels,certified_levels,psnr_db,achieved_sigma,output_hash,isa,threads,repetition,"
        + "machine_key,frame_p50_ns,frame_p90_ns,frame_p99_ns,frame_max_ns,first_frame_ns,share_of_60_hz,"
        + "share_of_120_hz,frames_over_60_hz,frames_over_120_hz,allocated_bytes,flicker_levels,stale_levels,"
        + "speed_shift,jitter_ns,energy_nj,cache_misses,tlb_misses,build,process,probe_ns,memcpy_threads,"
        + "memcpy_low_ns,memcpy_high_ns,quiet,core_slowdown,stolen_cpus,others_cpus,throttles,cpu_mhz,"
        + "frame_times_us,jump_levels,held_bytes,truth_jump_levels\n"
    )
  }

  @Test("Measured numbers keep six digits, and counts and hashes keep all digits")
  func digits() throws {
    var record = Record(name: "BM_Blur/x")
    record.realTime = 48_746.912_345
    record.itemsPerSecond = 1_344_412_345.678
    record.maxErrorLevels = 0.001_234_565_1
    record.certifiedLevels = 0
    record.iterations = 12_345_678
    record.outputHash = "123456789abcdef1"
    let rounded = record.rounded
    #expect(rounded.realTime?.description == "48746.9")
    #expect(rounded.itemsPerSecond == 1_344_410_000)
    #expect(rounded.maxErrorLevels?.description == "0.00123457")
    #expect(rounded.certifiedLevels == 0)
    #expect(rounded.iterations == record.iterations && rounded.outputHash == record.outputHash)
    #expect(rounded.psnr == nil)
    #expect(rounded.rounded == rounded)
  }

  @Test("Written records are read back unchanged, to the last digit")
  func roundTrip() throws {
    var full = try Fixture.records([try Fixture.job("steady", threads: 2)])[0][1]
    full.certifiedLevels = 1e-7
    full.psnr = 58.9
    full.achievedSigma = 1.0 / 3
    full.process = 4
    full.probeTime = 701.5
    let records = [full, Self.awkward, try Fixture.records([try Fixture.job("refusing")])[0][0]]
    let text = RecordsCSV.text(records)
    #expect(try RecordsCSV.read(text, path: "x.csv") == records)
    #expect(text.split(separator: "\n").count == 4)
  }

  @Test("Missing values are empty instead of 0, and quotes are doubled")
  func missing() {
    #expect(
      RecordsCSV.lines([Self.awkward])
        == #""BM_Blur/a,""b""",,,,,,,,true,"said ""no"", twice",,,,,0.30000000000000004,,,,,avx2,2,,feed"#
        + String(repeating: ",", count: RecordColumn.later.joined().count) + "\n"
    )
  }

  @Test("A line break in a message does not break the record's line")
  func lineBreaks() {
    let record = Record(name: "a").wrong("first\nsecond\r\nthird")
    #expect(record.errorMessage == "first second third")
  }

  @Test(
    "The error for a file that is not a record file names the line",
    arguments: [
      ("a,b\n1,2\n", "is not a records file but"), (RecordsCSV.header + "a,b\n", "line 2 has 2 fields"),
      (RecordsCSV.header.replacing("psnr_db,", with: ""), "missing: psnr_db"),
      (
        RecordsCSV.header + lines.replacing("feed", with: "feed,"),
        "line 2 has \(RecordColumn.all.count + 1) fields"
      ),
      (RecordsCSV.header + lines + lines.replacing(",avx2,2,", with: ",avx2,two,"), "line 3: 'two'"),
      (RecordsCSV.header + lines.replacing(/,,,,,,\n/, with: ",perhaps,,,,,\n"), "'perhaps'"),
      (RecordsCSV.header + lines.replacing("0.30000000000000004", with: "inf"), "'inf'"),
      (RecordsCSV.header + lines.replacing("\"BM_Blur/a,\"\"b\"\"\"", with: ""), "the name is empty"),
      (RecordsCSV.header + "\"a\"b\n", "line 2"),
      (RecordsCSV.header + lines + "\n" + RecordsCSV.header, "line 4 is the header again"),
      (
        RecordsCSV.header.replacing("psnr_db,", with: "psnr_db,isa,"),
        "line 1 has several columns called 'isa'"
      ),
      (RecordsCSV.header.replacing(",", with: ";"), "a table separated by semicolons; save it with commas"),
    ])
  func malformed(text: String, reason: String) {
    let error = #expect(throws: MeasurementError.self) { try RecordsCSV.read(text, path: "x.csv") }
    #expect(error?.description.contains(reason) == true, "\(error as Any)")
    #expect(error?.description.hasPrefix("x.csv: ") == true)
  }

  static let lines = RecordsCSV.lines([awkward])

  /// Returns the fields of a records file with one row, in which `word` replaces the value of a column.
  private static func fields(_ column: String, _ word: String) throws -> [[String]] {
    let record = try Fixture.records([try Fixture.job("steady")])[0][0]
    var fields = RecordsCSV.text([record]).split(separator: "\n").map {
      $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }
    fields[1][try #require(fields[0].firstIndex(of: column))] = word
    return fields
  }

  @Test("Blank lines, other orders of columns, more columns and TRUE in capitals do not matter")
  func tolerated() throws {
    let record = try Fixture.records([try Fixture.job("steady")])[0][0]
    let rows = RecordsCSV.text([record.wrong("no")]).split(separator: "\n").map {
      $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }
    let expected = try RecordsCSV.read(RecordsCSV.text([record.wrong("no")]), path: "x.csv")
    #expect(expected.count == 1 && expected[0].errorOccurred)
    let turned = rows.map {
      (($0 + [$0[0] == "name" ? "more" : "5"]).reversed() as [String]).joined(separator: ",")
    }
    for text in [
      "\n" + turned.joined(separator: "\n\n"), turned.joined(separator: "\n,,,\n\"\",\"\"\n"),
      turned.joined(separator: "\r\n") + "\r\n\r\n  \r\n",
      turned.joined(separator: "\n").replacing(",true,", with: ",TRUE,"),
    ] { #expect(try RecordsCSV.read(text, path: "x.csv") == expected, "\(text)") }
    let bad = "\n" + turned[0] + "\n\n" + turned[1].replacing(",true,", with: ",maybe,")
    let error = #expect(throws: MeasurementError.self) { try RecordsCSV.read(bad, path: "x.csv") }
    #expect(
      error?.description
        == "x.csv: line 4: 'maybe' is not a valid value of error_occurred; it must be true, false or empty")
  }

  @Test(
    "A number that no measurement gives is an error with the line, the column and the range",
    arguments: [
      ("iterations", "0"), ("iterations", "-7"), ("real_time", "0"), ("real_time", "-1.5"),
      ("real_time", "1e300"), ("real_time", "nan"), ("real_time", "inf"), ("cpu_time", "-1"),
      ("real_time", "0x10"), ("probe_ns", "0x1p3"), ("real_time", " 5"), ("iterations", "0x10"),
      ("frame_times_us", "100 0x5"), ("cpu_time", "infinity"),
      ("items_per_second", "-3"), ("memcpy_ratio", "0"), ("plan_ns", "-250"), ("max_error_levels", "-0.5"),
      ("certified_levels", "nan"), ("psnr_db", "-inf"), ("achieved_sigma", "-2"), ("threads", "0"),
      ("threads", "-2"), ("repetition", "-1"), ("repetition", "9223372036854775807"), ("process", "-1"),
      ("frame_p99_ns", "-1"), ("frames_over_60_hz", "-1"), ("frame_times_us", "100 -5"),
      ("speed_shift", "0"), ("probe_ns", "0"), ("memcpy_threads", "5000"), ("memcpy_low_ns", "-3"),
      ("cpu_mhz", "1e16"), ("truth_jump_levels", "-1"),
    ])
  func impossible(column: String, word: String) throws {
    let text = try Self.fields(column, word).map(\.csvLine).joined()
    let error = #expect(throws: MeasurementError.self) { try RecordsCSV.read(text, path: "x.csv") }
    let start = "x.csv: line 2: '\(word)' is not a valid value of \(column); it must be from "
    #expect(error?.description.hasPrefix(start) == true, "\(error as Any)")
  }

  @Test("Whole numbers may be written with a fraction of 0 or an exponent", arguments: ["509.0", "5.09E+02"])
  func wholeNumbers(word: String) throws {
    let text = try Self.fields("iterations", word).map(\.csvLine).joined()
    #expect(try RecordsCSV.read(text, path: "x.csv").map(\.iterations) == [509])
    let bad = try Self.fields("iterations", "509.5").map(\.csvLine).joined()
    #expect(throws: MeasurementError.self) { try RecordsCSV.read(bad, path: "x.csv") }
  }

  @Test("A misplaced quotation mark is reported with its line, even after a field with a line break")
  func misplacedQuotationMark() {
    let text = "a,b\n\"first\nsecond\",1\n2,\"x\"y\n"
    let error = #expect(throws: MeasurementError.self) { try TableFile(text, path: "x.csv") }
    let start = "x.csv: line 4 cannot be read as CSV"
    #expect(error?.description.hasPrefix(start) == true, "\(error as Any)")
  }

  @Test("A line break in a field counts as a line of the file")
  func linesInFields() throws {
    var fields = try Self.fields("error_message", "\"first\nsecond\"")
    fields.append(try Self.fields("real_time", "nan")[1])
    let text = fields.map { $0.joined(separator: ",") + "\n" }.joined()
    let error = #expect(throws: MeasurementError.self) { try RecordsCSV.read(text, path: "x.csv") }
    #expect(error?.description.hasPrefix("x.csv: line 4: 'nan' ") == true, "\(error as Any)")
  }

  @Test("A name may have unknown words, but no impossible numbers")
  func names() throws {
    let name = try Fixture.records([try Fixture.job("steady")])[0][0].name
    func read(_ old: Regex<Substring>, _ new: String) throws -> [Record] {
      let text = try Self.fields("name", name.replacing(old, with: new)).map(\.csvLine).joined()
      return try RecordsCSV.read(text, path: "x.csv")
    }
    #expect(try read(/format=[a-z0-9]+/, "format=gray9").count == 1)
    for word in ["nan", "inf", "-1"] {
      let error = #expect(throws: MeasurementError.self) { try read(/sigma=[^\/]+/, "sigma=\(word)") }
      #expect(error?.description == "x.csv: line 2: 'sigma=\(word)' in the name is impossible")
    }
    #expect(throws: MeasurementError.self) { try read(/size=[^\/]+/, "size=0x7") }
  }

  @Test("Columns that contradict the name are an error with the line and the column")
  func contradictions() throws {
    for (column, word) in [("isa", "foo"), ("threads", "7")] {
      let text = try Self.fields(column, word).map(\.csvLine).joined()
      let error = #expect(throws: MeasurementError.self) { try RecordsCSV.read(text, path: "x.csv") }
      let found = error?.description ?? ""
      let start = "x.csv: line 2: '\(word)' is not a valid value of \(column); it must be "
      #expect(found.hasPrefix(start) && found.hasSuffix(", as in the name"), "\(found)")
    }
    let text = try Self.fields("isa", "").map(\.csvLine).joined()
    #expect(try RecordsCSV.read(text, path: "x.csv").count == 1)
  }

  @Test("Empty columns at the end, as spreadsheets write them, are ignored", arguments: [1, 2, 5])
  func emptyColumns(count: Int) throws {
    let lines = Self.lines.dropLast() + String(repeating: ",", count: count) + "\n"
    let header = RecordsCSV.header.dropLast() + String(repeating: ",", count: count) + "\n"
    let records = try RecordsCSV.read(String(header + lines), path: "x.csv")
    #expect(try records == RecordsCSV.read(RecordsCSV.header + Self.lines, path: "x.csv"))
  }

  @Test("A name of another program, and a time that is in the file twice, are errors with the line")
  func foreign() throws {
    for name in ["BM_Foo/1", "Blur", "BM_Blur"] {
      let text = try Self.fields("name", name).map(\.csvLine).joined()
      let error = #expect(throws: MeasurementError.self) { try RecordsCSV.read(text, path: "x.csv") }
      let words = "x.csv: line 2: '\(name)' is not a valid value of name; it must begin with BM_Blur/"
      #expect(error?.description == words)
    }
    // All rows are in the file twice. The rows of the memcpy, and those without a time, may be.
    let records = try Fixture.records([try Fixture.job("steady", "refusing", "lying")])[0]
    let text = RecordsCSV.header + RecordsCSV.lines(records)
    for (twice, isError) in [
      (records, true), (records.filter { $0.isCopy || !$0.isMeasured }, false),
      (records.map { $0.inProcess(1) }, false),
    ] {
      let doubled = text + RecordsCSV.lines(twice)
      guard isError else {
        #expect(try RecordsCSV.read(doubled, path: "x.csv").count == records.count + twice.count)
        continue
      }
      let error = #expect(throws: MeasurementError.self) { try RecordsCSV.read(doubled, path: "x.csv") }
      let line = records.count + 2
      #expect(
        error?.description == "x.csv: line \(line): repetition 0 of \(records[0].name) is already in line 2")
    }
  }

  @Test(
    "Unusual numbers that a measurement can give are accepted",
    arguments: [
      ("bytes_per_second", "1.79e+15"), ("items_per_second", "2e+15"), ("iterations", "1"),
      ("real_time", "0.25"), ("cpu_time", "0"), ("max_error_levels", "8e40"),
      ("psnr_db", "-3"), ("frame_p50_ns", "0"), ("repetition", "9999"), ("process", ""),
    ])
  func possible(column: String, word: String) throws {
    let text = try Self.fields(column, word).map(\.csvLine).joined()
    #expect(try RecordsCSV.read(text, path: "x.csv").count == 1)
  }

  @Test("A byte order mark, quoted fields, CR LF and a missing last line break do not change the records")
  func spreadsheets() throws {
    let fields = try Self.fields("iterations", "12")
    let plain = fields.map(\.csvLine).joined()
    let records = try RecordsCSV.read(plain, path: "x.csv")
    #expect(records.map(\.iterations) == [12])
    let quoted = fields.map { $0.map { "\"\($0)\"" }.joined(separator: ",") + "\r\n" }.joined()
    let texts = [
      "\u{FEFF}" + plain, quoted, plain.replacing("\n", with: "\r\n"), String(plain.dropLast()),
      "\u{FEFF}" + String(quoted.dropLast()),
    ]
    for text in texts {
      try Scratch.path(".csv") { file in
        try Data(text.utf8).write(to: file)
        #expect(try RecordsCSV.read(at: file.path) == records, "\(text)")
        #expect(FileKind(file: file.path) == .records, "\(text)")
      }
    }
  }

  @Test("JSON text escapes special characters, keeps the order, and writes infinity as null")
  func json() throws {
    let value = JSONText.object([
      ("z", .string("\"\\\n\t\u{1}é")), ("a", .array([.number(1.5), .number(2), .bool(true)])),
      ("n", .number(.infinity)), ("e", .array([])),
    ])
    #expect(
      value.text() == """
        {
          "z": "\\"\\\\\\n\\t\\u0001é",
          "a": [
            1.5,
            2,
            true
          ],
          "n": null,
          "e": []
        }
        """)
    let parsed = try JSONSerialization.jsonObject(with: Data(value.text().utf8)) as? [String: Any]
    #expect(parsed?["z"] as? String == "\"\\\n\t\u{1}é")
  }

  @Test("A run in JSON has Google Benchmark's fields in its order, and skipped cases are left out")
  func jsonRuns() throws {
    let records = try Fixture.records([try Fixture.job("steady", "refusing", "drifting")])[0]
    let text = RecordsJSON.document(records, context: .object([("date", .string("today"))]))
    let start = try #require(text.range(of: "steady"))
    let keys = text[start.lowerBound...].split(separator: "\n").dropFirst().prefix { !$0.contains("}") }
      .compactMap { $0.split(separator: "\"").dropFirst().first.map(String.init) }
    #expect(
      Array(keys.prefix(11)) == [
        "family_index", "per_family_instance_index", "run_name", "run_type", "repetitions",
        "repetition_index", "threads", "iterations", "real_time", "cpu_time", "time_unit",
      ])
    #expect(keys.last == "label")
    #expect(!text.contains("refusing"))

    let parsed = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
    let runs = try #require(parsed?["benchmarks"] as? [[String: Any]])
    #expect(runs.map { $0["repetitions"] as? Int } == [3, 3, 3, 1, 3, 3, 3])
    #expect(runs.map { $0["family_index"] as? Int } == [0, 0, 0, 1, 2, 2, 2])
    #expect(runs[3]["error_occurred"] as? Bool == true && runs[0]["error_occurred"] == nil)
    #expect((runs[3]["error_message"] as? String)?.contains("hash") == true)
  }

  @Test("The properties of the CPU are read from Linux's files")
  func machineFiles() throws {
    try Scratch.folder { folder in
      let files = [
        "proc/cpuinfo":
          "processor\t: 0\nmodel name\t: Some CPU\ncpu MHz\t\t: 2000\nflags\t\t: fpu avx2\n\nflags: Other\n",
        "sys/devices/system/cpu/cpu0/cache/index0/type": "Data\n",
        "sys/devices/system/cpu/cpu0/cache/index0/level": "1\n",
        "sys/devices/system/cpu/cpu0/cache/index0/size": "48K\n",
        "sys/devices/system/cpu/cpu0/cache/index0/shared_cpu_map": "0000,00000003\n",
        "sys/devices/system/cpu/cpu1/cpufreq/scaling_governor": "powersave\n",
        "sys/devices/system/cpu/cpu10/cpufreq/scaling_governor": "performance\n",
        "proc/stat": "cpu  1 2 3 4 5 6 7 8 9 10\ncpu0 0 0 0 0 0 0 0 0 0 0\n",
        "sys/devices/system/cpu/cpu1/cpufreq/scaling_cur_freq": "2400500\n",
        "sys/devices/system/cpu/cpu0/topology/physical_package_id": "0\n",
        "sys/devices/system/cpu/cpu1/topology/physical_package_id": "0\n",
        "sys/devices/system/cpu/cpu10/topology/physical_package_id": "1\n",
        "sys/devices/system/cpu/cpu0/thermal_throttle/package_throttle_count": "5\n",
        "sys/devices/system/cpu/cpu1/thermal_throttle/package_throttle_count": "5\n",
        "sys/devices/system/cpu/cpu10/thermal_throttle/package_throttle_count": "7\n",
        "sys/devices/system/cpu/cpuidle/cpufreq/scaling_governor": "none\n",
      ]
      for (name, text) in files {
        let file = folder.appending(path: name)
        try FileManager.default.createDirectory(
          at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
      }
      let machine = MachineFiles(root: folder.path + "/")
      #expect(machine.flags == "fpu avx2" && machine.megahertz == 2000)
      #expect(machine.caches == [Machine.Cache(type: "Data", level: 1, size: 48 << 10, sharing: 2)])
      #expect(machine.governors == ["powersave", "performance"])
      // The busy ticks are user, nice, system, irq and softirq. The stolen ticks are steal.
      #expect(machine.ticks?.busy == 1 + 2 + 3 + 6 + 7 && machine.ticks?.stolen == 8)
      #expect(machine.throttles == 12)
      // `cpu` is an index into the folders cpu0, cpu1 and cpu10. Only cpu1 has a file with its clock rate.
      #expect(machine.currentMegahertz(cpu: 1) == 2400.5 && machine.currentMegahertz(cpu: 2) == nil)
      let highest = folder.appending(path: "sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq")
      try FileManager.default.createDirectory(
        at: highest.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data("3500000\n".utf8).write(to: highest)
      #expect(MachineFiles(root: folder.path + "/").megahertz == 3500)
    }
    let nowhere = MachineFiles(root: "/nowhere/")
    #expect(nowhere.ticks == nil && nowhere.throttles == nil && nowhere.currentMegahertz(cpu: 0) == nil)
    #expect(MachineFiles(root: "/nowhere/").caches.isEmpty && MachineFiles(root: "/nowhere/").megahertz == 0)
  }

  @Test("The machine's key depends on model, cores and instruction set, but not on clock rate or names")
  func machineKey() {
    var machine = Machine()
    machine.model = "Some CPU"
    machine.cores = 2
    machine.isa = .avx2
    let key = machine.key
    machine.megahertz = 3000
    machine.hostName = "elsewhere"
    machine.loadAverage = [1]
    #expect(machine.key == key && key.count == 16)
    machine.cores = 4
    #expect(machine.key != key)
  }

  @Test("The warnings mention a busy machine and a clock rate that varies")
  func warnings() {
    var machine = Machine()
    machine.cores = 4
    machine.loadAverage = [2]
    #expect(!machine.warnings.contains { $0.contains("load") })
    machine.loadAverage = [2.5]
    machine.governor = "powersave"
    #expect(machine.warnings.contains { $0.contains("load average is 2.50 on 4 cores") })
    #expect(machine.warnings.contains { $0.contains("powersave") })
    machine.governor = "performance"
    machine.isScaling = true
    #expect(machine.warnings.contains { $0.contains("scaling") })
  }
}
