import Blur
import BlurRecords
import Foundation

/// Measures kernels from external libraries inside a worker process. Such a kernel may crash. Because it runs
/// in a separate process, the process that started the worker survives.
public struct Worker {
  private let folder: WorkerFolder

  /// The jobs to measure and the settings for measuring them.
  public let request: WorkerRequest

  /// Reads the request from a folder that ``IsolatedRunner`` has created.
  ///
  /// - Throws: ``MeasurementError/file(path:reason:)`` if there is no valid request.
  public init(folder path: String) throws(MeasurementError) {
    folder = WorkerFolder(at: path)
    do {
      request = try JSONDecoder().decode(WorkerRequest.self, from: Data(contentsOf: folder.request))
    } catch {
      throw .file(path: path, reason: "does not contain a request that this program can read")
    }
  }

  /// Measures all jobs with the given kernels, and writes the records of each job to the journal when the job
  /// ends.
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
