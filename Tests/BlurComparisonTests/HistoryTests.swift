import Blur
import BlurRecords
import Foundation
import TestSupport
import Testing

@testable import BlurComparison

@Suite("The history of times over many dates")
struct HistoryTests {
  private static let workload = Workload(
    threads: 1, layout: try! ImageLayout(.gray8, width: 64, height: 48), sigma: 2, edge: .clamp)
  private static let simd = Case(kernel: "simd", isa: .baseline, workload: workload)
  private static let box = Case(kernel: "box-triple", isa: .baseline, workload: workload)
  private static let memcpy = Case.copying(workload)

  /// Returns the records of three repetitions of each case, whose times are about those given, in
  /// milliseconds.
  private func records(_ times: [Case: Double], seed: Int, key: String = "a1") -> [Record] {
    var noise = Noise(.uniform, seed: seed)
    return times.sorted { $0.key.name < $1.key.name }.flatMap { item, time in
      (0..<3).map { repetition in
        var record = Record(item, machineKey: key)
        record.realTime = time * 1e6 * (1 + 0.01 * noise.next())
        record.repetition = repetition
        return record
      }
    }
  }

  /// Returns the record files of `count` consecutive days. `times` returns each case's time on a day, in
  /// milliseconds.
  private func files(_ count: Int, _ times: (Int) -> [Case: Double]) -> [DatedRecords] {
    (0..<count).map { day in
      DatedRecords(
        path: "day\(day).csv", date: Date(timeIntervalSince1970: 86_400 * Double(day)),
        records: records(times(day), seed: day))
    }
  }

  private func trend(_ item: Case, in history: History) throws -> History.Trend {
    try #require(history.trends.first { $0.name == item.name })
  }

  @Test("A case that became slower is reported with the first file after the step")
  func slower() throws {
    let history = try History(
      files(14) { [Self.simd: $0 < 9 ? 2 : 3, Self.box: 5, Self.memcpy: 0.1] }.shuffled())
    #expect(history.files.map(\.path) == (0..<14).map { "day\($0).csv" })
    let simd = try trend(Self.simd, in: history)
    #expect(simd.steps.map(\.file) == ["day9.csv"])
    let step = try #require(simd.steps.first)
    #expect(abs(step.change - 0.5) < 0.03 && !step.isOfMachine)
    #expect(try trend(Self.box, in: history).steps.isEmpty)
    #expect(history.outcome == .regressed)
    #expect(history.text.contains("+50 % from day9.csv on"))
    #expect(history.text.contains("▁▁▁▁▁▁▁▁▁█████"))
    #expect(history.sentence == "Regression: 1 of 2 cases in 14 files became slower")
    #expect(history.text.contains("\n\nvalues: the number of files with a time of the case. trend: "))
    #expect(history.text.hasSuffix("\nIf this is intended, accept it with --since 1970-01-10\n"))
  }

  @Test("The nightly workflow finds the date that accepts a step")
  func nightly() throws {
    let file = Program.package.appending(path: "docs/Examples/CI/nightly.yml")
    let workflow = try String(contentsOf: file, encoding: .utf8)
    // The workflow replaces the words before the date.
    let words = try #require(workflow.firstMatch(of: #/sed -i 's/([^/]+)/#)).output.1
    let history = try History(files(14) { [Self.simd: $0 < 9 ? 2 : 3] })
    #expect(history.text.hasSuffix("\(words)1970-01-10\n"))
  }

  @Test("A case missing in the last files of its suite is undecided until its absence is accepted")
  func missing() throws {
    func history(_ last: Double, since: Double? = nil, other: Bool = false) throws -> History {
      let days = files(14) { day in
        let all = [Self.simd: 2, Self.box: 5, Self.memcpy: 0.1]
        return Double(day) < last ? all : other ? [Self.memcpy: 0.1] : all.filter { $0.key != Self.box }
      }
      return try History(days, since: since.map { Date(timeIntervalSince1970: 86_400 * $0) })
    }
    let found = try history(10)
    #expect(found.outcome == .cannotTell)
    #expect(found.sentence == "Cannot tell: 1 of 2 cases in 14 files has no time in the last file")
    #expect(found.text.contains("no time since 1970-01-11"))
    #expect(found.text.hasSuffix("\nIf this is intended, accept it with --since 1970-01-11\n"))
    #expect(try history(14).outcome == .good)
    #expect(try history(10, since: 9).outcome == .cannotTell && history(10, since: 10).outcome == .good)
    // If the later files contain no kernels at all, they were measured with another suite. The cases that
    // these files lack are then not reported as missing.
    #expect(try history(10, other: true).outcome == .good)
  }

