/// The weights of a symmetric filter window, rounded to 16-bit fixed-point numbers. The weights of the whole
/// window sum to exactly 1.
///
/// In the arithmetic ``Arithmetic/products``, there is one weight for each sample. In
/// ``Arithmetic/averages``, the two samples at the same distance from the centre are averaged, and their mean
/// is multiplied by one shared weight. This shared weight is therefore twice as large as the weight of a
/// single sample.
package struct IntegerTaps: Hashable, Sendable {
  /// The weight of the centre, then the weight for distance 1, and so on. The weights are multiplied by 2 to
  /// the power of ``Arithmetic/weightBits``.
  package let half: [Int]
  /// The largest error that rounding the weights can cause in a weighted mean of samples from 0 to 1. It is
  /// half the sum of the absolute rounding errors of all weights. This worst case occurs if the samples are 1
  /// where the weights were rounded up, and 0 elsewhere.
  let error: Double

  var radius: Int { half.count - 1 }

  /// Rounds the weights `taps`, which begin with the weight of the centre, followed by the weights at
  /// distances 1, 2 and so on. No weight may be negative, and the weights of the whole window must sum to 1.
  /// Returns nil if a rounded weight does not fit in 16 bits. In the arithmetic ``Arithmetic/products``,
  /// weights are signed, so only 15 of these bits are available.
  ///
  /// The weights are rounded one after the other, from the end of the window to its centre. The rounding
  /// error of each weight is added to the next weight before that weight is rounded, so that the errors do
  /// not add up.
  init?(_ taps: [Double], _ arithmetic: Arithmetic) {
    let samples = arithmetic == .averages ? 2 : 1
    let largest = arithmetic == .averages ? Int(UInt16.max) : Int(Int16.max)
    let one = 1 << arithmetic.weightBits
    var half = [Int](repeating: 0, count: taps.count)
    var (carried, errors) = (0.0, 0.0)
    for k in (1..<taps.count).reversed() {
      let exact = Double(samples) * taps[k]
      let wanted = exact * Double(one) + carried
      half[k] = max(0, Int(wanted.rounded()))
      carried = wanted - Double(half[k])
      errors += abs(Double(half[k]) / Double(one) - exact)
    }
    // All weights of the window must sum to 1, so the weight of the centre is 1 minus the sum of all other
    // weights. There are two samples at each distance from the centre. In the arithmetic `averages`, their
    // mean is multiplied by one weight, which is therefore subtracted once. In `products`, each of the two
    // samples is multiplied by the weight, which is therefore subtracted twice.
    half[0] = one - 2 / samples * half.dropFirst().reduce(0, +)
    guard half.allSatisfy({ (0...largest).contains($0) }) else { return nil }
    self.half = half
    error = (Double(2 / samples) * errors + abs(Double(half[0]) / Double(one) - taps[0])) / 2
  }
}

/// The integer weights of a filter, and the arithmetic that the filter uses to apply them. Together, they
/// determine every bit of the blurred image, so a test can reproduce the image exactly.
package struct IntegerWeights: Hashable, Sendable {
  /// Either ``Arithmetic/averages`` or ``Arithmetic/products``.
  package let arithmetic: Arithmetic
  /// The weights of the two windows, one along a row (`across`) and one along a column (`down`).
  package let across: IntegerTaps, down: IntegerTaps
}
