import BlurRecords
import BlurServer

/// Something that prepares and times cases: a server with a ``BenchWorker``, or a simulation in a test.
public protocol BenchChannel: AnyObject {
  /// Prepares a case for timing and stores it in the slot with this number. A slot is a place for one
  /// prepared case. With several slots, several cases can be timed alternately.
  func open(_ slot: Int, _ entry: BenchRequest) throws(MeasurementError) -> Findings
  /// Times the case that ``open(_:_:)`` stored in the slot with this number. Returns the mean time of
  /// `iterations` blurs, and reports how other programs disturbed the measurement.
  func sample(_ slot: Int, iterations: Int) throws(MeasurementError) -> BenchSample
  /// Ends the timing of the case in the slot with this number, and empties the slot. Returns the error that
  /// occurred while the case was timed, or nil if there was none.
  func close(_ slot: Int) throws(MeasurementError) -> String?
}

extension ServerConnection: BenchChannel {
  public func open(_ slot: Int, _ entry: BenchRequest) throws(MeasurementError) -> Findings {
    try answer(to: ServerRequest.open(slot: slot, entry))
  }

  public func sample(_ slot: Int, iterations: Int) throws(MeasurementError) -> BenchSample {
    let sample: BenchSample = try answer(to: ServerRequest.time(slot: slot, iterations: iterations))
    guard sample.nanoseconds > 0, sample.nanoseconds.isFinite else {
      throw .failed("the measuring process returned no time")
    }
    return sample
  }

  /// Counts the instructions of one blur of a case with the hardware counters of the CPU.
  ///
  /// - Parameter slot: The number under which ``open(_:_:)`` stored the case.
  public func instructions(_ slot: Int) throws(MeasurementError) -> Double {
    let count: UInt64 = try answer(to: ServerRequest.count(slot: slot))
    return Double(count)
  }

  public func close(_ slot: Int) throws(MeasurementError) -> String? {
    try answer(to: ServerRequest.close(slot: slot))
  }

  /// Returns a description of the build that runs in the process: the hash of its program and, if it is
  /// known, the revision of BlurBench.
  public func build() throws(MeasurementError) -> String {
    try answer(to: ServerRequest.identify)
  }
}
