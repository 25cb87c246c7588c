import Blur
import Foundation
import TestSupport
import Testing

@testable import BlurRecords

@Suite("Tables")
struct TableTests {
  /// Returns the records of some kernels and memcpy on one thread, and of one kernel on two threads.
  func records() throws -> [Record] {
    let jobs = [
      try Fixture.job("steady", "seamed", "refusing", "drifting"), try Fixture.job("steady", threads: 2),
    ]
    return try Fixture.records(jobs) { item in
      switch item.kernel {
      case Case.memcpy: 1e5
      case "steady": item.workload.threads == 1 ? 3e6 : 1.6e6
      default: 2e6
      }
    }.flatMap { $0 }
  }

  func table() throws -> ResultTable { ResultTable(try records()) }

  @Test("Cases are sorted by median time, with ratio and error, within 100 columns")
  func blocks() throws {
    let lines = try table().text.split(separator: "\n").map(String.init)
    #expect(lines[0] == "gray8 20x10 stride 23, sigma 2, clamp")
    let cells = lines[2..<9].map { $0.split(separator: " ").map(String.init) }
    #expect(
      cells.map(\.[0]) == ["memcpy", "memcpy", "steady", "seamed", "steady", "refusing", "drifting"])
    // The line contains the median of 3, 3.3 and 3.6 ms, and their range. It also contains the ratio to
    // memcpy, which took 0.1 to 0.12 ms.
    #expect(cells[4].contains("3.300") && cells[4].contains("3.000–3.600") && cells[4].contains("25.0–36.0"))
    #expect(cells[4].last == "100.500" && cells[2][2] == "2")
    #expect(lines[7].contains("SKIPPED: ") && lines[7].contains("in tests"))
    #expect(lines[8].contains("WRONG: "))
    #expect(lines.allSatisfy { $0.count <= 100 && $0.last != " " })
  }

  @Test("Blurs once per frame show all repetitions, and the interval of their jitter")
  func frames() throws {
    var job = try Fixture.job("steady")
    job.workload.pace = .at120Hz
    let item = Case(kernel: "steady", isa: .baseline, workload: job.workload)
    // The first repetition has a jitter of 9 ms, and the others have about 1 ms.
    let records = [9.0, 1, 1.2].enumerated().map { repetition, jitter in
      var record = Record(item, machineKey: "feed")
      record.repetition = repetition
      record.realTime = 2e6
      record.frames = FrameFigures(times: [2e6, 2e6, 2e6 + jitter * 1e6])
      record.frames.jitter = jitter * 1e6
      return record
    }
    let text = ResultTable(records).text
    let line = try #require(text.split(separator: "\n").first { $0.contains("steady") })
    // The line of the table contains the median jitter and its interval over the three repetitions. The
    // longest frame, and the number of frames over 8.33 ms, are counted over all repetitions.
    #expect(line.contains(" 1.200 (1.000–9.000)") && line.contains(" 11.0 ") && line.contains(" 2.000 "))
    #expect(line.split(separator: " ").contains("1"))
    #expect(text.contains("medians over the repetitions") && !text.contains("x memcpy"))
  }

  @Test("Without records there is no table")
  func nothing() {
    #expect(ResultTable([]).text.isEmpty && Winners([]).text(colour: true).isEmpty)
  }
}

@Suite("The fastest kernel of each workload")
struct WinnersTests {
  /// Returns the matrix for kernels with these times, in milliseconds, and errors, in levels. Each sample
  /// takes a tenth longer than the one before.
  func matrix(_ cells: [(sigma: Double, kernels: [(name: String, time: Double, levels: Double)])]) throws
    -> Winners
  {
    var records: [Record] = []
    for cell in cells {
      for kernel in cell.kernels {
        let new = try Fixture.records([try Fixture.job(kernel.name, sigma: cell.sigma)]) { item in
          item.kernel == Case.memcpy ? 1e4 : kernel.time * 1e6
        }
        records += new.joined().map { record in
          var record = record
          if !record.isCopy { record.maxErrorLevels = kernel.levels }
          return record
        }
      }
    }
    return Winners(records)
  }

