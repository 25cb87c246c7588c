/// The weights of a symmetric filter window as 16-bit integers. The filter first averages the two samples at
/// the same distance from the centre, and then multiplies their mean by one weight. So there is one weight
/// for each distance. The weights are multiplied by 2¹⁶, and they sum to 2¹⁶.
struct Q16Taps: Hashable, Sendable {
  /// The weight of the centre, then the weight for the mean of the two neighbours at distance 1, and so on.
  /// The weights are multiplied by 2¹⁶.
  let weights: [UInt16]
  /// The largest error that rounding the weights can cause in a weighted mean of samples from 0 to 1. In the
  /// worst case, the samples are 1 where the weights were rounded up, and 0 elsewhere. The rounding errors of
  /// all weights sum to 0, so this error is half the sum of their absolute values.
  let error: Double

  var radius: Int { weights.count - 1 }

  /// Returns the largest sum that the filter can compute if no sample exceeds `value`. The sum is largest if
  /// every sample equals `value`. Products are rounded here as in `BlurLoops/AveragesDown.swift`.
  ///
  /// - Parameter products: The number of products for which the loop corrects the rounding. Each product is
  ///   rounded down, which loses half a unit on average. To make up for this loss, the loop starts the sum at
  ///   `products / 2` instead of 0.
  func largestSum(of value: Int, products: Int) -> Int {
    // The product is computed in 64 bits, because `Int` has only 32 bits on WebAssembly.
    weights.reduce(products / 2) { $0 + Int((Int64(value) * Int64($1)) >> 16) }
  }

  /// Rounds the weights `taps`, which begin with the weight of the centre, followed by the weights at
  /// distances 1, 2 and so on. No weight may be negative, and the weights of the whole window must sum to 1.
  /// Returns nil if a rounded weight does not fit in 16 bits.
  ///
  /// The weights are rounded from the outside to the centre, and the rounding error of each weight is added
  /// to the next one. In this way, rounding errors do not add up.
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
