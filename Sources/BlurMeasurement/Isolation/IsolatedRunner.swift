import Blur
import BlurRecords
import BlurText
import Foundation

/// Measures kernels in a separate process. If a kernel crashes, hangs or ends the process, only its own case
/// is lost: the results then hold an error for this case and the times of all other cases.
///
/// The cases of one job blur the same image with different kernels, and are timed alternately on the same
/// input image. If a case kills the process, its job is measured again without that case.
public struct IsolatedRunner {
  private let options: RunnerOptions
  private let libraries: [String]
  private let launch: (String) throws -> Process
  private let timeout: Double
  private let progress: (RunProgress) -> Void

  /// Creates a runner.
  ///
  /// - Parameters:
  ///   - options: The settings for measuring.
  ///   - libraries: The shared libraries whose kernels take part.
  ///   - timeout: The number of seconds after which a kernel counts as hanging. The time is measured
  ///     separately for each step, such as planning or one blur.
  ///   - launch: Returns a worker process that has not been started yet. Its argument is the path of the
  ///     folder that holds the request to the worker. The standard output of the worker is not read.
  ///   - progress: A function that is called before each job that is measured.
  public init(
    _ options: RunnerOptions, libraries: [String], timeout: Double,
    launch: @escaping (String) throws -> Process, progress: @escaping (RunProgress) -> Void = { _ in }
  ) {
    self.options = options
    self.libraries = libraries
    self.timeout = timeout
    self.launch = launch
    self.progress = progress
  }

  /// Measures the jobs one after the other. When a job ends, its records are passed to `record`, as
  /// ``Runner/run(_:done:record:)`` does.
  public func run(
    _ jobs: [Job], done: Set<String> = [], record: ([Record]) throws(MeasurementError) -> Void
  ) throws(MeasurementError) {
    let all = jobs.filtered { !done.contains($0.name) }
    let start = GoogleBenchmark().now
    var finished = 0
    var failures: [String: Record] = [:]
    while finished < all.count {
      // A case whose kernel crashed or hung is not measured again. If all cases of a job have failed in this
      // way, the job is finished.
      let rest = all[finished...].map { job in
        Job(workload: job.workload, cases: job.cases.filter { failures[$0.name] == nil })
      }
      let empty = rest.prefix { $0.cases.isEmpty }.count
      for _ in 0..<empty {
        try record(failed(all[finished], failures))
        finished += 1
      }
      let asked = rest.dropFirst(empty).prefix { !$0.cases.isEmpty }
      guard !asked.isEmpty else { continue }
      let death = try work(Array(asked)) { (records) throws(MeasurementError) in
        let title = all[finished].title
        if let records {
          try record(failed(all[finished], failures) + records)
          finished += 1
        } else {
          progress(
            RunProgress(
              index: finished, count: all.count, title: title, elapsed: GoogleBenchmark().now - start))
        }
      }
      guard let death else { continue }
      let item = try Case(name: death.name)
      failures[death.name] = Record(item, machineKey: options.machineKey).wrong(death.reason)
    }
  }

  private func failed(_ job: Job, _ failures: [String: Record]) -> [Record] {
    job.cases.compactMap { failures[$0.name] }
  }

  /// The reason why a worker process died: the case that was running and how the process ended.
  private struct Death {
    let name: String
    let reason: String
  }