  @Test("Steps below the threshold, and steps to faster times, are no regressions")
  func good() throws {
    let slightly = files(14) { [Self.simd: $0 < 7 ? 2 : 2.4, Self.box: $0 < 7 ? 5 : 3] }
    let history = try History(slightly)
    #expect(try trend(Self.simd, in: history).steps.isEmpty)
    let step = try #require(trend(Self.box, in: history).steps.first)
    #expect(abs(step.change + 0.4) < 0.02)
    #expect(history.outcome == .good)
    #expect(!history.text.contains("intended"))
    #expect(try History(slightly, threshold: 0.1).outcome == .regressed)
  }

  @Test("A step that was undone or accepted is reported but passes, and a step half undone fails")
  func undone() throws {
    func history(_ last: Double, since: Date? = nil) throws -> History {
      let days = files(28) { [Self.simd: $0 < 9 ? 2 : $0 < 17 ? 4 : last, Self.box: 5] }
      return try History(days, threshold: 0.3, since: since)
    }
    let fixed = try history(2)
    #expect(try trend(Self.simd, in: fixed).steps.map(\.isUndone) == [true, false])
    #expect(fixed.outcome == .good && fixed.text.contains("+100 % from day9.csv on, undone; -50 %"))
    #expect(fixed.sentence.contains("; 1 case had a slowdown that was later undone or accepted"))
    let half = try history(3)
    #expect(half.outcome == .regressed && half.sentence.contains("1 of 2 cases"))
    // The slowdown begins on day 9. To accept it, the user names day 9 or a later date. An earlier date does
    // not accept it.
    let day = { (number: Double) in Date(timeIntervalSince1970: 86_400 * number) }
    #expect(try history(4, since: day(8)).outcome == .regressed)
    #expect(try history(4, since: day(10)).outcome == .good)
    let accepted = try history(4, since: day(9))
    #expect(accepted.outcome == .good && accepted.text.contains("+100 % from day9.csv on, accepted"))
    #expect(try history(8, since: day(10)).outcome == .regressed)
  }

  @Test("A step that memcpy shows as well is blamed on the machine")
  func machine() throws {
    let history = try History(
      files(12) { [Self.simd: $0 < 6 ? 2 : 3, Self.box: $0 < 6 ? 6 : 4, Self.memcpy: $0 < 6 ? 0.1 : 0.15] })
    #expect(try trend(Self.simd, in: history).steps.map(\.isOfMachine) == [true])
    // The times of this case became shorter while the machine became slower, so the machine cannot be the
    // cause.
    #expect(try trend(Self.box, in: history).steps.map(\.isOfMachine) == [false])
    #expect(history.outcome == .cannotTell)
    #expect(history.text.contains("+50 % from day6.csv on: the machine itself changed"))
  }

  @Test("A step that the fixed loop of arithmetic explains is blamed on the machine, but not a larger one")
  func clock() throws {
    func history(_ box: Double) throws -> History {
      let days = files(12) { [Self.simd: $0 < 6 ? 2 : 3, Self.box: $0 < 6 ? 2 : box, Self.memcpy: 0.1] }
      return try History(
        days.enumerated().map { day, file in
          let records = file.records.map { record in
            var record = record
            record.probeTime = (day < 6 ? 5000 : 7500) + Double(day)
            return record
          }
          return DatedRecords(path: file.path, date: file.date, records: records)
        })
    }
    let slower = try history(3)
    #expect(slower.trends.flatMap(\.steps).map(\.isOfMachine) == [true, true])
    #expect(slower.outcome == .cannotTell)
    let broken = try history(9)
    #expect(try trend(Self.simd, in: broken).steps.map(\.isOfMachine) == [true])
    #expect(try trend(Self.box, in: broken).steps.map(\.isOfMachine) == [false])
    #expect(broken.outcome == .regressed)
  }

