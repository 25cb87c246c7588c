import BlurRecords
import BlurText
import Foundation

/// What a worker is asked to measure.
public struct WorkerRequest: Codable, Sendable {
  /// The names of the cases of each job.
  public var jobs: [[String]]
  /// Shared libraries whose kernels take part, besides those of the library.
  public var libraries: [String]
  var settings: TimingSettings
  var maxCaseSeconds: Double
  var certifySeconds: Double
  var seed: UInt64
  var machineKey: String

  /// Asks for jobs to be measured in a certain way.
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

  /// The jobs, read back from their names.
  func measuredJobs() throws(MeasurementError) -> [Job] {
    try jobs.map { (names) throws(MeasurementError) in
      let cases = try names.map { (name) throws(MeasurementError) in try Case(name: name) }
      guard let workload = cases.first?.workload else { throw .failed("a job without cases") }
      return Job(workload: workload, cases: cases)
    }
  }
}

/// The folder through which a worker and the process that watches it speak: the request, the page that says
/// which case runs, and the journal of what is finished. The worker's own output is free for kernels to write
/// to.
struct WorkerFolder {
  let url: URL

  var request: URL { url.appending(path: "request.json") }
  var page: String { url.appending(path: "page").path }
  var journal: URL { url.appending(path: "journal") }

  /// The line that ends a job in the journal.
  static let endOfJob = "end"

  /// Makes a new folder with a request in it.
  init(_ request: WorkerRequest) throws(MeasurementError) {
    url = FileManager.default.temporaryDirectory.appending(path: "blurbench-\(UUID())")
    do {
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
      try Data(JSONDocument.line(of: request).utf8).write(to: self.request)
      try Data().write(to: journal)
    } catch { throw .file(path: url.path, reason: error.localizedDescription) }
  }

  /// The folder that a worker is told.
  init(at path: String) { url = URL(filePath: path) }

  func remove() { try? FileManager.default.removeItem(at: url) }
}
