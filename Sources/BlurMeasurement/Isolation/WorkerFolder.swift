import BlurRecords
import BlurText
import Foundation

/// A request to a worker to measure jobs.
public struct WorkerRequest: Codable, Sendable {
  /// The names of the cases, with one list for each job. The cases of a job blur the same image and are timed
  /// alternately.
  public var jobs: [[String]]
  /// The shared libraries whose kernels take part in addition to the kernels of the Blur library.
  public var libraries: [String]
  var settings: TimingSettings
  var maxCaseSeconds: Double
  var certifySeconds: Double
  var seed: UInt64
  var machineKey: String

  /// Creates a request to measure `jobs` with the given options.
  public init(_ jobs: [Job], libraries: [String], _ options: RunnerOptions) {
    self.jobs = jobs.map { $0.cases.map(\.name) }
    self.libraries = libraries
    settings = options.settings
    maxCaseSeconds = options.maxCaseSeconds
    certifySeconds = options.certifySeconds
    seed = options.seed
    machineKey = options.machineKey
  }

  var options: RunnerOptions {
    var options = RunnerOptions(
      settings: settings, maxCaseSeconds: maxCaseSeconds, certifySeconds: certifySeconds, seed: seed,
      machineKey: machineKey)
    options.countsThreads = true
    return options
  }

  /// Returns the jobs to measure. The request holds only the names of the cases, so the jobs are rebuilt from
  /// these names.
  func measuredJobs() throws(MeasurementError) -> [Job] {
    try jobs.map { (names) throws(MeasurementError) in
      let cases = try names.map { (name) throws(MeasurementError) in try Case(name: name) }
      guard let workload = cases.first?.workload else {
        throw .failed("internal error: a job in the request has no cases")
      }
      return Job(workload: workload, cases: cases)
    }
  }
}

/// The folder through which a worker and its parent process communicate. It holds the request, the page that
/// says which case is running, and the journal of finished jobs. Messages do not use the worker's standard
/// output, because kernels may print to it.
struct WorkerFolder {
  let url: URL

  var request: URL { url.appending(path: "request.json") }
  var page: String { url.appending(path: "page").path }
  var journal: URL { url.appending(path: "journal") }

  /// The line in the journal that marks the end of a job.
  static let endOfJob = "end"

  /// Creates a folder for communicating with a new worker, and writes the request to the worker into the
  /// folder.
  init(_ request: WorkerRequest) throws(MeasurementError) {
    url = FileManager.default.temporaryDirectory.appending(path: "blurbench-\(UUID())")
    do {
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
      try Data(JSONDocument.line(of: request).utf8).write(to: self.request)
      try Data().write(to: journal)
    } catch { throw .file(path: url.path, reason: error.localizedDescription) }
  }

  /// Opens the folder in which the parent process has stored the request. The worker got the path on its
  /// command line.
  init(at path: String) { url = URL(filePath: path) }

  func remove() { try? FileManager.default.removeItem(at: url) }
}
