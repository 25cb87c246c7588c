import BlurRecords

/// Measures jobs. A job consists of cases that blur the same image, or play the same scene, with different
/// kernels.
public protocol CaseRunner {
  /// Measures the jobs one after the other. The records of each job are passed to `record` before the next
  /// job begins.
  ///
  /// - Parameters:
  ///   - jobs: The jobs to measure.
  ///   - done: The names of the cases that have already been measured. These cases are left out.
  ///   - record: A function that receives the records of a job. The records of all kernels come first,
  ///     followed by the records of the memcpy.
  func run(
    _ jobs: [Job], done: Set<String>, record: ([Record]) throws(MeasurementError) -> Void
  ) throws(MeasurementError)
}

extension CaseRunner {
  /// Measures all cases of the jobs, one job after the other.
  public func run(
    _ jobs: [Job], record: ([Record]) throws(MeasurementError) -> Void
  ) throws(MeasurementError) {
    try run(jobs, done: [], record: record)
  }
}

/// The progress of a run. It is reported each time the run begins to measure another job.
public struct RunProgress: Sendable {
  /// The index of the job that is about to begin, starting at 0, and the number of jobs. A job consists of
  /// all cases that blur the same image. These cases are timed alternately.
  public let index: Int, count: Int
  /// A short description of the workload that is measured.
  public let title: String
  /// The number of seconds since the run began.
  public let elapsed: Double

  /// Creates a progress report.
  public init(index: Int, count: Int, title: String, elapsed: Double) {
    (self.index, self.count, self.title, self.elapsed) = (index, count, title, elapsed)
  }

  /// The progress as a line of text, such as `[3/12] rgba8 640x480, sigma 5, clamp  time left 1:05`.
  public var line: String {
    let left = index == 0 ? "" : "  time left \(clock(elapsed / Double(index) * Double(count - index)))"
    return "[\(index + 1)/\(count)] \(title)\(left)"
  }

  private func clock(_ seconds: Double) -> String {
    let seconds = Int(seconds.rounded())
    let rest = seconds % 60
    return "\(seconds / 60):\(rest < 10 ? "0" : "")\(rest)"
  }
}
