import Blur

/// A named check of something that is true of every correct blur.
public struct Property: Sendable {
  /// The name on the command line and in records, such as `threads`.
  public let name: String
  /// One line that says what is true.
  public let summary: String
  /// What the property is tried with by default.
  public let scope: Scope

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
  public func check(_ kernel: Kernel, _ subject: Subject) -> Outcome {
    guard subject.instructionSet.isAvailable else {
      return .skipped(BlurError.unavailable(subject.instructionSet).description)
    }
    guard kernel.instructionSets.contains(subject.instructionSet) else {
      return .skipped("kernel \(kernel.name) has no \(subject.instructionSet.name) code")
    }
    do {
      return .passed(try body(KernelUnderTest(kernel: kernel, subject: subject)))
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
    truth, axes, identity, constant, impulse, step, monotone, symmetries, sizes, region, tiles, threads,
    guards,
    strides, crops, inPlace, repeatable, nanLocal, certificate,
  ]

  /// The formats, sigmas and edge modes that a property is tried with by default.
  public struct Scope: Sendable {
    /// All formats, or those the property says something about.
    public var formats = PixelFormat.allCases
    /// Standard deviations in pixels, for both axes.
    public var sigmas: [Double] = [0.7, 2.5, 5]
    /// Names of edge modes, see ``Subject/edgeNames``.
    public var edges = Subject.edgeNames
  }
}

/// What a kernel is checked on: a case without its image.
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

  /// Makes a subject; by default clamped edges, baseline instructions, one thread.
  public init(
    _ format: PixelFormat, sigma: Sigma, edge: EdgeMode = .clamp, instructionSet: InstructionSet = .baseline,
    threads: Int = 1
  ) {
    self.format = format
    self.sigma = sigma
    self.edge = edge
    self.instructionSet = instructionSet
    self.threads = threads
  }
}

/// The result of a check.
public enum Outcome: Sendable {
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

  init(_ message: String, _ deviation: Deviation? = nil) {
    self.message = message
    self.deviation = deviation
  }
}

/// Thrown by a check whose property does not hold.
struct Violation: Error {
  let finding: Finding

  init(_ message: String, _ deviation: Deviation? = nil) { finding = Finding(message, deviation) }
}

/// Thrown by a check whose property says nothing about its subject.
struct NotApplicable: Error {
  let message: String

  init(_ message: String) { self.message = message }
}
