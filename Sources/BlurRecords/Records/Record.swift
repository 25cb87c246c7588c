import BlurText

/// A row of results: one repetition of a case, or the reason why the case has no time.
///
/// A missing value is nil in memory and an empty field in files. It is never written as 0.
public struct Record: Codable, Equatable, Sendable {
  /// The name of the case.
  public let name: String
  /// The case that ``name`` describes, or nil if it is not a valid case name.
  public let item: Case?
  /// The number of blurs in this repetition.
  public var iterations: Int?
  /// The wall time in nanoseconds per blur.
  public var realTime: Double?
  /// The CPU time of all threads together, in nanoseconds per blur.
  public var cpuTime: Double?
  /// The number of bytes read and written per second. Each blur reads and writes the image once.
  public var bytesPerSecond: Double?
  /// The number of pixels blurred per second.
  public var itemsPerSecond: Double?
  /// The string `skipped` if the case was not measured, `dispatch` if several threads worked on one image,
  /// and an empty string otherwise.
  public var label = ""
  /// Whether the result of the case was wrong.
  public var errorOccurred = false
  /// A message that says what is wrong with the result, or why the case was skipped.
  public var errorMessage = ""
  /// The number of pixels blurred per second, in millions.
  public var megapixelsPerSecond: Double?
  /// The wall time divided by the median time of the fastest memcpy of the same image.
  public var memcpyRatio: Double?
  /// The number of threads that the fastest memcpy used. This memcpy is the reference for ``memcpyRatio``,
  /// and it is the same for all kernels on one image, however many threads they use.
  public var memcpyThreads: Int?
  /// The ends of the confidence interval (see ``Estimate``) for the median time of the fastest memcpy, in
  /// nanoseconds. ``memcpyRatio`` divides by this median.
  public var memcpyLow: Double?, memcpyHigh: Double?
  /// The memory throughput of the blur, as a fraction of the throughput of the fastest memcpy sample on the
  /// same image. If it is near 1, the blur is about as fast as a plain copy.
  public var ceilingShare: Double?
  /// The median time of planning, in nanoseconds.
  public var planTime: Double?
  /// The largest error in the verified output, in levels (1/255 of full scale).
  public var maxErrorLevels: Double?
  /// The largest error over all images according to the kernel's certificate, in levels.
  public var certifiedLevels: Double?
  /// The peak signal-to-noise ratio of the verified output in dB, or nil if it is infinite or unknown.
  public var psnr: Double?
  /// The standard deviation of the kernel's impulse response, in pixels.
  public var achievedSigma: Double?
  /// The hash of the output's pixels.
  public var outputHash: String?
  /// The name of the instruction set that the kernel used.
  public var isa = ""
  /// The number of threads that worked on one image.
  public var threads = 1
  /// The index of the repetition, starting at 0, or nil if the row has no time.
  public var repetition: Int?
  /// The ``Machine/key`` of the machine on which the row was measured.
  public var machineKey = ""
  /// The ``BuildIdentity/hash`` of the program that measured the row, or an empty string if it is unknown.
  public var build = ""
  /// Three hardware counts per blur: the energy that the CPU packages used, in nanojoules, the number of
  /// last-level cache misses, and the number of data TLB misses. Each of them is nil if the machine does not
  /// report it.
  public var energy: Double?, cacheMisses: Double?, tlbMisses: Double?
  /// The frame times and the figures computed from them, for scenes and for blurs that run once per frame.
  public var frames = FrameFigures()
  /// The factor by which the machine became slower during the run, or nil if its speed hardly changed. The
  /// factor is below 1 if the machine became faster. The factor is computed from the times of the memcpy that
  /// is measured with every workload.
  public var speedShift: Double?
  /// The index of the process that measured the row, starting at 0, or nil if the run used a single process.
  public var process: Int?
  /// The time in nanoseconds of a fixed loop of arithmetic that ran right after this workload. When two runs
  /// are compared, these times show whether the machine itself became slower or faster.
  public var probeTime: Double?
  /// Everything outside this process that may have disturbed the sample.
  public var disturbance = Disturbance()

  /// Creates a row without values.
  public init(name: String) {
    self.name = name
    item = try? Case(name: name)
  }

  /// Creates a row without values, for the same case as another row.
  init(ofCaseOf other: Record) { (name, item) = (other.name, other.item) }

  /// Creates a row without a time for the given case.
  public init(_ item: Case, machineKey: String) {
    name = item.name
    self.item = item
    label = item.workload.threads > 1 ? Self.dispatch : ""
    isa = item.isa.name
    threads = item.workload.threads
    self.machineKey = machineKey
  }

  static let skipped = "skipped"
  static let dispatch = "dispatch"

  /// Whether the row belongs to the memcpy that is measured alongside a workload.
  public var isCopy: Bool { item?.kernel == Case.memcpy }
  /// Whether the case was skipped, for example because the kernel does not support it.
  public var isSkipped: Bool { label == Self.skipped }
  /// Whether the row has a valid time.
  public var isMeasured: Bool { realTime != nil && !errorOccurred && !isSkipped }

  /// Returns a copy of the row that is marked as measured by the given process of a run.
  public func inProcess(_ process: Int?) -> Record {
    var record = self
    record.process = process
    return record
  }

  /// Returns a copy of the row that is marked as wrong, with the given message.
  public func wrong(_ message: String) -> Record {
    var record = self
    record.errorOccurred = true
    record.errorMessage = message.oneLine
    return record
  }

  /// Returns a copy of this record, and marks the copy as skipped for the given reason.
  public func skipped(_ reason: String) -> Record {
    var record = self
    record.label = Self.skipped
    record.errorMessage = reason.oneLine
    return record
  }
}

extension [Record] {
  /// Returns whether these rows, which belong to one case, are complete, so that the case need not be
  /// measured again. They are complete if all repetitions are present, or if a row gives the reason why there
  /// is no time.
  func isComplete(repetitions: Int) -> Bool {
    if contains(where: { $0.isSkipped || $0.errorOccurred }) { return true }
    return Set(compactMap(\.repetition)).isSuperset(of: 0..<repetitions)
  }
}