  /// The factors of the times on one day. A factor of nil means that the time was not measured.
  struct Day {
    var simd: Double? = 1
    var others = 1.0, memcpy = 1.0
    var probe: Double? = 1
  }

  /// A series of days in which the machine explains all, a part or nothing of the change of a case.
  struct MachineShare: CustomTestStringConvertible, Sendable {
    let testDescription: String, outcome: Comparison.Outcome, day: @Sendable (Int) -> Day
    init(_ name: String, _ outcome: Comparison.Outcome, _ day: @escaping @Sendable (Int) -> Day) {
      (testDescription, self.outcome, self.day) = (name, outcome, day)
    }
  }

  static let machineShares: [MachineShare] = [
    MachineShare("a real slowdown, then a faster machine", .regressed) { day in
      let machine = day < 14 ? 1 : 1 / 1.5
      return Day(simd: (day < 7 ? 1 : 1.5) * machine, others: machine, memcpy: machine, probe: machine)
    },
    MachineShare("a machine that recovers", .good) { day in
      let machine = (8..<16).contains(day) ? 1.5 : 1
      return Day(simd: machine, others: machine, memcpy: machine, probe: machine)
    },
    MachineShare("a machine that recovers, but not the case", .regressed) { day in
      let machine = (8..<16).contains(day) ? 1.5 : 1
      return Day(simd: day < 8 ? 1 : 1.5, others: machine, memcpy: machine, probe: machine)
    },
    MachineShare("slow copies and a case not limited by memory", .regressed) { day in
      Day(simd: day < 10 ? 1 : 1.5, memcpy: day < 10 ? 1 : 1.5)
    },
    MachineShare("a case that is measured every third day", .cannotTell) { day in
      let machine = day < 15 ? 1 : 1.5
      return Day(simd: day % 3 == 2 ? machine : nil, others: machine, memcpy: machine, probe: machine)
    },
    MachineShare("a loop that was not timed around the step", .cannotTell) { day in
      let machine = day < 10 ? 1 : 1.5
      return Day(simd: machine, others: machine, probe: (9...12).contains(day) ? nil : machine)
    },
    MachineShare("a step of the machine below the threshold", .cannotTell) { day in
      Day(simd: day < 10 ? 1 : 1.35, others: day < 10 ? 1 : 1.35, probe: day < 10 ? 1 : 1.25)
    },
  ]

  @Test(
    "The machine explains a step only as far as its own steps go, at the same time and for as long",
    arguments: machineShares)
  func machineShare(_ share: MachineShare) throws {
    let others = ["box-triple", "a", "b"].map { Case(kernel: $0, isa: .baseline, workload: Self.workload) }
    let days = files(30) { number in
      let factors = share.day(number)
      var times = Dictionary(uniqueKeysWithValues: others.map { ($0, 5 * factors.others) })
      times[Self.memcpy] = 0.1 * factors.memcpy
      times[Self.simd] = factors.simd.map { 2 * $0 }
      return times
    }
    let timed = days.enumerated().map { number, file in
      let records = file.records.map { record in
        var record = record
        record.probeTime = share.day(number).probe.map { $0 * (5000 + Double(number % 5)) }
        return record
      }
      return DatedRecords(path: file.path, date: file.date, records: records)
    }
    #expect(try History(timed).outcome == share.outcome)
  }

  @Test("A history with too few times, or none, is undecided")
  func few() throws {
    let few = try History(files(7) { [Self.simd: $0 < 4 ? 2 : 4] })
    #expect(few.outcome == .cannotTell)
    #expect(few.sentence.hasPrefix("Cannot tell: each of 1 case in 7 files has fewer than 8 times"))
    #expect(try History([]).outcome == .cannotTell)
    let new = try History(files(8) { $0 < 7 ? [Self.simd: 2] : [Self.simd: 2, Self.box: 9] })
    #expect(new.outcome == .good)
    #expect(new.sentence.contains("2 cases in 8 files; 1 case has fewer than 8 times"))
  }

