import Blur
import Foundation

@testable import BlurMeasurement
@testable import BlurRecords

extension FuzzTarget {
  /// CSV files of records. Records that can be read must be written again as the same text, and must be
  /// ranked and shown without a crash.
  static let recordsCSV = FuzzTarget(
    name: "records-csv",
    seeds: { [Array((RecordsCSV.header + RecordsCSV.lines(sampleRecords)).utf8)] },
    run: { bytes in
      let text = String(decoding: bytes, as: UTF8.self)
      do throws(MeasurementError) {
        let records = try RecordsCSV.read(text, path: "f.csv")
        checkWriting(records)
        _ = (ResultTable(records).text, Winners(records).text(colour: true))
        let ranking = Ranking(records)
        _ = (ranking.text, ranking.csv)
      } catch {
        require(error.description.hasPrefix("f.csv: "), "an error that names no file: \(error)")
      }
    })

  /// JSON: the request that a server reads, and the documents that contain records.
  static let recordsJSON = FuzzTarget(
    name: "records-json",
    seeds: {
      let cases = sampleRecords.compactMap(\.item)
      let options = RunnerOptions(
        settings: TimingSettings(repetitions: 2, minTime: 0.1, warmUp: 0), machineKey: "feed")
      let job = Job(workload: cases[0].workload, cases: cases)
      return [
        Array(try JSONEncoder().encode(ServerRequest.measure(jobs: [job], options: options))),
        Array(cases[0].name.utf8), Array("\"\\\u{1}\n\u{2028}é".utf8),
      ]
    },
    run: { bytes in
      _ = try? JSONDecoder().decode(ServerRequest.self, from: Data(bytes))
      var record = Record(name: String(decoding: bytes, as: UTF8.self))
      record.realTime = 1234.5
      record.errorMessage = record.name
      checkDocument([record])
    })

  static var sampleRecords: [Record] {
    var record = Record(
      name: "BM_Blur/kernel=simd/isa=avx2/threads=1/format=gray8/size=64x48/sigma=2/edge=clamp")
    record.iterations = 7
    record.realTime = 1234.5
    record.cpuTime = 1200
    record.memcpyRatio = 3
    record.maxErrorLevels = 0.25
    record.psnr = 58.9
    record.outputHash = "00ff"
    record.isa = "avx2"
    record.repetition = 0
    record.machineKey = "feed"
    return [record, record.wrong("said \"no\", twice"), record.skipped("never")]
  }

  /// Checks that the text of records that were read can be read again, and then gives the same text.
  private static func checkWriting(_ records: [Record]) {
    let text = RecordsCSV.header + RecordsCSV.lines(records)
    guard let again = try? RecordsCSV.read(text, path: "again") else {
      fatalError("what was read and written cannot be read:\n\(text)")
    }
    let written = RecordsCSV.header + RecordsCSV.lines(again)
    require(written == text, "written, read and written again:\n\(text)\n\(written)")
    checkDocument(records)
  }

  /// Checks that a document of records is valid JSON with the names of these records.
  private static func checkDocument(_ records: [Record]) {
    let text = RecordsJSON.document(records, context: .object([("date", .string("today"))]))
    let parsed = try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
    let runs = parsed?["benchmarks"] as? [[String: Any]]
    let names = records.filter { !$0.isSkipped }.map(\.name)
    require(runs?.map { $0["name"] as? String } == names, "not the JSON of these names:\n\(text)")
  }
}
