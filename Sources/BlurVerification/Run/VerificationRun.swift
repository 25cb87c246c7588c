import Blur

/// Kernels × properties × subjects: what `blurbench verify` runs.
public struct VerificationRun: Sendable {
  /// The kernels to check.
  public var kernels: [Kernel]
  /// The properties to check them for.
  public var properties: [Property]
  /// Formats, sigmas and edge modes (by name) to check; nil for each property's own choice.
  public var formats: [PixelFormat]?, sigmas: [Sigma]?, edgeNames: [String]?
  /// Images to check, for the properties that are tried with some; nil for each property's own choice.
  public var images: [SampleImage]?
  /// Instruction sets to use; nil for all that a kernel and this CPU have.
  public var instructionSets: [InstructionSet]?
  /// Whether each kernel's widest set is used besides those that are named.
  public var includesWidest = false
  /// Numbers of threads to use. Property `threads` tries others by itself.
  public var threads: [Int]

  /// Whether time does not matter.
  public var isThorough = false
  /// How long a property may go on that has a ``Property/TimeLimit``. Images that are drawn are in no order,
  /// so that any number of them is a fair sample.
  public var seconds = 3.0

  /// Makes a run; by default everything.
  public init(
    kernels: [Kernel] = Registry.kernels, properties: [Property] = Property.all, threads: [Int] = [1]
  ) {
    self.kernels = kernels
    self.properties = properties
    self.threads = threads
  }

  /// Makes all checks, on all cores.
  ///
  /// - Parameter progress: called now and then with the number of checks done and of all.
  /// - Returns: the checks, ordered by kernel and property.
  /// - Throws: ``Blur/BlurError/invalidSigma(_:)``, which no sigma of a scope does.
  public func checks(progress: (_ done: Int, _ all: Int) -> Void = { _, _ in }) throws(BlurError) -> [Check] {
    var checks: [Check] = []
    for kernel in kernels {
      for property in properties {
        checks += try self.checks(kernel, property, progress: progress)
      }
    }
    return checks
  }

  /// Makes the checks of one property of one kernel.
  ///
  /// - Parameters:
  ///   - support: what the kernel takes, see ``support(of:_:)``; by default it is asked.
  ///   - isConcurrent: whether checks may be made at the same time.
  ///   - begins: called before each check with its place among ``subjects(_:_:)``, where they are not
  ///     concurrent.
  ///   - progress: called now and then with the number of checks done and of all.
  public func checks(
    _ kernel: Kernel, _ property: Property, _ support: KernelSupport? = nil, isConcurrent: Bool = true,
    begins: @escaping @Sendable (_ place: Int) -> Void = { _ in },
    progress: (_ done: Int, _ all: Int) -> Void = { _, _ in }
  ) throws(BlurError) -> [Check] {
    let groups = try groups(kernel, property, support)
    let count = groups.reduce(0) { $0 + $1.subjects.count }
    let limit = isThorough || images != nil ? nil : property.scope.timeLimit
    let end = limit.map { ContinuousClock.now + .seconds(seconds * $0.factor) }
    var (checks, hasFailed): ([Check], Bool) = ([], false)
    // Batches are short, for a steady progress line, and a multiple of any usual number of cores.
    let batchSize = isConcurrent ? 32 : 1
    for start in stride(from: 0, to: groups.count, by: batchSize) {
      if let limit, let end, start >= limit.least, ContinuousClock.now > end { break }
      let batch = Array(groups[start..<min(start + batchSize, groups.count)])
      let more = concurrentMap(batch, isSerial: !isConcurrent) { group in
        // Subjects of a group differ in their instruction set alone, and have work in common.
        let shared = SharedWork()
        return group.subjects.enumerated().map { index, subject in
          begins(group.place + index)
          return Check(
            kernel: kernel, property: property, subject: subject,
            outcome: property.check(kernel, subject, shared))
        }
      }.joined()
      for check in more {
        // The first failure is drawn: the others need no images.
        checks.append(hasFailed ? check.withoutImages : check)
        hasFailed = hasFailed || check.outcome.failure != nil
      }
      progress(checks.count, count)
    }
    return checks
  }
}

/// One property of one kernel, checked on one subject.
public struct Check: Sendable {
  /// What was checked.
  public let kernel: Kernel, property: Property, subject: Subject
  /// How it went.
  public let outcome: CheckOutcome

  init(kernel: Kernel, property: Property, subject: Subject, outcome: CheckOutcome) {
    (self.kernel, self.property, self.subject, self.outcome) = (kernel, property, subject, outcome)
  }

  /// A check that failed in another process.
  public init(_ kernel: Kernel, _ property: Property, _ subject: Subject, failure: String) {
    self.init(kernel: kernel, property: property, subject: subject, outcome: .failed(Finding(failure)))
  }

  /// The command that makes this check again, and no other.
  public var command: String { "blurbench verify " + words.joined(separator: " ") }

  /// The same as words of a command line.
  public var words: [String] {
    let image = subject.image.map { ["--size", "\($0.width)x\($0.height)", "--image", $0.kind.rawValue] }
    let threads = property.choosesThreads ? [] : ["--threads", "\(subject.threads)"]
    return [
      "--kernel", kernel.name, "--property", property.name, "--format", "\(subject.format)", "--sigma",
      subject.sigma.spelled, "--edge", subject.edgeName, "--isa", subject.instructionSet.name,
    ] + threads + (image ?? [])
  }

  /// The subject in a few words.
  var place: String {
    (subject.image.map { "\($0.width)x\($0.height) " } ?? "")
      + "\(subject.format) sigma \(subject.sigma.spelled) \(subject.edgeName) \(subject.instructionSet.name)"
  }
}
