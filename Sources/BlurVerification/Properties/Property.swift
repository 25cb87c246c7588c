import Blur

/// A statement that holds for every correct blur, together with its name and the code that checks it.
public struct Property: Sendable {
  /// The name of the property on the command line and in records, such as `threads`.
  public let name: String
  /// The statement that the property checks, in one line.
  public let summary: String
  /// The combinations of format, sigma, edge mode and image with which the property is checked by default.
  public let scope: Scope

  /// A Boolean value that indicates whether the check chooses the numbers of threads itself and ignores the
  /// number in its subject.
  public var choosesThreads: Bool { name == Self.threads.name }

  /// A short description of what is wrong with a kernel that does not have this property, such as "wrong in
  /// place". A report uses this description unless the check has found a more specific cause of the failure.
  var fault: String { Self.fault(of: name) }

  /// Returns ``fault`` for the property with the given name.
  static func fault(of name: String) -> String { faults[name] ?? "wrong" }

  private static let faults = [
    threads.name: "differs with the number of threads", repeatable.name: "differs from blur to blur",
    strides.name: "differs with stride or address", crops.name: "differs inside a larger image",
    inPlace.name: "wrong in place", region.name: "a part differs from the whole",
    tiles.name: "a part differs from the whole", cost.name: "costs too much",
    nanLocal.name: "NaN spreads too far or not far enough", bias.name: "wrong on average",
    state.name: "leaves the thread or the process changed", overlap.name: "overlapping buffers",
  ]

  private let body: @Sendable (KernelUnderTest) throws -> Finding?

  /// Creates a property.
  ///
  /// - Parameter body: The check. It returns the largest error that it has found, or nil if it measures no
  ///   errors. It throws ``Violation`` if the property does not hold, and ``NotApplicable`` if the property
  ///   cannot be checked under these conditions, for example in this pixel format.
  init(
    _ name: String, _ summary: String, scope: Scope = Scope(),
    body: @escaping @Sendable (KernelUnderTest) throws -> Finding?
  ) {
    self.name = name
    self.summary = summary
    self.scope = scope
    self.body = body
  }

  /// Checks the property for `kernel` under the conditions that `subject` describes.
  public func check(_ kernel: Kernel, _ subject: Subject) -> CheckOutcome {
    check(kernel, subject, SharedWork())
  }

  /// Checks `kernel` under the conditions that `subject` describes. The check reuses images, correct results
  /// and blurs that similar checks have stored in `known`.
  func check(_ kernel: Kernel, _ subject: Subject, _ known: SharedWork) -> CheckOutcome {
    guard applies(to: kernel) else {
      return .skipped("the property does not apply to kernel \(kernel.name)")
    }
    guard subject.instructionSet.isAvailable else {
      return .skipped(BlurError.unavailable(subject.instructionSet).description)
    }
    guard kernel.instructionSets.contains(subject.instructionSet) else {
      return .skipped("kernel \(kernel.name) has no \(subject.instructionSet.name) code")
    }
    do {
      return .passed(try body(KernelUnderTest(kernel: kernel, subject: subject, known: known)))
    } catch let violation as Violation {
      return .failed(violation.finding)
    } catch let reason as NotApplicable {
      return .skipped(reason.message, measured: reason.measured)
    } catch BlurError.unsupported(let kernel, let reason) {
      return .skipped(BlurError.unsupported(kernel: kernel, reason: reason).description)
    } catch {
      var finding = Finding("\(error)")
      finding.cause = VerificationSummary.cause(ofEnd: finding.message)
      return .failed(finding)
    }
  }
}

extension Property {
  /// All properties that can be checked with a kernel alone. The property ``goldens(in:)`` also needs a
  /// folder.
  public static let all: [Property] = [
    truth, shapes, large, thin, blocks, edges, thresholds, huge, axes, identity, constant, impulse, step,
    monotone, symmetries, quality, codes, pixels, region, tiles, downscaled, threads, guards, strides, crops,
    overlap,
    inPlace, repeatable, nanLocal, scale, bias, state, plausible, certificate, cost,
  ]

  /// The conditions under which a property is checked by default: all combinations of formats, sigmas, edge
  /// modes and images, or combinations that are drawn at random.
  public struct Scope: Sendable {
    /// The pixel formats in which the property is checked. The default is all formats. A property that
    /// applies only to some formats lists only these formats.
    public var formats = PixelFormat.allCases
    /// The standard deviations, in pixels, with which the property is checked. Each is used for both axes.
    public var sigmas: [Double] = [0.7, 2.5, 5]
    /// The names of the edge modes with which the property is checked. They are elements of
    /// ``Subject/edgeNames``.
    public var edges = Subject.edgeNames
    /// The test images with which the property is checked. The list is empty if the check makes its own
    /// images.
    public var images: [SampleImage] = []
    /// A closure that returns whether a subject is also checked with the narrower instruction sets, and not
    /// only with the widest one. Expensive properties check only some subjects with the narrower sets. The
    /// closure is ignored if the user has chosen the instruction sets.
    var includesNarrowSets: @Sendable (Subject) -> Bool = { _ in true }
    /// A fraction from 0 to 1 that determines how many random checks are made with each image. On average,
    /// the number is this fraction times the number of all pixel formats. The value is nil if every
    /// combination of format, sigma, edge mode and image is checked. The format, the edge mode and the sigmas
    /// of a random check are drawn from the values that the kernel supports. Properties with very many images
    /// use random checks.
    public var drawnShare: Double?
    /// The time limit for all checks of the property together, as a multiple of ``VerificationRun/seconds``.
    /// It is nil if there is no limit.
    public var timeLimit: Double?
    /// The minimum number of combinations of format, sigma, edge mode and image that are checked, even if the
    /// time limit has already passed. Each of these combinations is checked with all instruction sets.
    public var leastChecks = 10
  }
}

