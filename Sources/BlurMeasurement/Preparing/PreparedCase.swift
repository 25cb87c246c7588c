import Blur
import BlurRecords
import BlurVerification
import CLinux

/// A case that is ready to be blurred over and over: planned, on its buffers, and held to what was asked.
///
/// `run`, `compare`, `tune` and `select`, counts of instructions and estimates of long cases all prepare
/// cases here.
public final class PreparedCase {
  /// What is found out by one blur before any is timed.
  public struct Checks {
    /// The hash of the input, which must stay as it is.
    public let inputHash: String
    /// Holds the output, whose hash is known, to the kernel's promise; nil where that was done before.
    public let judge: ((_ output: ImageView, _ hash: String) -> Judgement)?

    /// Asks for checks.
    public init(inputHash: String, judge: ((_ output: ImageView, _ hash: String) -> Judgement)? = nil) {
      self.inputHash = inputHash
      self.judge = judge
    }
  }

  /// What the checks found.
  public struct Verified {
    /// Seconds of the first blur.
    public let seconds: Double
    /// The hash of the output, which must stay the same.
    public let outputHash: String
    /// How far the output is from the truth, where that was asked.
    public let deviation: Deviation?
    /// What is wrong, in a line: a write where nothing may be written, or a broken promise.
    public let violation: String?
    /// Whether the input has changed.
    public let isInputSpoiled: Bool
  }

  /// What is blurred.
  public let item: Case
  /// Median time of planning, in nanoseconds.
  public let planTime: Double
  /// What the checks found; nil where none were asked for.
  public private(set) var verified: Verified?
  /// What went wrong in a blur since.
  public private(set) var failure: String?

  private let plan: BlurPlan
  private let buffers: CaseBuffers

  /// Seconds in which a plan is made more than once.
  private static let planning = 0.1

  /// Plans the case, and makes one blur where it is to be checked.
  ///
  /// - Parameters:
  ///   - buffers: of the workload's layout, or with an output of the region's size.
  ///   - region: the part of the image that is blurred; all of it by default.
  ///   - threads: instead of the workload's.
  ///   - plans: how many plans give ``planTime`` at most; a slow one is not made twice.
  /// - Throws: ``BlurError`` where the kernel refuses or fails.
  public init(
    _ item: Case, _ kernel: Kernel, _ buffers: CaseBuffers, region: Region? = nil, threads: Int? = nil,
    plans: Int = 1, checks: Checks? = nil, _ stopwatch: some Stopwatch = GoogleBenchmark()
  ) throws(BlurError) {
    let workload = item.workload
    guard item.kernel == Case.memcpy || kernel.fits(workload) else {
      throw .unsupported(
        kernel: kernel.name, reason: workload.mask == nil ? "a blur without a mask" : "a mask")
    }
    let kernel = kernel.with(workload.mask)
    let parameters = try workload.parameters(isa: item.isa, region: region)
    let start = stopwatch.now
    var times: [Double] = []
    var plan: BlurPlan
    repeat {
      let began = stopwatch.now
      plan = try BlurPlan(kernel, for: workload.layout, parameters, threads: threads ?? workload.threads)
      times.append(stopwatch.now - began)
    } while times.count < plans && stopwatch.now - start < Self.planning
    (self.item, self.plan, self.buffers) = (item, plan, buffers)
    planTime = ((Statistics.median(times) ?? 0) * 1e9).rounded()
    if let checks { verified = try check(checks, stopwatch) }
  }

  private func check(_ checks: Checks, _ stopwatch: some Stopwatch) throws(BlurError) -> Verified {
    let seconds = try seconds(stopwatch)
    let hash = buffers.outputHash
    let judgement = buffers.output.withView { checks.judge?($0, hash) }
    let isInputSpoiled = PixelHash.of(buffers.input) != checks.inputHash
    let writes = isInputSpoiled ? "writes into the source" : buffers.output.strayWrite.map { "writes \($0)" }
    return Verified(
      seconds: seconds, outputHash: hash, deviation: judgement?.deviation,
      violation: writes ?? judgement?.violation, isInputSpoiled: isInputSpoiled)
  }

  // MARK: Blurring

  /// Blurs once.
  func blur() throws(BlurError) { try buffers.blur(plan) }

  /// Blurs once, and returns how many seconds that took.
  func seconds(_ stopwatch: some Stopwatch) throws(BlurError) -> Double {
    let start = stopwatch.now
    try blur()
    return stopwatch.now - start
  }

  /// Blurs once; an error is kept as ``failure``.
  public func iterate() {
    do { try blur() } catch { failure = "\(error)" }
  }

  /// Drops the input and the output from all caches.
  func evict() { buffers.evict() }

  /// What went wrong since the checks: a stray write, an error, or another output than the verified one.
  public var violation: String? {
    if let place = buffers.output.strayWrite { return "writes \(place)" }
    if let failure { return failure }
    guard let verified, buffers.outputHash != verified.outputHash else { return nil }
    return "the timed output differs from the verified one: `blurbench verify --property repeat` says how"
  }
}

/// An input and an output. Each case that is checked has its own output; kernels that are only timed may
/// share one.
public final class CaseBuffers {
  let input: Image
  fileprivate(set) var output: GuardedOutput

  /// Makes an output for an input.
  ///
  /// - Parameters:
  ///   - output: its layout; the input's by default.
  ///   - isGuarded: whether bytes around the output are watched.
  public init(_ input: Image, output: ImageLayout? = nil, isGuarded: Bool = true) throws(BlurError) {
    self.input = input
    self.output = try GuardedOutput(output ?? input.layout, isGuarded: isGuarded)
  }

  var outputHash: String { output.withView { PixelHash.of($0) } }

  fileprivate func evict() {
    input.evict()
    output.withView { $0.evict() }
  }

  fileprivate func blur(_ plan: BlurPlan) throws(BlurError) {
    try output.withMutableView { (target) throws(BlurError) in
      try input.withView { (source) throws(BlurError) in try plan.blur(source, into: target) }
    }
  }
}

/// Emptying caches of what an image holds.
enum CacheEviction {
  /// Whether this system has an instruction for it that programs may use.
  static let isAvailable = withUnsafeBytes(of: 0) { bytes in
    bytes.baseAddress.map { caches_evict($0, bytes.count) } ?? false
  }
}

extension ImageView {
  /// Drops all bytes from the caches, where ``CacheEviction/isAvailable``.
  func evict() { _ = caches_evict(base, layout.byteCount) }
}

extension Image {
  func evict() { withView { $0.evict() } }
}

extension Workload {
  /// What a plan is told.
  package func parameters(isa: InstructionSet, region: Region? = nil) throws(BlurError) -> BlurParameters {
    BlurParameters(sigma: try Sigma(sigma), edge: edge, region: region, instructionSet: isa)
  }
}
