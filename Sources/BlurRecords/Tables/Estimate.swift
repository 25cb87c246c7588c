import BlurText
import Foundation

/// A median with an interval in which it lies.
///
/// The interval is that of the samples of one run: it says nothing of how far another run would be.
public struct Estimate: Equatable, Encodable, Sendable {
  /// The middle, and the ends of the interval.
  public let median: Double, low: Double, high: Double

  init(median: Double, low: Double, high: Double) {
    (self.median, self.low, self.high) = (median, low, high)
  }

  /// The median of some values. Two of them, as many from the bottom as from the top, are the ends of the
  /// interval: with a probability of 95 % it holds the median of what the values are drawn from, if they are
  /// independent. Of fewer than 6 values all lie within it, and that is less sure: 94 % of five, 75 % of
  /// three.
  ///
  /// Nil of no values.
  public init?(_ values: [Double]) {
    guard let median = Statistics.median(values) else { return nil }
    let sorted = values.sorted()
    let cut = Self.cut(of: values.count)
    self.init(median: median, low: sorted[cut], high: sorted[values.count - 1 - cut])
  }

  /// How many values at either end lie outside: so few that a coin thrown `count` times shows no more heads
  /// with a probability of at most 2.5 %.
  private static func cut(of count: Int) -> Int {
    var (heads, tail) = (0, 0.0)
    // The logarithm of the probability of that many heads: there may be thousands of throws.
    var term = -Double(count) * log(2.0)
    while 2 * heads < count {
      tail += exp(term)
      if tail > 0.025 { break }
      term += log(Double(count - heads)) - log(Double(heads + 1))
      heads += 1
    }
    return max(0, heads - 1)
  }

  /// How many times as long as the memcpy beside them these samples of one case took. Nil where no copy stood
  /// beside them; the interval is that of the samples alone in records that are too old to have the copy's.
  public init?(ratioToMemcpy records: [Record]) {
    let records = records.filter { $0.isMeasured && $0.memcpyRatio != nil }
    guard let own = Estimate(records.compactMap(\.memcpyRatio)), let first = records.first,
      let time = first.realTime, let ratio = first.memcpyRatio
    else { return nil }
    let copy = time / ratio
    let (low, high) = (
      own.low * copy / (first.memcpyHigh ?? copy), own.high * copy / (first.memcpyLow ?? copy)
    )
    // A file that was written by hand may say anything.
    guard low.isFinite, high.isFinite else { return nil }
    self.init(median: own.median, low: low, high: high)
  }

  /// The nth root of the product of n estimates, each end for itself. Nil of nothing, or where one is not
  /// positive.
  init?(geometricMeanOf all: [Estimate]) {
    guard let median = Statistics.geometricMean(all.map(\.median)),
      let low = Statistics.geometricMean(all.map(\.low)),
      let high = Statistics.geometricMean(all.map(\.high))
    else { return nil }
    self.init(median: median, low: low, high: high)
  }

  /// The ratio, with an interval as if each were at the end of its own that is the worst for it.
  static func / (above: Estimate, below: Estimate) -> Estimate {
    Estimate(
      median: above.median / below.median, low: above.low / below.high, high: above.high / below.low)
  }

  /// The interval in three digits, such as `4.52–4.61`.
  package var interval: String {
    let places = high < 10 ? 2 : high < 100 ? 1 : 0
    return "\(low.fixed(places))–\(high.fixed(places))"
  }
}
