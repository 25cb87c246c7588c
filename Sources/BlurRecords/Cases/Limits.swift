import BlurText

/// The largest time and the largest error that a suite allows. Each entry of a suite can set limits for its
/// own cases. Limits do not depend on earlier runs.
public struct Limits: Equatable, Sendable {
  /// The limit on the median time.
  public enum Time: Equatable, Sendable {
    case nanoseconds(Double)
    /// A multiple of the time of the memcpy that is measured alongside the case.
    case memcpys(Double)
  }

  public var time: Time?
  /// The limit on the largest error in the blurred test image, in levels.
  public var levels: Double?

  /// Creates limits. An argument that is nil sets no limit.
  public init(time: Time? = nil, levels: Double? = nil) {
    self.time = time
    self.levels = levels
  }

  /// Whether the time limit is a multiple of a memcpy's time.
  package var isOfMemcpy: Bool { if case .memcpys = time { true } else { false } }

  /// Returns a violation for each limit that the records of one case exceed.
  ///
  /// A time limit counts as exceeded only if the whole confidence interval of the median time is above the
  /// limit. Samples that were disturbed by other programs are ignored. If fewer than three samples would
  /// remain, all samples count, and the violation is marked as doubtful.
  ///
  /// - Returns: For each violation, a string with the measured value and the limit, and whether the violation
  ///   is doubtful. A violation of a time limit is doubtful if nearly all samples were disturbed, because
  ///   other programs may be to blame.
  package func violations(_ records: [Record]) -> [(text: String, isDoubtful: Bool)] {
    let measured = records.filter(\.isMeasured)
    let quiet = measured.filter { $0.disturbance.isQuiet != false }
    let isDoubtful = quiet.count < min(3, measured.count)
    let timed = isDoubtful ? measured : quiet
    let ofTime = violations(
      times: timed.compactMap(\.realTime), ratioToMemcpy: Estimate(ratioToMemcpy: timed), levels: nil)
    return violations(times: [], levels: measured.compactMap(\.maxErrorLevels).max())
      .map { (text: $0, isDoubtful: false) } + ofTime.map { (text: $0, isDoubtful: isDoubtful) }
  }

  /// Returns a message for each limit that the measured time or error exceeds. An argument that is nil or
  /// empty is not checked.
  ///
  /// - Parameters:
  ///   - times: The times of the samples in nanoseconds.
  ///   - ratioToMemcpy: The time as a multiple of a memcpy's time.
  ///   - error: The largest error in levels.
  package func violations(
    times: [Double], ratioToMemcpy: Estimate? = nil, levels error: Double?
  ) -> [String] {
    var violations: [String] = []
    if let error, let most = levels, error > most {
      violations.append("has an error of \(error.threeDigits) levels, but the limit is \(most.short)")
    }
    switch time {
    case .nanoseconds(let most):
      guard let time = Estimate(times), time.low > most else { break }
      let numbers = [time.median, most].map { ($0 / 1e6).threeDigits }
      violations.append("takes \(numbers[0]) ms, but the limit is \(numbers[1]) ms")
    case .memcpys(let most):
      guard let ratio = ratioToMemcpy, ratio.low > most else { break }
      violations.append(
        "takes \(ratio.median.threeDigits) times as long as a memcpy, but the limit is \(most.short) times")
    case nil: break
    }
    return violations
  }
}

extension Limits.Time {
  /// Parses a time such as `2 ms`, `350 us`, `1.5 s` or `800 ns`, or a multiple such as `9x memcpy`.
  init(_ text: String) throws(ParseError) {
    let units = ["ns": 1.0, "us": 1e3, "µs": 1e3, "ms": 1e6, "s": 1e9]
    if let match = text.wholeMatch(of: /([0-9.]+) *(ns|us|µs|ms|s)/), let number = Double(match.1),
      let unit = units[String(match.2)], Record.possibleTimes.contains(number * unit)
    {
      self = .nanoseconds(number * unit)
    } else if let match = text.wholeMatch(of: /([0-9.]+) *x +memcpy/), let number = Double(match.1),
      number > 0
    {
      self = .memcpys(number)
    } else {
      throw ParseError("'\(text)': a limit is a time such as 2 ms or 350 us, or a multiple such as 9x memcpy")
    }
  }
}

extension Suite {
  /// Returns the limits that apply to a case. If the case is in several entries of the suite, the limits of
  /// all these entries apply.
  package func limits(of item: Case, cores: Int) -> [Limits] {
    entries.filter { $0.name(item, cores: cores) }.map(\.limits)
  }

  /// Returns a violation for each limit of the suite that a case in the records exceeds. Each message begins
  /// with the name of the kernel and a description of the workload.
  public func violations(in records: [Record], cores: Int) -> [(text: String, isDoubtful: Bool)] {
    records.inGroups(by: \.item).flatMap { item, records in
      let title = "\(item.kernel) (\(item.isa.name)), \(item.workload.fullTitle)"
      return limits(of: item, cores: cores).flatMap { $0.violations(records) }.map { text, isDoubtful in
        (text: "\(title): \(text)", isDoubtful: isDoubtful)
      }
    }
  }
}
