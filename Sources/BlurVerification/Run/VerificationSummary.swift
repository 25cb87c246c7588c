import Blur

/// All checks of one property of one kernel together: a row of the report.
public struct VerificationSummary: Codable, Sendable {
  /// The kernel's and the property's names.
  public let kernel: String, property: String
  /// FAILED if any check failed, SKIPPED if none could be made.
  public let status: Status
  /// How many checks were made, and how many of them failed or could not be made.
  public let checks: Int, failed: Int, skipped: Int
  /// How many checks there are, where time did not allow for all.
  public let planned: Int
  /// How long the checks took, where that was measured.
  public let seconds: Double?
  /// The largest error met, in levels; nil where none was measured or it is not finite.
  public let maxErrorLevels: Double?
  /// Where the largest error is.
  public let x: Int?, y: Int?, channel: Int?
  /// The subject and image of the largest error.
  public let worstCase: String?
  /// What failed first, or why checks could not be made.
  public private(set) var message: String?
  /// What all failures have in common, where other checks pass.
  public let shared: String?
  /// Why checks could not be made, and how many each; 0 for what has no checks.
  public let skipReasons: [String: Int]?
  /// For a failure, the command that repeats the first failing check.
  public private(set) var command: String?
  /// For a failure on an image of the property's own, the command of the smallest named image that was found
  /// to be blurred wrongly too.
  public private(set) var smallest: String?
  /// The path of a picture of the failure.
  public private(set) var picture: String?
  /// What the picture shows, or why there is none.
  public private(set) var pictureNote: String?
  /// What certificates say, one for each sigma of the gray formats.
  public private(set) var certificates: [CertificateRow]?

  /// PASSED, FAILED or SKIPPED.
  public enum Status: String, Codable, Sendable {
    case passed = "PASSED"
    case failed = "FAILED"
    case skipped = "SKIPPED"
  }

  private enum CodingKeys: String, CodingKey {
    case kernel, property, status, checks, failed, skipped, planned, seconds
    case maxErrorLevels = "max_error_levels"
    case x, y, channel
    case worstCase = "worst_case"
    case message, shared
    case skipReasons = "skip_reasons"
    case command, smallest, picture
    case pictureNote = "picture_note"
    case certificates
  }

  /// Sums up checks, one row for each kernel and property, in their order.
  public static func summaries(of checks: [Check]) -> [VerificationSummary] {
    var order: [[String]] = []
    let groups = Dictionary(grouping: checks) { [$0.kernel.name, $0.property.name] }
    for check in checks where order.last != [check.kernel.name, check.property.name] {
      order.append([check.kernel.name, check.property.name])
    }
    return order.compactMap { groups[$0].map { VerificationSummary($0) } }
  }

  /// A failure of everything that was to be checked, such as a process that died.
  public init(kernel: String, property: String, failure: String, _ command: String) {
    self.kernel = kernel
    self.property = property
    status = .failed
    (checks, failed, skipped, planned) = (1, 1, 0, 1)
    (seconds, maxErrorLevels, x, y, channel, worstCase, skipReasons) = (nil, nil, nil, nil, nil, nil, nil)
    (message, shared) = (failure, nil)
    self.command = command
  }

  /// Something that could not be checked at all, such as an instruction set that the CPU lacks.
  public init(kernel: String, property: String, skipped reason: String) {
    self.kernel = kernel
    self.property = property
    status = .skipped
    (checks, failed, skipped, planned) = (0, 0, 0, 0)
    (seconds, maxErrorLevels, x, y, channel, worstCase, command) = (nil, nil, nil, nil, nil, nil, nil)
    skipReasons = [reason: 0]
    (message, shared) = (reason, nil)
  }

