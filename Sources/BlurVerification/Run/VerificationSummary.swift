import Blur
import BlurText

/// A summary of all checks of one property for one kernel. It is one row of the report.
public struct VerificationSummary: Codable, Sendable {
  /// The names of the kernel and the property.
  public let kernel: String, property: String
  /// The overall status. If a check failed, the status is `failed` or `suspect`. If all checks were skipped,
  /// it is `skipped`. Otherwise, it is `passed`.
  public let status: Status
  /// The number of checks. `checks` counts all of them, including skipped checks. `failed` counts only the
  /// checks that failed, and `skipped` counts only those that were skipped.
  public let checks: Int, failed: Int, skipped: Int
  /// The number of checks that were planned. It is larger than ``checks`` if there was not enough time for
  /// all of them.
  public let planned: Int
  /// The time in seconds that the checks took, or nil if it was not measured.
  public private(set) var seconds: Double?
  /// The largest error found, in levels, or nil if none was measured or it is not finite.
  public private(set) var maxErrorLevels: Double?
  /// The column, row and channel of the largest error.
  public private(set) var x: Int?, y: Int?, channel: Int?
  /// A description of the check with the largest error: its conditions and its image.
  public private(set) var worstCase: String?
  /// A description of the first failure, or the reason why checks were skipped.
  public private(set) var message: String?
  /// The kind of the failure in a few words, such as "wrong" or "crashes", or nil if no check failed. The
  /// report shows the failures of one kernel with the same cause together.
  public private(set) var cause: String?
  /// A sentence about the likely cause of the failure, or nil if none was found.
  public private(set) var advice: String?
  /// The formats, edge modes, instruction sets and numbers of threads that were checked, and how many checks
  /// failed with each of them. The array is nil if no check failed, or if the failures depend on chance.
  private(set) var values: [CheckedValue]?
  /// The reasons for skipping checks, each with the number of checks that were skipped. The number is 0 for a
  /// reason that concerns no particular check, such as an instruction set that the CPU lacks.
  public private(set) var skipReasons: [String: Int]?
  /// The command that repeats the first failing check, or nil if none failed.
  public private(set) var command: String?
  /// A command that shows a similar failure on a small named image. It is set only for properties that make
  /// their own images, which cannot be named on the command line.
  public private(set) var smallest: String?
  /// The path of a picture of the failure, or nil if none was drawn.
  public private(set) var picture: String?
  /// A description of what the picture shows, or the reason why there is none.
  public private(set) var pictureNote: String?
  /// The most important certificates. Usually, there is one for each gray format and sigma, with the edge
  /// mode `clamp`.
  public private(set) var certificates: [CertificateRow]?

  /// The overall status of all checks.
  public enum Status: String, Codable, Sendable {
    case passed = "PASSED"
    case failed = "FAILED"
    case skipped = "SKIPPED"
    /// The results of the kernel do not look like a Gaussian blur. The kernel does not break its promise,
    /// though, because it promises no error bound, or only a very large one. Only the property `plausible`
    /// has this status.
    case suspect = "SUSPECT"

    /// A Boolean value that indicates whether any check failed.
    public var isFailure: Bool { self == .failed || self == .suspect }
  }

  private enum CodingKeys: String, CodingKey {
    case kernel, property, status, checks, failed, skipped, planned, seconds
    case maxErrorLevels = "max_error_levels"
    case x, y, channel
    case worstCase = "worst_case"
    case message, cause, advice, values
    case skipReasons = "skip_reasons"
    case command, smallest, picture
    case pictureNote = "picture_note"
    case certificates
  }

  /// Creates the summary for a file whose kernels cannot be loaded. In the report, the file's name takes the
  /// place of a kernel's name.
  public init(unloaded file: String, reason: String, _ command: String) {
    self.init(kernel: file, property: "loading", failure: reason, command)
    (cause, pictureNote) = ("cannot be loaded", "no kernel ran")
  }

  /// Creates the summary of a failure that affects all checks, such as a crash of the process that runs them.
  public init(kernel: String, property: String, failure: String, _ command: String) {
    self.kernel = kernel
    self.property = property
    status = .failed
    (checks, failed, skipped, planned) = (1, 1, 0, 1)
    (message, self.command, cause) = (failure, command, Self.cause(ofEnd: failure))
  }

