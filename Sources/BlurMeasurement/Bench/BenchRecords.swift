import BlurRecords

/// Measures cases one after the other on request, as records: for a build that is compared with older
/// records.
public struct BenchRecords {
  private let start: () throws(MeasurementError) -> any BenchChannel
  private let repetitions: Int, minTime: Double, machineKey: String

  /// - Parameters:
  ///   - repetitions: how many samples of each case are taken.
  ///   - minTime: seconds of one sample at least.
  ///   - start: makes a fresh track for each case.
  public init(
    repetitions: Int, minTime: Double, machineKey: String,
    start: @escaping () throws(MeasurementError) -> any BenchChannel
  ) {
    self.start = start
    self.repetitions = repetitions
    self.minTime = minTime
    self.machineKey = machineKey
  }

  /// The records of a case: its samples, or why it has none.
  ///
  /// - Throws: ``MeasurementError`` for a malformed name, or when no track can be made.
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