  /// Runs one worker process, which measures `jobs`, until the process ends or is killed.
  ///
  /// - Parameter report: A function that is called with nil before each job starts, and with the job's
  ///   records when the job has ended.
  /// - Returns: The case that killed the worker, or nil if all jobs were finished.
  private func work(
    _ jobs: [Job], report: ([Record]?) throws(MeasurementError) -> Void
  ) throws(MeasurementError) -> Death? {
    let request = WorkerRequest(jobs, libraries: libraries, options)
    let folder = try WorkerFolder(request)
    defer { folder.remove() }
    let names = request.jobs.flatMap { $0 }
    let page = try SharedPage(folder.page, names: names)
    let ended = DispatchSemaphore(value: 0)
    let process: Process
    do {
      process = try launch(folder.url.path)
      process.terminationHandler = { _ in ended.signal() }
      try process.run()
    } catch { throw .failed("a worker process could not be started: \(error.localizedDescription)") }
    // If `report` throws, for example because the disk is full, the worker must not keep running.
    defer { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    var watch = Watch(page, of: process, timeout)
    var journal = JournalReader(folder.journal)
    var (reported, isStuck) = (0, false)
    try report(nil)
    while true {
      let isOver = ended.wait(timeout: .now() + 0.05) == .success
      for records in try journal.newJobs() {
        try report(records)
        reported += 1
        if reported < jobs.count { try report(nil) }
      }
      if isOver { break }
      if !isStuck, watch.isStuck {
        isStuck = true
        kill(process.processIdentifier, SIGKILL)
      }
    }
    guard reported < jobs.count else { return nil }
    return try death(page, names, isStuck: isStuck, Self.ending(of: process, page.fault))
  }

  /// Returns the case to blame for the death of a worker: the case that was running or, if none was, the case
  /// that ran last. The case that ran last may have damaged memory, and such damage is often noticed only
  /// later.
  private func death(
    _ page: SharedPage, _ names: [String], isStuck: Bool, _ ending: String
  ) throws(MeasurementError) -> Death {
    if isStuck {
      return Death(name: names[page.current - 1], reason: Self.hanging(for: timeout))
    }
    if page.current > 0 { return Death(name: names[page.current - 1], reason: ending) }
    guard page.last > 0 else {
      throw .failed("the worker process ended before it measured a case: \(ending)")
    }
    return Death(
      name: names[page.last - 1],
      reason: "\(ending) after this case had ended; the case may have damaged memory")
  }

  /// Returns the error message for a process that was killed because it did not answer.
  ///
  /// - Parameters:
  ///   - seconds: The number of seconds that the process was given.
  ///   - limit: The name of the command-line option that extended the timeout, or nil if none did. The
  ///     message names this option, so that the user knows which value to raise.
  static func hanging(for seconds: Double, limit: String? = nil) -> String {
    "hangs: no answer within \(seconds.short) s"
      + (limit.map { ", which is \($0) plus --kernel-timeout" } ?? "; raise --kernel-timeout to wait longer")
  }

  /// Returns a description of how a process ended.
  ///
  /// - Parameters:
  ///   - process: A process that has ended.
  ///   - fault: A description of the memory access that ended the process, if it is known.
  public static func ending(of process: Process, _ fault: String? = nil) -> String {
    let code = process.terminationStatus
    guard process.terminationReason == .uncaughtSignal else {
      return "ended its process with exit code \(code)"
    }
    if code == SIGKILL { return "was killed (signal 9)" }
    return "crashed: signal \(code) (\(String(cString: strsignal(code)).lowercased()))"
      + (fault.map { ": \($0)" } ?? "")
  }
}

/// Reads the records that a worker has written to its journal.
private struct JournalReader {
  private let path: String
  private let file: FileHandle?
  private var unread = ""

  init(_ url: URL) {
    path = url.path
    file = try? FileHandle(forReadingFrom: url)
  }

  /// Returns the records of each job that has ended since the last call.
  mutating func newJobs() throws(MeasurementError) -> [[Record]] {
    unread += String(decoding: (try? file?.readToEnd()) ?? Data(), as: UTF8.self)
    var jobs: [[Record]] = []
    while let end = unread.range(of: "\n\(WorkerFolder.endOfJob)\n") {
      jobs.append(try RecordsCSV.read(RecordsCSV.header + unread[..<end.lowerBound] + "\n", path: path))
      unread = String(unread[end.upperBound...])
    }
    return jobs
  }
}
