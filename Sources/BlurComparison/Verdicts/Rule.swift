import Foundation

/// The rule that decides which changes count, and how much confidence they need.
struct Rule: Sendable {
  /// The smallest change that matters, as a fraction.
  var threshold: Double
  /// The allowed fraction of false discoveries among all changes that are found (Benjamini and Hochberg).
  var rate = 0.05
  /// The allowed probability of a false alarm in the test ``pOfClearSlowdown(_:beside:)`` for slowdowns that
  /// are beyond doubt. It is only a fifth of ``rate``, because the false alarms of this test come on top of
  /// the false alarms of the other tests.
  var clearRate: Double { rate / 5 }
  /// Whether each case is judged as if it were the only case that has changed. If so, the p-values are
  /// corrected by the Bonferroni method. Otherwise, they are corrected by the method of Benjamini and
  /// Hochberg, which finds changes more easily if many cases have changed.
  var isEachAlone = false
  /// The confidence level for the confidence intervals of time ratios.
  var confidence = 0.95

  /// Creates a rule with the smallest change that matters, as a fraction.
  init(threshold: Double) { self.threshold = threshold }

  /// The tolerance, as the logarithm of a time ratio. A change counts only if it is certainly larger than the
  /// tolerance, which is a third of the threshold.
  ///
  /// If the tolerance were the whole threshold, a change as large as the threshold would be found only half
  /// of the time, no matter how long the measurement takes. If there were no tolerance, tiny differences
  /// would be reported: two builds of the same code can differ by one percent just because the code is at
  /// different addresses.
  var margin: Double { log(1 + threshold * Comparison.marginShare) }

  /// Returns the p-values after a correction for the number of tests, because among many p-values, some are
  /// small by chance.
  func adjusted(_ values: [Double]) -> [Double] {
    guard isEachAlone else { return MultipleTests.benjaminiHochberg(values) }
    return values.map { min(1, $0 * Double(values.count)) }
  }

  /// The threshold as the logarithm of a time ratio. For a threshold of 0.05, it is log 1.05.
  var limit: Double { log(1 + threshold) }

  /// The smallest slowdown that is beyond doubt and is reported without further measurements, as the
  /// logarithm of a time ratio. For a threshold of 0.05, it is log 1.15, because three times the threshold is
  /// 0.15. The test ``pOfClearSlowdown(_:beside:)`` compares each pair with this limit.
  var limitBeyondDoubt: Double { log(1 + Comparison.thresholdsBeyondDoubt * threshold) }
}