  @Test("The fastest kernel within one level wins, and ties with kernels whose intervals overlap its own")
  func winners() throws {
    let matrix = try matrix([
      (1, [("steady", 1, 1), ("seamed", 1.15, 1), ("slow", 1.5, 0)]),
      (5, [("steady", 2, 1), ("seamed", 1, 7), ("slow", 4, 1)]), (20, [("seamed", 1, 2)]),
    ])
    let lines = matrix.text(colour: false).split(separator: "\n").map(String.init)
    #expect(
      lines[0]
        == "steady is fastest or tied in 2 of 3 workloads, among the kernels within 1 level of the true "
        + "Gaussian.")
    #expect(
      lines[1]
        == "Also fastest or tied: seamed in 1. "
        + "In 1 of 3 workloads, no kernel is within 1 level of the true Gaussian.")
    #expect(lines[2].split(separator: " ") == ["sigma", "1", "sigma", "5", "sigma", "20"])
    #expect(lines[3].hasPrefix("gray8 20x10 stride 23  1.1 ms steady, seamed  2.2 ms steady  none"))
    #expect(lines.count == 4)
    let ties = [("steady", 1.0, 1.0), ("seamed", 1, 1), ("third", 1, 1), ("fourth", 1, 1)]
    #expect(try self.matrix([(1, ties)]).text(colour: false).contains(/1\.1 ms [a-z]+, [a-z]+ and 2 more/))
    let three = try self.matrix([(1, Array(ties.prefix(3)))]).text(colour: false)
    #expect(three.contains(/1\.1 ms [a-z]+, [a-z]+, [a-z]+\n/) && !three.contains("more"))
  }

  @Test("The Markdown has a cell for each format, size and sigma")
  func markdown() throws {
    let matrix = try matrix([(1, [("steady", 1, 1)]), (5, [("seamed", 2, 1)])])
    let rows = matrix.markdown.split(separator: "\n").filter { $0.hasPrefix("|") }
    #expect(rows[0] == "|  | sigma 1 | sigma 5 |" && rows[1] == "| --- | --- | --- |")
    #expect(rows[2] == "| gray8 20x10 stride 23 | 1.1 ms steady | 2.2 ms seamed |" && rows.count == 3)
    #expect(Winners([]).markdown.isEmpty)
  }

  @Test("Blurs at another pace have their own rows, and the width of the intervals is reported")
  func paces() throws {
    let records = try [Pace.warm, .cold].flatMap { pace in
      try Fixture.records([try Fixture.job("steady")]).joined().map { record in
        var item = try #require(record.item)
        item.workload.pace = pace
        var copy = Record(item, machineKey: "feed")
        (copy.realTime, copy.repetition) = (record.realTime, record.repetition)
        copy.maxErrorLevels = 0
        return copy
      }
    }
    let matrix = Winners(records)
    let rows = matrix.text(colour: false).split(separator: "\n").filter { $0.hasPrefix("gray8") }
    #expect(rows.count == 2 && rows[0].hasPrefix("gray8 20x10 stride 23  "))
    #expect(rows[1].hasPrefix("gray8 20x10 stride 23, cold  "))
    // The samples are 1, 1.1 and 1.2, so the interval reaches 0.1 / 1.1 = 9.1 % to either side.
    #expect(matrix.precision.contains("is ±9.1 %, and the widest is ±9.1 %"))
    #expect(Winners([]).precision.isEmpty)
  }

  /// README.md shows the output that `Bench/run` printed in a first run. The committed records come from the
  /// same run.
  @Test("The committed output of a first run matches its committed records")
  func committed() throws {
    let results = Program.package.appending(path: "Results")
    let names = try FileManager.default.subpathsOfDirectory(atPath: results.path)
    let outputs = names.filter { $0.hasSuffix("-quick-output.txt") && !$0.hasPrefix("local/") }
    #expect(!outputs.isEmpty)
    for name in outputs {
      let file = results.appending(path: name.replacing("-output.txt", with: ".csv"))
      let records = try RecordsCSV.read(at: file.path)
      let text = try TextFile.text(at: results.appending(path: name).path)
      let matrix = Winners(records).text(colour: false)
      #expect(!matrix.isEmpty && text.hasPrefix(matrix), "\(name)")
    }
  }

  @Test("Single winners are green, ties are yellow, and colours change no letter")
  func colours() throws {
    let matrix = try matrix([
      (1, [("steady", 1, 1), ("seamed", 1.15, 1)]), (5, [("steady", 1, 1), ("seamed", 3, 1)]),
    ])
    let text = matrix.text(colour: true)
    #expect(text.contains("\u{1B}[33m1.1 ms steady, seamed\u{1B}[0m"))
    #expect(text.contains("\u{1B}[32m1.1 ms steady\u{1B}[0m"))
    #expect(text.replacing(/\u{1B}\[\d+m/, with: "") == matrix.text(colour: false))
  }

  @Test("Sigmas that do not fit go into further blocks, and no block is wider than 100 columns")
  func wide() throws {
    let text = try matrix((1...12).map { (Double($0), [("a-kernel", 1, 1)]) }).text(
      colour: false)
    // The verdict before the blocks is a sentence, which a terminal may wrap.
    let blocks = text.split(separator: "\n\n").dropFirst()
    #expect(
      blocks.count > 1 && blocks.joined(separator: "\n").split(separator: "\n").allSatisfy { $0.count <= 100 }
    )
    for sigma in 1...12 { #expect(text.contains("sigma \(sigma) ") || text.contains("sigma \(sigma)\n")) }
  }
}
