import BlurText

/// What the cases of a suite's product may take and how far off they may be, whatever other runs were like.
public struct Limits: Equatable, Sendable {
  /// The most that the median time may be.
  public enum Time: Equatable, Sendable {
    case nanoseconds(Double)
    /// Times as long as the memcpy beside it.
    case memcpys(Double)
  }

  public var time: Time?
  /// The largest error on the measured picture, in levels.
  public var levels: Double?

  /// No limits, unless some are given.
  public init(time: Time? = nil, levels: Double? = nil) {
    self.time = time
    self.levels = levels
  }

  /// Whether the time is compared with a memcpy's.
  package var isOfMemcpy: Bool { if case .memcpys = time { true } else { false } }

  /// What is over a limit, in words. A time counts where even the lower end of its interval is over.
  /// Disturbed samples count where there are fewer than three others.
  package func violations(_ records: [Record]) -> [Violation] {
    let measured = records.filter(\.isMeasured)
    let quiet = measured.filter { $0.disturbance.isQuiet != false }
    let isDoubtful = quiet.count < min(3, measured.count)
    let timed = isDoubtful ? measured : quiet
    let ofTime = violations(
      times: timed.compactMap(\.realTime), ratioToMemcpy: Estimate(ratioToMemcpy: timed), levels: nil)
    return violations(times: [], levels: measured.compactMap(\.maxErrorLevels).max())
      .map { Violation(text: $0, isDoubtful: false) }
      + ofTime.map { Violation(text: $0, isDoubtful: isDoubtful) }
  }

  /// What is over a limit.
  public struct Violation: Sendable {
    /// The case, what it is and what it may be, in words.
    public var text: String
    /// Whether it is a time of which nearly all samples were disturbed: it may be the other programs'.
    public let isDoubtful: Bool
  }

  /// The same of times in nanoseconds, an error in levels, and how many times as long as a memcpy the case
  /// takes. What is nil keeps to its limit.
  package func violations(
    times: [Double], ratioToMemcpy: Estimate? = nil, levels error: Double?
  ) -> [String] {
    var violations: [String] = []
    if let error, let most = levels, error > most {
      violations.append("off by \(error.threeDigits) levels, the limit is \(most.short)")
    }
    switch time {
    case .nanoseconds(let most):
      guard let time = Estimate(times), time.low > most else { break }
      let numbers = [time.median, most].map { ($0 / 1e6).threeDigits }
      violations.append("takes \(numbers[0]) ms, the limit is \(numbers[1]) ms")
    case .memcpys(let most):
      guard let ratio = ratioToMemcpy, ratio.low > most else { break }
      violations.append(
        "takes \(ratio.median.threeDigits)x as long as a memcpy, the limit is \(most.short)x")
    case nil: break
    }
    return violations
  }
}

extension Limits.Time {
  /// Reads `2 ms`, `350 us`, `1.5 s`, `800 ns` or `9x memcpy`.
  init(_ text: String) throws(ParseError) {
    let units = ["ns": 1.0, "us": 1e3, "µs": 1e3, "ms": 1e6, "s": 1e9]
    if let match = text.wholeMatch(of: /([0-9.]+) *(ns|us|µs|ms|s)/), let number = Double(match.1),
      number > 0,
      let unit = units[String(match.2)]
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
  /// The limits of a case, one for each product that names it.
  package func limits(of item: Case, cores: Int) -> [Limits] {
    entries.filter { $0.name(item, cores: cores) }.map(\.limits)
  }

  /// What measured cases are over the suite's limits: a line for each.
  public func violations(in records: [Record], cores: Int) -> [Limits.Violation] {
    records.inGroups(by: \.item).flatMap { item, records in
      limits(of: item, cores: cores).flatMap { $0.violations(records) }.map {
        var violation = $0
        violation.text = "\(item.kernel) (\(item.isa.name)), \(item.workload.fullTitle): \($0.text)"
        return violation
      }
    }
  }
}
