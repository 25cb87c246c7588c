import Blur
import BlurRecords
import BlurVerification
import CLinux

/// A benchmark case whose blur can be run any number of times. Its plan and its images have been made, and
/// its output has been checked if the caller asked for checks.
///
/// The commands `run`, `compare`, `tune` and `select` prepare their cases with this type. The type is also
/// used to count instructions, and to estimate how long a slow case takes.
final class PreparedCase {
  /// The checks that the first blur must pass before anything is timed.
  struct Checks {
    /// The hash of the input image, which the kernel must not change.
    let inputHash: String
    /// Compares the output with the exact blur, and checks that the error does not exceed the bound that the
    /// kernel promises. The second argument is the hash of the output. The closure is nil if the output has
    /// already been checked.
    var judge: ((_ output: ImageView, _ hash: String) -> Judgement)?
    /// The command-line options that name the external kernels. Error messages repeat these options in the
    /// commands that they suggest.
    var kernelOptions: [String] = []
  }

  /// The results of the checks of the first blur.
  struct Verified {
    /// The time of the first blur in seconds.
    let seconds: Double
    /// The hash of the output. Every later blur must give the same hash.
    let outputHash: String
    /// The difference between the output and the exact blur, or nil if it was not measured.
    let deviation: Deviation?
    /// A line of text that says what the kernel did wrong, or nil if it did nothing wrong. For example, the
    /// kernel may have written outside its output or exceeded its promised error.
    let violation: String?
    /// Whether the kernel has overwritten the input image.
    let isInputSpoiled: Bool
  }

  /// The case that is blurred.
  let item: Case
  /// The median time for making a plan, in nanoseconds.
  let planTime: Double
  /// The results of the checks, or nil if no checks were requested.
  private(set) var verified: Verified?
  /// The message of the most recent error in ``iterate()``, or nil if there has been no error.
  private(set) var failure: String?
  /// Whether ``inspect(after:)`` has found an output that differs from the verified output.
  private var hasChanged = false
  private let kernelOptions: [String]

  private let plan: BlurPlan
  private let buffers: CaseBuffers
  /// The closure that blurs like a program that makes a single call and keeps no plan. It is nil if all blurs
  /// use the plan of this case.
  private var singleCall: ((_ input: Image, _ result: inout Image) throws(BlurError) -> Void)?

  /// The time limit, in seconds, for measuring how long planning takes. After this time, no further plans are
  /// made.
  private static let planning = 0.1

  /// Plans the case and, if checks are requested, blurs once and checks the output.
  ///
  /// - Parameters:
  ///   - buffers: The input and output. They have the workload's layout, except that the output has the size
  ///     of the region if a region is given. For a plain copy, the fourth channel is treated like the other
  ///     channels.
  ///   - region: The part of the image to blur, or nil for the whole image.
  ///   - threads: The number of threads, or nil to use the workload's number of threads.
  ///   - plans: The maximum number of plans to make for measuring ``planTime``. If planning is slow, fewer
  ///     plans are made.
  ///   - now: Returns the number of seconds since a fixed moment.
  /// - Throws: A ``BlurError`` if the kernel does not support the case or fails.
  init(
    _ item: Case, _ kernel: Kernel, _ buffers: CaseBuffers, region: Region? = nil, threads: Int? = nil,
    plans: Int = 1, checks: Checks? = nil, now: () -> Double = { ContinuousClock.seconds }
  ) throws(BlurError) {
    let workload = item.workload
    guard item.kernel == Case.memcpy || kernel.fits(workload) else {
      throw .unsupported(
        kernel: kernel.name, reason: workload.mask == nil ? "blurs without a mask" : "masks")
    }
    let kernel = kernel.with(workload.mask)
    let parameters = try workload.parameters(isa: item.isa, region: region)
    let start = now()
    var times: [Double] = []
    var plan: BlurPlan
    repeat {
      let began = now()
      plan = try BlurPlan(kernel, for: buffers.input.layout, parameters, threads: threads ?? workload.threads)
      times.append(now() - began)
    } while times.count < plans && now() - start < Self.planning
    (self.item, self.plan, self.buffers) = (item, plan, buffers)
    kernelOptions = checks?.kernelOptions ?? []
    planTime = ((Statistics.median(times) ?? 0) * 1e9).rounded()
    if let checks { verified = try check(checks, now) }
    // A region is blurred only to estimate the time of the whole blur. Such a blur does not use single calls.
    if workload.pace.isSingleCall, region == nil {
      singleCall = Self.singleCall(item, kernel, plan, parameters)
    }
  }

