/// The weights of a symmetric filter window as 16-bit integers. Each weight is multiplied by 2¹⁵ and rounded:
/// 0.25 becomes 8192. The integers of the whole window sum to exactly 2¹⁵.
struct Q15Taps: Hashable, Sendable {
  /// The number of fractional bits of a weight. An integer n stands for the weight n / 2¹⁵.
  static let bits = 15

  /// The weight of the centre, then the weight of each of the two neighbours at distance 1, and so on. The
  /// weights are multiplied by 2¹⁵.
  let half: [Int32]
  /// The largest error that rounding the weights can cause in a weighted mean of samples from 0 to 1. It is
  /// half the sum of the absolute rounding errors of all weights. This worst case occurs if the samples are 1
  /// where the weights were rounded up, and 0 elsewhere.
  let error: Double

  var radius: Int { half.count - 1 }

  /// Rounds the weights `taps`, which begin with the weight of the centre, followed by the weights at
  /// distances 1, 2 and so on. No weight may be negative, and the weights of the whole window must sum to 1.
  /// Returns nil if the rounded weight of the centre does not fit in 16 bits.
  ///
  /// The weights are rounded from the outside to the centre. The rounding error of each weight is added to
  /// the next weight before that weight is rounded, so the errors do not add up.
  init?(_ taps: [Double]) {
    let unit = Double(1 << Self.bits)
    var half = [Int32](repeating: 0, count: taps.count)
    var carried = 0.0
    for k in (1..<half.count).reversed() {
      let wanted = taps[k] * unit + carried
      half[k] = max(0, Int32(wanted.rounded()))
      carried = wanted - Double(half[k])
    }
    half[0] = Int32(1 << Self.bits) - 2 * half.dropFirst().reduce(0, +)
    guard half[0] <= Int32(Int16.max) else { return nil }
    let errors = zip(half, taps).map { abs(Double($0) / unit - $1) }
    self.half = half
    error = (errors[0] + 2 * errors.dropFirst().reduce(0, +)) / 2
  }
}