  /// Creates the summary of something that could not be checked at all, such as an instruction set that the
  /// CPU lacks.
  public init(kernel: String, property: String, skipped reason: String) {
    self.kernel = kernel
    self.property = property
    status = .skipped
    (checks, failed, skipped, planned) = (0, 0, 0, 0)
    (message, skipReasons) = (reason, [reason: 0])
  }

  /// Summarises the checks of one kernel and property. There must be at least one.
  ///
  /// - Parameters:
  ///   - planned: The number of planned checks, or nil if `all` contains all of them.
  ///   - seconds: The time that the checks took.
  ///   - example: The failure that the summary describes. By default, it is the first failed check.
  ///   - smallest: A check that shows a similar failure on an image that is as small as possible and can be
  ///     named on the command line.
  public init(
    _ all: [Check], planned: Int? = nil, seconds: Double? = nil, example: Check? = nil, smallest: Check? = nil
  ) {
    let failures = all.filter { $0.outcome.failure != nil }
    let shown = example ?? failures.first
    let reasons = all.compactMap(\.outcome.reason)
    // If any checks have failed, the largest error is taken from the failed checks, even if a passed check
    // has a larger error. It may also come from `example`, a failed check that was repeated on a smaller
    // image.
    let candidates = failures.isEmpty ? all : failures + [example].compactMap(\.self)
    let worst = candidates.max { $0.errorLevels < $1.errorLevels }
    let deviation = worst?.outcome.finding?.deviation
    kernel = all[0].kernel.name
    property = all[0].property.name
    // If a kernel crashes or reports an error, there is no result and therefore no deviation. The status is
    // then `failed`, not `suspect`.
    let isSuspect =
      property == Property.plausible.name && failures.allSatisfy { $0.outcome.finding?.deviation != nil }
    status =
      !failures.isEmpty
      ? isSuspect ? .suspect : .failed : reasons.count == all.count ? .skipped : .passed
    (checks, failed, skipped) = (all.count, failures.count, reasons.count)
    self.planned = planned ?? all.count
    self.seconds = seconds
    maxErrorLevels = deviation.flatMap { $0.maxLevels.isFinite ? $0.maxLevels : nil }
    (x, y, channel) = (deviation?.x, deviation?.y, deviation?.channel)
    worstCase = deviation == nil ? nil : worst.map { "\($0.place), \($0.outcome.finding?.message ?? "")" }
    skipReasons = reasons.isEmpty ? nil : Dictionary(reasons.map { ($0, 1) }, uniquingKeysWith: +)
    message = shown?.outcome.failure?.message ?? Set(reasons).min()
    if !failures.isEmpty {
      cause = shown?.outcome.failure?.cause ?? shown?.property.fault
      // The property `threads` searches for races only in its first checks. The values that these checks have
      // in common say nothing about the cause of a race.
      values =
        property == Property.threads.name
        ? nil : CheckedValue.all(of: all, failures + [example, smallest].compactMap(\.self))
    }
    command = shown?.command
    self.smallest = smallest?.command
    certificates = Self.certificates(of: all)
  }

  /// Selects the certificates that the summary contains, or returns nil if there are none.
  ///
  /// Only certificates for the kernel's widest instruction set and the number of threads of the first check
  /// are selected. If any of them are for gray formats, the other formats are left out. If any of the
  /// remaining certificates are for edge mode `clamp`, the other edge modes are left out.
  private static func certificates(of all: [Check]) -> [CertificateRow]? {
    let widest = all.filter {
      $0.subject.instructionSet == $0.kernel.instructionSet(upTo: .best)
        && $0.subject.threads == all[0].subject.threads
    }
    let gray = widest.filter { $0.subject.format.channels == 1 }.compactMap(\.outcome.finding?.certificate)
    let rows = gray.isEmpty ? widest.compactMap(\.outcome.finding?.certificate) : gray
    let clamped = rows.filter { $0.edge == EdgeMode.clamp.name }
    return rows.isEmpty ? nil : clamped.isEmpty ? rows : clamped
  }
}

