import BlurText

/// A row of results: one repetition of one case, or why a case has no time. Missing values are nil and stay
/// empty in files; they are never 0.
public struct Record: Equatable, Sendable {
  /// The case's name.
  public let name: String
  /// The case of that name; nil where the name is of none.
  public let item: Case?
  /// Iterations of this repetition.
  public var iterations: Int?
  /// Wall time in nanoseconds per blur.
  public var realTime: Double?
  /// CPU time of all threads in nanoseconds per blur.
  public var cpuTime: Double?
  /// Bytes read and written per second: twice the image's pixels.
  public var bytesPerSecond: Double?
  /// Pixels per second.
  public var itemsPerSecond: Double?
  /// Empty, `dispatch` for more than one thread, or `skipped`.
  public var label = ""
  /// Whether the result was wrong.
  public var errorOccurred = false
  /// What was wrong, or why the case was skipped.
  public var errorMessage = ""
  /// Million pixels per second.
  public var megapixelsPerSecond: Double?
  /// This time over the median time of the fastest memcpy beside it.
  public var memcpyRatio: Double?
  /// On how many threads that memcpy was fastest; the same for all kernels and numbers of threads of a
  /// picture.
  public var memcpyThreads: Int?
  /// The ends of the interval of that memcpy's median time, in nanoseconds; see ``Estimate``.
  public var memcpyLow: Double?, memcpyHigh: Double?
  /// Bytes per second as a share of the fastest sample of that memcpy.
  public var ceilingShare: Double?
  /// Median time of planning, in nanoseconds.
  public var planTime: Double?
  /// Largest error found in the verified output, in levels (1/255 of full scale).
  public var maxErrorLevels: Double?
  /// Worst error of any image by the kernel's certificate, in levels.
  public var certifiedLevels: Double?
  /// Peak signal-to-noise ratio of the verified output in dB; nil also where it is infinite.
  public var psnr: Double?
  /// Square root of the impulse response's second moment, in pixels.
  public var achievedSigma: Double?
  /// Hash of the output's pixels.
  public var outputHash: String?
  /// The instruction set that ran.
  public var isa = ""
  /// How many threads worked on one image.
  public var threads = 1
  /// Which repetition, from 0; nil where there is no time.
  public var repetition: Int?
  /// The machine, see ``Machine/key``.
  public var machineKey = ""
  /// The program, see ``BuildIdentity/hash``; empty where that is not known.
  public var build = ""
  /// Nanojoules that the CPU's packages took per blur, and the misses of the last cache and of the TLB for
  /// data; nil where the machine does not show them.
  public var energy: Double?, cacheMisses: Double?, tlbMisses: Double?
  /// For scenes and blurs once a frame: the times of frames, and how they look.
  public var frames = FrameFigures()
  /// How much longer the memcpy beside this workload took than before in the same run, where that is far from
  /// 1.
  public var speedShift: Double?
  /// Which process of a run with several, from 0; nil where all was measured in one.
  public var process: Int?
  /// Nanoseconds of a loop of arithmetic that always does the same, right after this workload.
  public var probeTime: Double?
  /// What disturbed this sample from outside.
  public var disturbance = Disturbance()

  /// Makes a row without values.
  public init(name: String) {
    self.name = name
    item = try? Case(name: name)
  }

  /// Makes a row without values of the same case as another row.
  init(ofCaseOf other: Record) { (name, item) = (other.name, other.item) }

  /// Makes a row without a time for a case.
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

  /// Whether this is the memcpy beside a workload.
  public var isCopy: Bool { item?.kernel == Case.memcpy }
  /// Whether the case was refused or left out.
  public var isSkipped: Bool { label == Self.skipped }
  /// Whether the row is a time.
  public var isMeasured: Bool { realTime != nil && !errorOccurred && !isSkipped }

  /// The same row as one of this process of a run with several.
  public func inProcess(_ process: Int?) -> Record {
    var record = self
    record.process = process
    return record
  }

  /// The same row as one that was wrong, and how.
  public func wrong(_ message: String) -> Record {
    var record = self
    record.errorOccurred = true
    record.errorMessage = message.oneLine
    return record
  }

  /// The same row as one that was left out, and why.
  public func skipped(_ reason: String) -> Record {
    var record = self
    record.label = Self.skipped
    record.errorMessage = reason.oneLine
    return record
  }
}

extension [Record] {
  /// Whether these rows of one case need no more measuring: all its repetitions are there, or why it has
  /// none.
  func isComplete(repetitions: Int) -> Bool {
    if contains(where: { $0.isSkipped || $0.errorOccurred }) { return true }
    return Set(compactMap(\.repetition)).isSuperset(of: 0..<repetitions)
  }
}
