/// The weights of a symmetric filter window as 16-bit integers, with one weight for each distance from the
/// centre. The filter averages the two samples at the same distance, and multiplies their mean by the weight.
/// An integer n stands for the weight n / 2¹⁶, and the weights sum to 1.
struct Q16Taps: Hashable, Sendable {
  /// The weight of the centre, then the weight for the mean of the two neighbours at distance 1, and so on.
  /// An integer n stands for the weight n / 2¹⁶.
  let weights: [UInt16]
  /// The largest error that rounding the weights can cause in a weighted mean of samples from 0 to 1. It is
  /// half the sum of the absolute rounding errors of all weights. This worst case occurs if the samples are 1
  /// where the weights were rounded up, and 0 elsewhere.
  let error: Double

  var radius: Int { weights.count - 1 }

  /// Returns the largest weighted sum that can occur if no sample is larger than `value`. This is the sum for
  /// samples that all equal `value`. It is rounded in the same way as the sums in
  /// `BlurLoops/AveragesDown.swift`.
  ///
  /// - Parameter products: The number of products whose rounding is made up for. Each product is rounded down
  ///   and so loses half a unit on average. Therefore the sum starts at `products / 2` instead of 0.
  func largestSum(of value: Int, products: Int) -> Int {
    // The multiplication uses 64 bits, because `Int` has only 32 bits on WebAssembly.
    weights.reduce(products / 2) { $0 + Int((Int64(value) * Int64($1)) >> 16) }
  }

  /// Rounds the weights `taps`, which begin with the weight of the centre, followed by the weights at
  /// distances 1, 2 and so on. No weight may be negative, and the weights of the whole window must sum to 1.
  /// Returns nil if a rounded weight does not fit in 16 bits.
  ///
  /// The weights are rounded from the outside to the centre. The rounding error of each weight is added to
  /// the next weight before that weight is rounded, so the errors do not add up.
  init?(_ taps: [Double]) {
    let unit = Double(1 << 16)
    var rounded = [Int](repeating: 0, count: taps.count)
    var (carried, errors) = (0.0, 0.0)
    for k in (1..<taps.count).reversed() {
      let wanted = 2 * taps[k] * unit + carried
      rounded[k] = max(0, Int(wanted.rounded()))
      carried = wanted - Double(rounded[k])
      errors += abs(Double(rounded[k]) / unit - 2 * taps[k])
    }
    rounded[0] = 1 << 16 - rounded.dropFirst().reduce(0, +)
    guard rounded.allSatisfy({ $0 >= 0 && $0 <= Int(UInt16.max) }) else { return nil }
    weights = rounded.map { UInt16($0) }
    error = (errors + abs(Double(rounded[0]) / unit - taps[0])) / 2
  }
}