/// A test image, described by its content and its size.
public struct SampleImage: Codable, Hashable, Sendable {
  /// The content of the image.
  public var kind: TestImage
  /// The width and height of the image in pixels.
  public var width: Int, height: Int

  /// The seed of the image's random choices.
  static let seed: UInt64 = 3

  /// Creates the description of a test image.
  public init(kind: TestImage, width: Int, height: Int) {
    (self.kind, self.width, self.height) = (kind, width, height)
  }
}

/// The conditions under which a kernel is checked: pixel format, sigma, edge mode, instruction set, number of
/// threads and test image. There is no test image if the property makes its own images.
public struct Subject: Hashable, Sendable {
  /// The pixel format of the images.
  public var format: PixelFormat
  /// The standard deviation in pixels for each axis.
  public var sigma: Sigma
  /// The edge mode, which says how the image continues beyond its edges.
  public var edge: EdgeMode
  /// The instruction set that the kernel must use.
  public var instructionSet: InstructionSet
  /// The number of threads that work on an image.
  public var threads: Int
  /// The image to blur, or nil if the property makes its own images.
  public var image: SampleImage?

  /// Creates a subject. The defaults are clamped edges, baseline instructions and one thread.
  public init(
    _ format: PixelFormat, sigma: Sigma, edge: EdgeMode = .clamp, instructionSet: InstructionSet = .baseline,
    threads: Int = 1, image: SampleImage? = nil
  ) {
    self.format = format
    self.sigma = sigma
    self.edge = edge
    self.instructionSet = instructionSet
    self.threads = threads
    self.image = image
  }
}

extension Subject {
  /// The names of the edge modes that are checked: the library's own, and `constant-colour`, which is the
  /// constant mode with a colour other than black.
  public static let edgeNames = EdgeMode.allCases.map(\.name) + ["constant-colour"]

  /// Returns the edge mode with the given name, or nil if the name is unknown. The colour of
  /// `constant-colour` is expressed in the units of `format`.
  static func edge(named name: String, for format: PixelFormat) -> EdgeMode? {
    guard name == "constant-colour" else { return EdgeMode(name: name) }
    let colour = SIMD4<Double>(200, 30, 90, 250) / 255 * format.fullScale
    return .constant(SIMD4<Float>(colour))
  }

  /// The name of the subject's edge mode. It is an element of ``edgeNames``.
  public var edgeName: String {
    if case .constant(let pixel) = edge, pixel != .zero { "constant-colour" } else { edge.name }
  }
}

// The conditions of a check are sent to other processes as JSON, so the types that describe them are
// encodable.

extension PixelFormat: Codable {}
extension InstructionSet: Codable {}

extension Sigma: Codable {
  public init(from decoder: any Decoder) throws {
    let axes = try decoder.singleValueContainer().decode([Double].self)
    guard axes.count == 2 else { throw BlurError.invalidSigma(.nan) }
    try self.init(x: axes[0], y: axes[1])
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode([x, y])
  }

  /// The sigma as text, such as "5", or "5x2" if the two axes differ.
  package var spelled: String { x == y ? "\(x)" : "\(x)x\(y)" }
}

/// The result of a check.
public enum CheckOutcome: Sendable {
  /// The property holds. The value is the largest error found, if the check measures one.
  case passed(Finding?)
  /// The property does not hold. The value describes the failure.
  case failed(Finding)
  /// The check could not judge the kernel. The first value is the reason. If the check measured something
  /// anyway, the second value describes it.
  case skipped(String, measured: Finding? = nil)
}

/// A measurement that a check made, or a problem that it found.
public struct Finding: Sendable {
  /// A description of the measurement or of the problem, in one line.
  public var message: String
  /// The size and position of the error, if it was measured.
  public var deviation: Deviation?
  /// The certificate, if the check computed one.
  public var certificate: CertificateRow?
  /// The images for a picture of the failure.
  public var images: FailureImages?
  /// A specific cause of the failure in a few words, or nil if the general description in ``Property/fault``
  /// applies.
  var cause: String?

  init(_ message: String, _ deviation: Deviation? = nil, _ certificate: CertificateRow? = nil) {
    self.message = message
    self.deviation = deviation
    self.certificate = certificate
  }

  /// Returns a copy of the finding with a different message and without images.
  func saying(_ message: String) -> Finding { Finding(message, deviation, certificate) }
}

/// The error that a check throws if its property does not hold.
struct Violation: Error {
  var finding: Finding

  init(
    _ message: String, _ deviation: Deviation? = nil, _ images: FailureImages? = nil, cause: String? = nil
  ) {
    finding = Finding(message, deviation)
    (finding.images, finding.cause) = (images, cause)
  }

  init(_ finding: Finding) { self.finding = finding }
}

/// The error that a check throws if its property cannot be checked under the given conditions, for example in
/// this pixel format.
struct NotApplicable: Error {
  let message: String
  /// The error that a check measured but did not judge, or nil if it measured none.
  let measured: Finding?

  init(_ message: String, measured: Finding? = nil) { (self.message, self.measured) = (message, measured) }
}