  /// Returns a closure that blurs once, like a program that makes a single call and keeps no plan. For a
  /// kernel of this package, the library may have kept the plan of an earlier call. If so, the call reuses
  /// that plan. For any other kernel, every call makes a new plan.
  private static func singleCall(
    _ item: Case, _ kernel: Kernel, _ plan: BlurPlan, _ parameters: BlurParameters
  ) -> (_ input: Image, _ result: inout Image) throws(BlurError) -> Void {
    let workload = item.workload
    if item.kernel == Case.memcpy {
      return { (input, result) throws(BlurError) in try plan.blur(input, into: &result) }
    }
    guard workload.mask == nil, Registry.kernels.contains(where: { $0.name == kernel.name }) else {
      return { (input, result) throws(BlurError) in
        try BlurPlan(kernel, for: workload.layout, parameters, threads: workload.threads)
          .blur(input, into: &result)
      }
    }
    // If the library would choose this kernel automatically, the measured time of the call includes the time
    // for choosing the kernel.
    let choice = try? BlurPlan(for: workload.layout, parameters, threads: workload.threads).choice
    let isChosen = choice?.kernel.name == kernel.name && choice?.instructionSet == item.isa
    return { (input, result) throws(BlurError) in
      let plan = try BorrowedPlan(
        for: workload.layout, parameters, kernel: isChosen ? nil : kernel, threads: workload.threads)
      try input.withViews(into: &result) { (input, result) throws(BlurError) in
        try plan.blur(input, into: result)
      }
    }
  }

  private func check(_ checks: Checks, _ now: () -> Double) throws(BlurError) -> Verified {
    let seconds = try seconds(now)
    let hash = buffers.outputHash
    let judgement = buffers.withOutput { checks.judge?($0, hash) }
    let isInputSpoiled = buffers.input.pixelHash != checks.inputHash
    let writes = isInputSpoiled ? "overwrites its input image" : buffers.output.damage.map(Self.outside)
    return Verified(
      seconds: seconds, outputHash: hash, deviation: judgement?.deviation,
      violation: writes ?? judgement?.violation, isInputSpoiled: isInputSpoiled)
  }

  /// Returns the error message for a write outside the output.
  private static func outside(_ place: String) -> String { "writes outside its output image, \(place)" }

  // MARK: Blurring

  /// Blurs once.
  func blur() throws(BlurError) {
    if let singleCall { try buffers.blur(singleCall) } else { try buffers.blur(plan) }
  }

  /// Blurs once and returns the time in seconds. `now` returns the seconds since a fixed moment.
  func seconds(_ now: () -> Double) throws(BlurError) -> Double {
    let start = now()
    try blur()
    return now() - start
  }

  /// Blurs once. An error is not thrown but stored in ``failure``.
  func iterate() {
    do { try blur() } catch { failure = "\(error)" }
  }

  /// Looks for races between threads after a timed sample. If the blur uses several threads, this method
  /// checks that the output is still the same as the verified output. A race damages only some outputs, so
  /// the method then blurs the image several more times, and checks each output. Before each of these blurs,
  /// it overwrites the output.
  ///
  /// - Parameter time: The time of the sample in seconds. The additional blurs take about a twentieth of this
  ///   time.
  func inspect(after time: Double) {
    guard item.workload.threads > 1, let verified, !hasChanged, failure == nil else { return }
    let end = ContinuousClock.seconds + max(Self.shortestInspection, time / 20)
    hasChanged = buffers.outputHash != verified.outputHash
    for _ in 1..<Self.mostInspected where !hasChanged && ContinuousClock.seconds < end {
      buffers.spoilOutput()
      iterate()
      hasChanged = buffers.outputHash != verified.outputHash
    }
  }

  /// The maximum number of outputs that ``inspect(after:)`` checks after a sample.
  private static let mostInspected = 1000
  /// The number of seconds that ``inspect(after:)`` may take even after very short samples.
  private static let shortestInspection = 0.001

