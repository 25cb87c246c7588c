import Blur

/// A named check of something that is true of every correct blur.
public struct Property: Sendable {
  /// The name on the command line and in records, such as `threads`.
  public let name: String
  /// One line that says what is true.
  public let summary: String
  /// What the property is tried with by default.
  public let scope: Scope

  /// Whether the check chooses how many threads to try, whatever its subject says.
  public var choosesThreads: Bool { name == Self.threads.name }

  private let body: @Sendable (KernelUnderTest) throws -> Finding?

  /// Names a check. `body` returns the largest error it met, if it measures one, and throws ``Violation``
  /// where the property does not hold, ``NotApplicable`` where it says nothing.
  init(
    _ name: String, _ summary: String, scope: Scope = Scope(),
    body: @escaping @Sendable (KernelUnderTest) throws -> Finding?
  ) {
    self.name = name
    self.summary = summary
    self.scope = scope
    self.body = body
  }

  /// Checks `kernel` on one subject.
  public func check(_ kernel: Kernel, _ subject: Subject) -> CheckOutcome {
    check(kernel, subject, SharedWork())
  }

  /// Checks `kernel` on one of several subjects that have work in common.
  func check(_ kernel: Kernel, _ subject: Subject, _ known: SharedWork) -> CheckOutcome {
    guard applies(to: kernel) else { return .skipped("says nothing of kernel \(kernel.name)") }
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
      return .skipped(reason.message)
    } catch BlurError.unsupported(let kernel, let reason) {
      return .skipped(BlurError.unsupported(kernel: kernel, reason: reason).description)
    } catch {
      return .failed(Finding("\(error)"))
    }
  }
}

extension Property {
  /// Every property that needs nothing but a kernel. ``goldens(in:)`` needs a folder.
  public static let all: [Property] = [
    truth, shapes, large, thin, huge, axes, identity, constant, impulse, step, monotone, symmetries, quality,
    codes, region, tiles, threads, guards, strides, crops, inPlace, repeatable, nanLocal, certificate,
    cost,
  ]

  /// What a property is tried with by default: everything with everything, unless `drawnShare` is given.
  public struct Scope: Sendable {
    /// All formats, or those the property says something about.
    public var formats = PixelFormat.allCases
    /// Standard deviations in pixels, for both axes.
    public var sigmas: [Double] = [0.7, 2.5, 5]
    /// Names of edge modes, see ``Subject/edgeNames``.
    public var edges = Subject.edgeNames
    /// The images of its subjects; empty for a property whose check makes its own.
    public var images: [SampleImage] = []
    /// Where there are more images than can be tried with everything: each is tried in this share of the
    /// formats, with a sigma by axis and an edge mode that are drawn for it, of those that the kernel takes.
    /// Many images cover all of them.
    public var drawnShare: Double?
    /// How long its subjects may take; nil where all are tried.
    public var timeLimit: TimeLimit?
  }

  /// How long a property may take.
  public struct TimeLimit: Sendable {
    /// Times ``VerificationRun/seconds``.
    public var factor = 1.0
    /// How many subjects are tried in any case, each with all instruction sets.
    public var least = 10
  }
}

/// A test image of some size, as a subject names it.
public struct SampleImage: Hashable, Sendable {
  /// What is on it.
  public var kind: TestImage
  /// Its size in pixels.
  public var width: Int, height: Int

  /// What its random choices grow from.
  static let seed: UInt64 = 3

  /// Names an image.
  public init(kind: TestImage, width: Int, height: Int) {
    (self.kind, self.width, self.height) = (kind, width, height)
  }
}

/// What a kernel is checked on: a case, and the image where the property has none of its own.
public struct Subject: Hashable, Sendable {
  /// How the pixels are stored.
  public var format: PixelFormat
  /// Standard deviation in pixels by axis.
  public var sigma: Sigma
  /// What is read beyond the image.
  public var edge: EdgeMode
  /// The instruction set that the kernel must use.
  public var instructionSet: InstructionSet
  /// How many threads work on an image.
  public var threads: Int
  /// The image, where the property asks for one.
  public var image: SampleImage?

  /// Makes a subject; by default clamped edges, baseline instructions, one thread.
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

/// The result of a check.
public enum CheckOutcome: Sendable {
  /// The property holds; the largest error met, where the check measures one.
  case passed(Finding?)
  /// The property does not hold.
  case failed(Finding)
  /// The check could not be made, and why.
  case skipped(String)
}

/// What a check measured or noticed.
public struct Finding: Sendable {
  /// One line.
  public var message: String
  /// By how much and where, if that was measured.
  public var deviation: Deviation?
  /// The certificate, if one was made.
  public var certificate: CertificateRow?
  /// What a picture of a failure shows.
  public var images: FailureImages?

  init(_ message: String, _ deviation: Deviation? = nil, _ certificate: CertificateRow? = nil) {
    self.message = message
    self.deviation = deviation
    self.certificate = certificate
  }

  /// The same with another line.
  func saying(_ message: String) -> Finding { Finding(message, deviation, certificate) }
}

/// Thrown by a check whose property does not hold.
struct Violation: Error {
  var finding: Finding

  init(_ message: String, _ deviation: Deviation? = nil, _ images: FailureImages? = nil) {
    finding = Finding(message, deviation)
    finding.images = images
  }

  init(_ finding: Finding) { self.finding = finding }
}

/// Thrown by a check whose property says nothing about its subject.
struct NotApplicable: Error {
  let message: String

  init(_ message: String) { self.message = message }
}