extension VerificationSummary {
  /// Adds a picture of the failure to this summary, by calling the closure `picture`. If the closure throws
  /// an error, the summary has no picture, and its note describes the error.
  ///
  /// - Parameter picture: A closure that draws the failure and writes the picture to a file. It returns the
  ///   path of the file and a note that says what the picture shows. If there is nothing to draw, it returns
  ///   nil instead of the path, and the note gives the reason.
  public mutating func draw(_ picture: () throws -> (path: String?, note: String)) {
    do { (self.picture, pictureNote) = try picture() } catch { pictureNote = "\(error)" }
  }

  /// Adds the likely cause of the failure.
  public mutating func explain(_ diagnosis: Diagnosis) {
    cause = diagnosis.cause ?? cause
    advice = diagnosis.advice
  }

  /// The cause of a failure if blurs of the same image on several threads give different results.
  static let race = "a race between threads"

  /// Returns the likely cause if the kernel returned no result, for example because its process crashed or
  /// hung. The cause is derived from `message`, the description of the failure.
  static func cause(ofEnd message: String) -> String {
    // The first of these two regular expressions matches messages from `SharedPage.fault`, and the second one
    // matches messages from `float_modes_change`.
    if let fault = message.firstMatch(of: #/^crashed.*: (read|write) [^;]*? of the (source|destination)/#) {
      switch (fault.1, fault.2) {
      case ("write", "destination"): return "writes outside the result"
      case ("read", "source"): return "reads outside the source"
      default: return "crashes"
      }
    }
    if message.contains(#/ has changed (the rounding mode|whether the CPU|which exceptions of the CPU)/#) {
      return "changes the state of the CPU"
    }
    return message.hasPrefix("crashed") ? "crashes" : message.contains("hangs: ") ? "hangs" : "fails"
  }

  /// Adds to the message that the check does not fail when it runs alone, which means that the failure
  /// depends on earlier blurs or on chance. This also becomes the cause of the failure, unless the checks
  /// have found a more specific cause. The command of this summary is replaced by `command`, which repeats
  /// all checks of the property.
  public mutating func dependsOnOthers(_ command: String) {
    message =
      (message ?? "") + "; the check does not fail when it runs alone, so the failure depends on earlier "
      + "blurs or on chance; the command repeats all checks of the property"
    if cause == Property.fault(of: property), property != Property.threads.name {
      (cause, advice) = ("depends on earlier blurs or on chance", nil)
    }
    values = nil
    // The check of the property named `threads` always tries several numbers of threads and ignores the
    // option `--threads`. This option is therefore removed from the command. Otherwise, the command would
    // wrongly suggest that the kernel fails with one particular number of threads.
    self.command =
      property == Property.threads.name ? command.replacing(#/ --threads [^ ]+/#, with: "") : command
  }

  /// Removes the command that shows a similar failure on a small test image. Call this method if the command
  /// does not reproduce a failure when it runs alone.
  public mutating func forgetSmallest() { smallest = nil }

  /// Returns a copy of the summary whose commands end with `words`, the options that name external kernels.
  public func repeated(with words: [String]) -> VerificationSummary {
    var copy = self
    copy.command = command.map { ([$0] + words).joined(separator: " ") }
    copy.smallest = smallest.map { ([$0] + words).joined(separator: " ") }
    return copy
  }
}

extension CheckOutcome {
  /// A description of the failure, or the reason why nothing could be checked.
  public var message: String { failure?.message ?? reason ?? "" }

  var finding: Finding? {
    switch self {
    case .passed(let finding): finding
    case .failed(let finding): finding
    case .skipped(_, let finding): finding
    }
  }

  package var failure: Finding? { if case .failed(let finding) = self { finding } else { nil } }

  var reason: String? { if case .skipped(let reason, _) = self { reason } else { nil } }
}

extension Check {
  /// The largest error in levels. If no error was measured, the value is −1, which is less than any error.
  fileprivate var errorLevels: Double { outcome.finding?.deviation?.maxLevels ?? -1 }
}
