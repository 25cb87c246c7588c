import Blur

/// The checks that `blurbench verify` runs: all combinations of kernels, properties and subjects.
///
/// A run can be sent to another process. Its kernels and properties are not sent, because they contain code.
public struct VerificationRun: Codable, Sendable {
  /// The kernels to check.
  public var kernels: [Kernel] = []
  /// The properties to check.
  public var properties: [Property] = []
  /// The formats, the sigmas and the names of the edge modes to check. If one of these lists is nil, each
  /// property uses the values of its own scope instead.
  public var formats: [PixelFormat]?, sigmas: [Sigma]?, edgeNames: [String]?
  /// The images to check, for properties that use named images. If the list is nil, each property uses the
  /// images of its own scope.
  public var images: [SampleImage]?
  /// The instruction sets to use, or nil for all that both the kernel and this CPU support.
  public var instructionSets: [InstructionSet]?
  /// A Boolean value that indicates whether the widest instruction set of each kernel is used in addition to
  /// ``instructionSets``.
  public var includesWidest = false
  /// The numbers of threads to use. The property `threads` always tries its own numbers.
  public var threads: [Int]

  /// A Boolean value that indicates whether all checks are run, however long they take.
  public var isThorough = false
  /// The basis of the time limits, in seconds. The time limit for checking one property of one kernel is this
  /// time multiplied by the property's factor, ``Property/Scope/timeLimit``. After the limit, no further
  /// checks begin, but a minimum number of checks is always run. There is no limit if ``isThorough`` is true
  /// or ``images`` is not nil.
  public var seconds = 3.0

  private enum CodingKeys: CodingKey {
    case formats, sigmas, edgeNames, images, instructionSets, includesWidest, threads, isThorough, seconds
  }

  /// Creates a run. By default, it checks all kernels and properties.
  public init(
    kernels: [Kernel] = Registry.kernels, properties: [Property] = Property.all, threads: [Int] = [1]
  ) {
    self.kernels = kernels
    self.properties = properties
    self.threads = threads
  }

  /// Runs the checks of one property for one kernel, and returns them with their outcomes.
  ///
  /// - Parameters:
  ///   - support: The result of ``support(of:_:)`` for the kernel and the property, or nil to call that
  ///     method.
  ///   - isConcurrent: Whether several checks may run at the same time.
  ///   - begins: A closure that is called before each check with the index of its subject in
  ///     ``subjects(_:_:_:)``. The calls are only in order if `isConcurrent` is false.
  /// - Throws: ``Blur/BlurError/invalidSigma(_:)`` if the property has an invalid sigma in its scope. The
  ///   sigmas of all properties of this library are valid.
  public func checks(
    _ kernel: Kernel, _ property: Property, _ support: KernelSupport? = nil, isConcurrent: Bool = true,
    begins: @escaping @Sendable (_ place: Int) -> Void = { _ in }
  ) throws(BlurError) -> [Check] {
    let groups = try groups(kernel, property, support)
    let longSeries = LongSeries(isThorough: isThorough)
    let limit = isThorough || images != nil ? nil : property.scope.timeLimit
    let end = limit.map { ContinuousClock.now + .seconds(seconds * $0) }
    var (checks, hasFailed): ([Check], Bool) = ([], false)
    // The checks are run in batches. The batches are small, so that the checks end soon after the time limit.
    // The size of a batch is a multiple of most usual numbers of cores.
    let batchSize = isConcurrent ? 32 : 1
    // Combinations that the kernel does not support do not count towards the minimum. A kernel that supports
    // very few combinations may never reach the minimum. After the time limit, the checks therefore also end
    // if ten times the minimum number of combinations were tried, including unsupported ones.
    let least = property.scope.leastChecks
    var made = 0
    for start in stride(from: 0, to: groups.count, by: batchSize) {
      if let end, ContinuousClock.now > end, made >= least || start >= 10 * least { break }
      let batch = Array(groups[start..<min(start + batchSize, groups.count)])
      let results = concurrentMap(batch, isSerial: !isConcurrent) { group in
        // The checks of a group differ only in their instruction set and number of threads, so their test
        // images and correct results are the same. These are computed once, and shared by all checks of the
        // group.
        let shared = SharedWork(longSeries)
        return group.subjects.enumerated().map { index, subject in
          shared.progresses = { begins(group.place + index) }
          shared.progresses()
          return Check(
            kernel: kernel, property: property, subject: subject,
            outcome: property.check(kernel, subject, shared))
        }
      }
      made += results.count { group in group.contains { $0.outcome.reason == nil } }
      for check in results.joined() {
        // Only the first failure gets a picture, so the images of the other failures are not kept.
        checks.append(hasFailed ? check.withoutImages : check)
        hasFailed = hasFailed || check.outcome.failure != nil
      }
    }
    return checks
  }
}

/// A check of one property for one kernel under certain conditions (its subject), together with the outcome.
public struct Check: Sendable {
  /// The kernel, property and subject that were checked.
  public let kernel: Kernel, property: Property, subject: Subject
  /// The result of the check.
  public let outcome: CheckOutcome

  init(kernel: Kernel, property: Property, subject: Subject, outcome: CheckOutcome) {
    (self.kernel, self.property, self.subject, self.outcome) = (kernel, property, subject, outcome)
  }

  /// Creates a check that failed because the process in which it was run crashed or hung.
  ///
  /// - Parameter failure: The message that says how the process ended.
  public init(_ kernel: Kernel, _ property: Property, _ subject: Subject, failure: String) {
    var finding = Finding(failure)
    finding.cause = VerificationSummary.cause(ofEnd: failure)
    self.init(kernel: kernel, property: property, subject: subject, outcome: .failed(finding))
  }

  /// The command line that repeats only this check.
  public var command: String {
    let image = subject.image.map { ["--size", "\($0.width)x\($0.height)", "--image", $0.kind.rawValue] }
    let threads = property.choosesThreads ? [] : ["--threads", "\(subject.threads)"]
    let words =
      [
        "blurbench", "verify", "--kernel", kernel.name, "--property", property.name, "--format",
        "\(subject.format)", "--sigma", subject.sigma.spelled, "--edge", subject.edgeName, "--isa",
        subject.instructionSet.name,
      ] + threads + (image ?? [])
    return words.joined(separator: " ")
  }

  /// A run that consists of this check only.
  public var run: VerificationRun {
    var run = VerificationRun(
      kernels: [kernel], properties: [property], threads: [property.choosesThreads ? 1 : subject.threads])
    (run.formats, run.sigmas, run.edgeNames) = ([subject.format], [subject.sigma], [subject.edgeName])
    (run.instructionSets, run.images) = ([subject.instructionSet], subject.image.map { [$0] })
    return run
  }

  /// A short description of the conditions of a check, such as the format and sigma.
  var place: String {
    (subject.image.map { "\($0.width)x\($0.height) " } ?? "")
      + "\(subject.format) sigma \(subject.sigma.spelled) \(subject.edgeName) \(subject.instructionSet.name)"
  }
}
