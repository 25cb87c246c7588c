import BlurRecords
import BlurServer

/// A connection to a process that prepares and times benchmark cases. The process is a server with a
/// ``BenchWorker``. In tests, a simulation replaces this server.
public protocol BenchChannel: AnyObject {
  /// Prepares a case for timing and stores it in the slot with this number. A slot is a place for one
  /// prepared case. With several slots, several cases can be timed alternately.
  func open(_ slot: Int, _ entry: BenchRequest) throws(MeasurementError) -> Findings
  /// Times the case that ``open(_:_:)`` stored in the slot with this number. Returns the mean time of
  /// `iterations` blurs, and reports how other programs disturbed the measurement.
  func sample(_ slot: Int, iterations: Int) throws(MeasurementError) -> BenchSample
  /// Removes the case from the slot with this number. Returns the error that occurred while the case was
  /// timed, or nil if there was no error.
  func close(_ slot: Int) throws(MeasurementError) -> String?
}

/// A request to prepare a case for timing.
public struct BenchRequest: Codable, Equatable, Sendable {
  /// The name of the case.
  public var name: String
  /// Whether the output of the case is compared with the exact blur.
  public var isVerified: Bool
  /// The artificial slowdown of the case for experiments, as a fraction of the case's time, or 0 for no
  /// slowdown.
  public var slowdown: Double
  /// The index of the CPU that a case with one thread runs on, if the system can pin threads to CPUs. All
  /// versions in a comparison run on the same CPU, because other programs slow different CPUs down by
  /// different amounts.
  public var cpu = 0
  /// The command-line options that name the external kernels. Error messages repeat these options in the
  /// commands that they suggest. The value is nil in requests from older builds.
  public var kernelOptions: [String]?

  /// Creates a request to prepare the case with this name.
  public init(_ name: String, isVerified: Bool = false, slowdown: Double = 0) {
    self.name = name
    self.isVerified = isVerified
    self.slowdown = slowdown
  }
}

/// A measured time, and how much other programs disturbed the measurement.
public struct BenchSample: Codable, Sendable {
  /// The mean wall time of an iteration in nanoseconds.
  public var nanoseconds: Double
  /// The disturbance of the sample by other programs, or nil if it is unknown.
  public var disturbance: Disturbance?

  /// Creates a sample.
  public init(nanoseconds: Double, disturbance: Disturbance? = nil) {
    (self.nanoseconds, self.disturbance) = (nanoseconds, disturbance)
  }
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
  /// - Parameter slot: The slot number that was passed to ``open(_:_:)`` for this case.
  public func instructions(_ slot: Int) throws(MeasurementError) -> Double {
    let count: UInt64 = try answer(to: ServerRequest.count(slot: slot))
    return Double(count)
  }

  public func close(_ slot: Int) throws(MeasurementError) -> String? {
    try answer(to: ServerRequest.close(slot: slot))
  }

  /// Returns a description of the build that runs in the process. It contains the hash of the program and, if
  /// known, the revision of BlurBench.
  public func build() throws(MeasurementError) -> String {
    try answer(to: ServerRequest.identify)
  }
}
