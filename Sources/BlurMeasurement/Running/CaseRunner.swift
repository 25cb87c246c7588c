import BlurRecords

/// Measures jobs. A job consists of cases that blur the same image, or play the same scene, with different
/// kernels.
public protocol CaseRunner {
  /// Measures the jobs one after the other. The records of each job are passed to `record` before the next
  /// job begins.
  ///
  /// - Parameters:
  ///   - jobs: The jobs to measure.
  ///   - done: The names of the cases that are not measured again.
  ///   - record: A function that receives the records of a job: all repetitions of each kernel, followed by
  ///     all repetitions of the memcpy.
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