  /// Sums up checks of one kernel and property; at least one.
  ///
  /// - Parameters:
  ///   - planned: how many there are, where time did not allow for all.
  ///   - seconds: how long they took.
  ///   - example: the failure to show; by default the first.
  ///   - smallest: what shows the same failure on an image of its own.
  public init(
    _ all: [Check], planned: Int? = nil, seconds: Double? = nil, example: Check? = nil, smallest: Check? = nil
  ) {
    let failures = all.filter { $0.outcome.failure != nil }
    let shown = example ?? failures.first
    let reasons = all.compactMap(\.outcome.reason)
    // What failed matters more than the larger error of something that may err.
    // The example may be a smaller image, with a larger error.
    let candidates = failures.isEmpty ? all : failures + [example].compactMap(\.self)
    let worst = candidates.max { $0.errorLevels < $1.errorLevels }
    let deviation = worst?.outcome.finding?.deviation
    kernel = all[0].kernel.name
    property = all[0].property.name
    status = !failures.isEmpty ? .failed : reasons.count == all.count ? .skipped : .passed
    (checks, failed, skipped) = (all.count, failures.count, reasons.count)
    self.planned = planned ?? all.count
    self.seconds = seconds
    maxErrorLevels = deviation.flatMap { $0.maxLevels.isFinite ? $0.maxLevels : nil }
    (x, y, channel) = (deviation?.x, deviation?.y, deviation?.channel)
    worstCase = deviation == nil ? nil : worst.map { "\($0.place), \($0.outcome.finding?.message ?? "")" }
    skipReasons = reasons.isEmpty ? nil : Dictionary(reasons.map { ($0, 1) }, uniquingKeysWith: +)
    // The first failure alone has images, and is not reduced to so few pixels that blurs look alike.
    let causes = [RowPattern(all)?.text, failures.first.flatMap(OtherBlur.init)?.text].compactMap(\.self)
    message =
      (shown?.outcome.failure?.message).map { ([$0] + causes).joined(separator: "; ") } ?? Set(reasons).min()
    shared = SharedTraits(all, shown: [example, smallest].compactMap(\.self))?.text
    command = shown?.command
    self.smallest = smallest?.command
    certificates = Self.certificates(of: all)
  }

  /// What shows all that there is to know: formats of one channel, widest vectors, and clamped edges, or all
  /// formats or edges where those were not certified.
  private static func certificates(of all: [Check]) -> [CertificateRow]? {
    let widest = all.filter { $0.subject.instructionSet == $0.kernel.instructionSet(upTo: .best) }
    let gray = widest.filter { $0.subject.format.channels == 1 }.compactMap(\.outcome.finding?.certificate)
    let rows = gray.isEmpty ? widest.compactMap(\.outcome.finding?.certificate) : gray
    let clamped = rows.filter { $0.edge == EdgeMode.clamp.name }
    return rows.isEmpty ? nil : clamped.isEmpty ? rows : clamped
  }
}

extension VerificationSummary {
  /// Draws the failure.
  ///
  /// - Parameter picture: tells the path of the picture, if there is one, and what it shows or why there is
  ///   none.
  public mutating func draw(_ picture: () throws -> (path: String?, note: String)) {
    do { (self.picture, pictureNote) = try picture() } catch { pictureNote = "\(error)" }
  }

  /// The failure is of checks that follow each other: `command` makes all of them.
  public mutating func dependsOnOthers(_ command: String) {
    message =
      (message ?? "") + "; does not fail alone: it depends on "
      + "what was blurred before, or on chance, and the command repeats the whole property"
    // Property `threads` chooses their number.
    self.command =
      property == Property.threads.name ? command.replacing(#/ --threads [^ ]+/#, with: "") : command
  }

  /// The smallest image does not fail by itself.
  public mutating func forgetSmallest() { smallest = nil }

  /// The same, whose command names external kernels too.
  public func repeated(with words: [String]) -> VerificationSummary {
    var copy = self
    copy.command = command.map { ([$0] + words).joined(separator: " ") }
    copy.smallest = smallest.map { ([$0] + words).joined(separator: " ") }
    return copy
  }
}

extension CheckOutcome {
  /// What failed, or why nothing could be checked.
  public var message: String { failure?.message ?? reason ?? "" }

  var finding: Finding? {
    switch self {
    case .passed(let finding): finding
    case .failed(let finding): finding
    case .skipped: nil
    }
  }

  var failure: Finding? { if case .failed(let finding) = self { finding } else { nil } }

  var reason: String? { if case .skipped(let reason) = self { reason } else { nil } }
}

extension Check {
  /// The largest error met, or a number below all errors.
  fileprivate var errorLevels: Double { outcome.finding?.deviation?.maxLevels ?? -1 }
}