  @Test("Errors and skips leave gaps, which count in the index of a step")
  func gaps() throws {
    let wrong = files(15) { $0 == 2 ? [:] : [Self.simd: $0 < 8 ? 2 : 3] }.enumerated().map { day, file in
      let records = file.records.map { record in
        var record = record
        if day == 4 { record.errorOccurred = true }
        return record
      }
      return DatedRecords(path: file.path, date: file.date, records: records)
    }
    let simd = try trend(Self.simd, in: History(wrong))
    #expect(simd.times.map { $0 == nil } == (0..<15).map { $0 == 2 || $0 == 4 })
    #expect(simd.steps.map(\.file) == ["day8.csv"])
    #expect(try abs(#require(simd.change) - 0.5) < 0.06)
    #expect(try History(wrong).text.contains("▁▁·▁·▁▁▁███████"))
  }

  @Test("A single step stands out among a hundred cases, and the noise of the others shows none")
  func many() throws {
    let cases = (0..<100).map { Case(kernel: "kernel-\($0)", isa: .baseline, workload: Self.workload) }
    var noise = Noise(seed: 6)
    let history = try History(
      files(16) { day in
        Dictionary(
          uniqueKeysWithValues: cases.enumerated().map {
            ($1, exp(0.2 * noise.next()) * ($0 == 31 && day >= 8 ? 4 : 1))
          })
      }, threshold: 0)
    #expect(history.trends.filter { !$0.steps.isEmpty }.map(\.name) == [cases[31].name])
  }

  @Test("Records of different machines are rejected by name")
  func machines() {
    let files = ["a1", "b2"].map {
      DatedRecords(path: "\($0).csv", date: .now, records: records([Self.simd: 2], seed: 1, key: $0))
    }
    #expect(
      throws: MeasurementError.failed(
        "records measured on different machines are not compared: a1.csv (key a1), b2.csv (key b2)")
    ) { try History(files) }
    #expect(throws: MeasurementError.self) { try History([], threshold: -1) }
    #expect(throws: MeasurementError.self) { try History([], rate: .nan) }
  }

  @Test("A file measured by two builds is rejected by name, but each date may have its own build")
  func builds() throws {
    var days = files(2) { _ in [Self.simd: 2] }
    var second = days[1].records
    for index in second.indices { second[index].build = "b2" }
    days[1] = DatedRecords(path: "day1.csv", date: days[1].date, records: second)
    #expect(try History(days).trends.count == 1)
    second[0].build = "b3"
    days[1] = DatedRecords(path: "day1.csv", date: days[1].date, records: second)
    let error = #expect(throws: MeasurementError.self) { try History(days) }
    #expect(error?.description.contains("day1.csv was measured by several builds") == true)
  }

  @Test("The CSV and JSON forms contain every time")
  func forms() throws {
    let history = try History(files(9) { [Self.simd: $0 < 4 ? 1 : 2] })
    let lines = history.csv.split(separator: "\n")
    #expect(lines.count == 10)
    #expect(lines[0] == "name,file,date,median_ns,step,p,is_of_machine,is_undone,is_accepted")
    #expect(lines[1].hasPrefix("\(Self.simd.name),day0.csv,1970-01-01T00:00:00Z,"))
    #expect(lines[1].hasSuffix(",,,,,") && !lines[5].hasSuffix(",,,,,"))
    let object = try JSONSerialization.jsonObject(with: Data(history.json().utf8))
    let members = try #require(object as? [String: Any])
    #expect(members["outcome"] as? String == "regressed")
    let trends = try #require(members["trends"] as? [[String: Any]])
    let steps = try #require(trends.first?["steps"] as? [[String: Any]])
    #expect(steps.map { $0["file"] as? String } == ["day4.csv"])
    #expect(steps.map { $0["is_of_machine"] as? Bool } == [false])
  }
}
