import Blur
import BlurRecords
import Foundation

/// The side of a measurement that runs external code and may die of it.
public struct Worker {
  private let folder: WorkerFolder

  /// What is to be measured.
  public let request: WorkerRequest

  /// Reads the request in a folder that ``IsolatedRunner`` made.
  ///
  /// - Throws: ``MeasurementError/file(path:reason:)``.
  public init(folder path: String) throws(MeasurementError) {
    folder = WorkerFolder(at: path)
    do {
      request = try JSONDecoder().decode(WorkerRequest.self, from: Data(contentsOf: folder.request))
    } catch {
      throw .file(path: path, reason: "holds no request that this program understands")
    }
  }

  /// Measures all jobs with these kernels and writes each job's records to the journal when it ends.
  public func run(
    kernels: [Kernel], _ stopwatch: some Stopwatch = GoogleBenchmark(watch: DisturbanceWatch())
  ) throws(MeasurementError) {
    let page = try SharedPage(folder.page, names: request.jobs.flatMap { $0 })
    page.reportFaults()
    let journal: FileHandle
    do { journal = try FileHandle(forWritingTo: folder.journal) } catch {
      throw .file(path: folder.journal.path, reason: error.localizedDescription)
    }
    try Runner(stopwatch, request.options, kernels: kernels, observer: page)
      .run(try request.measuredJobs()) { (records) throws(MeasurementError) in
        let text = RecordsCSV.lines(records) + WorkerFolder.endOfJob + "\n"
        do { try journal.write(contentsOf: Data(text.utf8)) } catch {
          throw .file(path: folder.journal.path, reason: error.localizedDescription)
        }
      }
  }
}
