import BlurText
import Foundation

/// A median with its confidence interval.
///
/// The interval describes the samples of one run. It does not predict how much another run would differ.
public struct Estimate: Equatable, Encodable, Sendable {
  /// The median, and the lower and upper ends of its confidence interval.
  public let median: Double, low: Double, high: Double

  init(median: Double, low: Double, high: Double) {
    (self.median, self.low, self.high) = (median, low, high)
  }

  /// Computes the median of the values and its interval, or returns nil if there are no values.
  ///
  /// The ends of the interval are two of the sorted values, chosen so that as many values lie below the lower
  /// end as above the upper end. If the values are independent, the interval contains the true median with a
  /// probability of at least 95 %. With fewer than 6 values, the interval spans all values, and the
  /// probability is lower: 94 % for five values, and 75 % for three.
  public init?(_ values: [Double]) {
    guard let median = Statistics.median(values) else { return nil }
    let sorted = values.sorted()
    let cut = Self.cut(of: values.count)
    self.init(median: median, low: sorted[cut], high: sorted[values.count - 1 - cut])
  }

  /// Returns how many of `count` sorted values are below the confidence interval of the median. The same
  /// number of values is above the interval.
  ///
  /// The result is the largest number k such that `count` tosses of a fair coin show at most k heads with a
  /// probability of at most 2.5 %, or 0 if there is no such number.
  private static func cut(of count: Int) -> Int {
    var (heads, tail) = (0, 0.0)
    // The logarithm of the probability that `count` tosses of a coin show exactly `heads` heads. The
    // logarithm is used because the probability itself can be too small for a floating-point number if there
    // are thousands of tosses.
    var term = -Double(count) * log(2.0)
    while 2 * heads < count {
      tail += exp(term)
      if tail > 0.025 { break }
      term += log(Double(count - heads)) - log(Double(heads + 1))
      heads += 1
    }
    return max(0, heads - 1)
  }

  /// Computes the time of a case divided by the time of the memcpy that was measured together with the case.
  /// The ratio is an estimate with a confidence interval. Returns nil if there was no memcpy.
  ///
  /// The confidence interval accounts for the uncertainty of both times. Old records don't contain the
  /// confidence interval of the memcpy's time. For such records, the memcpy's time is treated as exact.
  public init?(ratioToMemcpy records: [Record]) {
    let records = records.filter { $0.isMeasured && $0.memcpyRatio != nil }
    guard let own = Estimate(records.compactMap(\.memcpyRatio)), let first = records.first,
      let time = first.realTime, let ratio = first.memcpyRatio
    else { return nil }
    let copy = time / ratio
    let (low, high) = (
      own.low * copy / (first.memcpyHigh ?? copy), own.high * copy / (first.memcpyLow ?? copy)
    )
    // If the records contain a ratio of 0, the divisions above give infinity or NaN.
    guard low.isFinite, high.isFinite else { return nil }
    self.init(median: own.median, low: low, high: high)
  }

  /// Computes the geometric mean of estimates, separately for the medians and for each end of the intervals.
  /// Returns nil if there are no estimates or if a value is not positive.
  init?(geometricMeanOf all: [Estimate]) {
    guard let median = Statistics.geometricMean(all.map(\.median)),
      let low = Statistics.geometricMean(all.map(\.low)),
      let high = Statistics.geometricMean(all.map(\.high))
    else { return nil }
    self.init(median: median, low: low, high: high)
  }

  /// Returns the ratio of two estimates. Its interval contains every possible ratio of a value from the
  /// interval of `above` and a value from the interval of `below`.
  static func / (above: Estimate, below: Estimate) -> Estimate {
    Estimate(
      median: above.median / below.median, low: above.low / below.high, high: above.high / below.low)
  }

  /// The interval with about three significant digits, such as `4.52–4.61`.
  package var interval: String {
    let places = high < 10 ? 2 : high < 100 ? 1 : 0
    return "\(low.fixed(places))–\(high.fixed(places))"
  }
}
