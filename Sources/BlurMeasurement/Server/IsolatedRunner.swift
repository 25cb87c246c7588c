import Blur
import BlurRecords
import BlurServer
import BlurText
import Foundation

/// Measures kernels in a separate process. If a kernel crashes, hangs or ends the process, only its own case
/// is lost. The records then contain an error for this case, and times for all other cases.
///
/// The cases of one job blur the same image with different kernels, and are timed alternately on the same
/// input image. If a case kills the process, its job is measured again without that case.
public struct IsolatedRunner: CaseRunner {
  private var options: RunnerOptions
  private let connect: () throws(MeasurementError) -> ServerConnection
  private let progress: (RunProgress) -> Void

  /// Creates a runner.
  ///
  /// - Parameters:
  ///   - options: The settings for measuring.
  ///   - connect: Starts a server, which is a process that measures.
  ///   - progress: A function that is called before each job that is measured.
  public init(
    _ options: RunnerOptions, connect: @escaping () throws(MeasurementError) -> ServerConnection,
    progress: @escaping (RunProgress) -> Void = { _ in }
  ) {
    self.options = options
    // The server process runs nothing but the kernel, so all busy threads belong to the kernel.
    self.options.countsThreads = true
    self.connect = connect
    self.progress = progress
  }

  public func run(
    _ jobs: [Job], done: Set<String>, record: ([Record]) throws(MeasurementError) -> Void
  ) throws(MeasurementError) {
    let all = jobs.filtered { !done.contains($0.name) }
    let start = ContinuousClock.seconds
    var finished = 0
    var failures: [String: Record] = [:]
    while finished < all.count {
      // A case whose kernel crashed or hung is not measured again. A job is finished if all its cases have
      // failed in this way.
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
      let culprit = try work(Array(asked)) { (records) throws(MeasurementError) in
        let title = all[finished].workload.fullTitle
        if let records {
          try record(failed(all[finished], failures) + records)
          finished += 1
        } else {
          progress(
            RunProgress(
              index: finished, count: all.count, title: title, elapsed: ContinuousClock.seconds - start))
        }
      }
      guard let (name, reason) = culprit else { continue }
      failures[name] = Record(try Case(name: name), machineKey: options.machineKey).wrong(reason)
    }
  }

  private func failed(_ job: Job, _ failures: [String: Record]) -> [Record] {
    job.cases.compactMap { failures[$0.name] }
  }

  /// Lets one server process measure jobs until all jobs are done, or until the process ends or is killed.
  /// Calls `report` with nil before each job starts, and with the job's records when the job has ended.
  ///
  /// - Returns: The name of the case that ended the process, and how the process ended. The result is nil if
  ///   all jobs were finished.
  private func work(
    _ jobs: [Job], report: ([Record]?) throws(MeasurementError) -> Void
  ) throws(MeasurementError) -> (name: String, reason: String)? {
    let server = try connect()
    var reported = 0
    try report(nil)
    do throws(MeasurementError) {
      let _: [Record] = try server.answer(
        to: ServerRequest.measure(jobs: jobs, options: options), hasPauses: true,
        part: { (records: [Record]) throws(MeasurementError) in
          try report(records)
          reported += 1
          if reported < jobs.count { try report(nil) }
        })
    } catch {
      guard let end = server.end else { throw error }
      return try reported < jobs.count ? culprit(jobs.flatMap { $0.cases.map(\.name) }, end) : nil
    }
    return nil
  }

  /// Returns the case to blame for the end of a server process: the case that was running or, if no case was
  /// running, the case that ran last. The case that ran last may have damaged memory, which often shows only
  /// later.
  private func culprit(
    _ names: [String], _ end: ServerEnd
  ) throws(MeasurementError) -> (name: String, reason: String) {
    let (current, last) = (end.current - 1, end.last - 1)
    if names.indices.contains(current) { return (names[current], end.text) }
    guard names.indices.contains(last) else {
      throw .failed("the server process ended before it measured a case: \(end.text)")
    }
    return (names[last], "\(end.text) after this case had ended; the case may have damaged memory")
  }

  /// Measures jobs in the server process, and sends the records of each job when the job ends.
  public static func measure(
    _ jobs: [Job], _ options: RunnerOptions, kernels: [Kernel], for server: KernelServer
  ) throws(MeasurementError) {
    var runner = Runner(Sampler(watch: DisturbanceWatch()), options, kernels: kernels)
    runner.page = try SharedPage(
      server.pageFile, names: jobs.flatMap { $0.cases.map(\.name) }, connection: server.connection)
    try runner.run(jobs) { (records) throws(MeasurementError) in try server.send(part: records) }
  }
}
