import BlurRecords

/// Measures cases one after the other and returns the times as records. This type is used to compare a build
/// with records from an earlier run, where the two cannot be timed alternately.
public struct BenchRecords {
  private let start: () throws(MeasurementError) -> any BenchChannel
  private let repetitions: Int, minTime: Double, machineKey: String

  /// Creates a measurer.
  ///
  /// - Parameters:
  ///   - repetitions: The number of samples of each case.
  ///   - minTime: The shortest duration of a sample in seconds.
  ///   - machineKey: The key that identifies the machine in the records.
  ///   - start: Starts the process that measures a case. It is called once for each case.
  public init(
    repetitions: Int, minTime: Double, machineKey: String,
    start: @escaping () throws(MeasurementError) -> any BenchChannel
  ) {
    self.start = start
    self.repetitions = repetitions
    self.minTime = minTime
    self.machineKey = machineKey
  }

  /// Measures a case and returns one record per sample, or a single record that says why there are no
  /// samples.
  ///
  /// - Throws: A ``MeasurementError`` if the name is malformed or no process can be started.
  public func measure(_ name: String) throws(MeasurementError) -> [Record] {
    var blank = Record(try Case(name: name), machineKey: machineKey)
    let track = try start()
    do throws(MeasurementError) {
      let findings = try track.open(0, BenchRequest(name, isVerified: true))
      blank.outputHash = findings.outputHash
      blank.maxErrorLevels = findings.maxErrorLevels
      if let problem = findings.problem {
        return [findings.isWrong ? blank.wrong(problem) : blank.skipped(problem)]
      }
      let records = try samples(of: blank, on: track)
      if let error = try track.close(0) { return [blank.wrong(error)] }
      return records
    } catch { return [blank.wrong("\(error)")] }
  }

  private func samples(of blank: Record, on track: any BenchChannel) throws(MeasurementError) -> [Record] {
    let once = try track.sample(0, iterations: 1).nanoseconds
    let iterations = SampleLength.iterations(lasting: minTime * 1e9, each: once)
    var records: [Record] = []
    for repetition in 0..<repetitions {
      var record = blank
      record.repetition = repetition
      record.iterations = iterations
      let sample = try track.sample(0, iterations: iterations)
      record.realTime = sample.nanoseconds
      record.disturbance = sample.disturbance ?? Disturbance()
      records.append(record)
    }
    return records
  }
}