  /// Removes the input and the output from all CPU caches. In cases that time single calls, this method also
  /// frees the plans that the library has kept from earlier calls.
  func evict() {
    buffers.evict()
    if singleCall != nil { BlurPlanCache.removeAll() }
  }

  /// A description of what the kernel has done wrong since the checks, or nil if it has done nothing wrong.
  /// For example, it may have written outside the output, thrown an error, or produced a different output.
  var violation: String? {
    if let place = buffers.output.damage { return Self.outside(place) }
    if let failure { return failure }
    guard let verified, hasChanged || buffers.outputHash != verified.outputHash else { return nil }
    return "the output changed while the case was timed; \(item.commandForChanges(kernelOptions)) shows the "
      + "difference"
  }
}

extension Case {
  /// Returns a command that shows how the outputs of this case differ from each other. Error messages suggest
  /// this command to the user. If several threads work on the image, the command looks for a race between
  /// threads, which is the most likely reason.
  ///
  /// - Parameter options: The command-line options that name the external kernels.
  package func commandForChanges(_ options: [String]) -> String {
    let property = workload.threads > 1 ? "threads" : "repeat"
    let words = ["blurbench", "verify"] + options + ["--kernel", kernel, "--property", property]
    return "`\(words.joined(separator: " "))`"
  }
}

/// The input and output images of a case. Each case whose output is checked has its own output image. Kernels
/// that are only timed may share an output image.
final class CaseBuffers {
  let input: Image
  fileprivate let output: GuardedImage
  /// The output image of the most recent single call, or nil if there was no single call.
  private var result: Image?

  /// Allocates an output image. By default, the output has the layout of the input, and writes outside the
  /// output are detected.
  init(_ input: Image, output: ImageLayout? = nil, isGuarded: Bool = true) throws(BlurError) {
    self.input = input
    let layout = output ?? input.layout
    // The guard rows take a multiple of 64 bytes, so the alignment of the first pixel does not depend on
    // whether there are guard rows.
    let rows = isGuarded ? (Self.margin / layout.stride / 64 + 1) * 64 : 0
    self.output = try GuardedImage(layout, margin: rows * layout.stride)
  }

  /// The minimum number of guard bytes on each side of the output in memory.
  private static let margin = 4096

  var outputHash: String { withOutput(\.pixelHash) }

  /// Fills the pixels of the output with values that no blur is likely to write.
  fileprivate func spoilOutput() {
    let view = output.view
    for y in 0..<view.layout.height {
      // SAFETY: each row of a view holds `rowBytes` bytes, and `y` is less than the number of rows.
      view.unsafeRow(y).initializeMemory(as: UInt8.self, repeating: 0xA5, count: view.layout.rowBytes)
    }
  }

  fileprivate func withOutput<Result>(_ body: (ImageView) -> Result) -> Result {
    if let result { result.withView(body) } else { body(output.view.readOnly) }
  }

  fileprivate func evict() {
    input.evict()
    withOutput { $0.evict() }
  }

  fileprivate func blur(_ plan: BlurPlan) throws(BlurError) {
    try input.withView { (source) throws(BlurError) in try plan.blur(source, into: output.view) }
  }

  /// Makes a new image, and lets `call` blur the input into it.
  fileprivate func blur(
    _ call: (_ input: Image, _ result: inout Image) throws(BlurError) -> Void
  ) throws(BlurError) {
    var result = try Image(unfilled: input.layout)
    try call(input, &result)
    self.result = result
  }
}

extension ImageView {
  /// Whether a CPU instruction is available that removes data from the caches. Without such an instruction,
  /// cold blurs, which start with empty caches, cannot be timed.
  static let canEvict = withUnsafeBytes(of: 0) { bytes in
    bytes.baseAddress.map { caches_evict($0, bytes.count) } ?? false
  }

  /// Removes all bytes of the image from the caches, if ``canEvict`` is true.
  func evict() { _ = caches_evict(unsafeBase, layout.byteCount) }
}

extension Image {
  func evict() { withView { $0.evict() } }
}

extension Workload {
  /// Returns the parameters that a kernel needs to plan this workload.
  package func parameters(isa: InstructionSet, region: Region? = nil) throws(BlurError) -> BlurParameters {
    BlurParameters(sigma: try Sigma(sigma), edge: edge, region: region, instructionSet: isa)
  }
}
