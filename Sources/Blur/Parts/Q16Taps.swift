/// The weights of a symmetric window, rounded to 16-bit integers in units of 2⁻¹⁶, with the sum 2¹⁶. There is
/// one weight for each distance from the centre. It applies to the mean of the two samples at this distance.
struct Q16Taps: Hashable, Sendable {
  /// The weight of the centre, then the weight of the mean of both neighbours at distance 1, and so on, in
  /// units of 2⁻¹⁶.
  let weights: [UInt16]
  /// The largest error of a weighted mean that rounding the weights can cause, if all samples lie between 0
  /// and 1. It is half the sum of the rounding errors of all weights.
  let error: Double

  var radius: Int { weights.count - 1 }

  /// Returns the largest sum that the filter can compute if no sample exceeds `value`. This is the sum for
  /// which every sample equals `value`. The arithmetic is that of `BlurLoops/AveragesDown.swift`.
  ///
  /// - Parameter products: The number of products in the sum, as the loop assumes it. Each product is rounded
  ///   down, which removes half a unit on average. To make up for this loss, the loop starts the sum at half
  ///   the number of products.
  func largestSum(of value: Int, products: Int) -> Int {
    // The product is computed in 64 bits, because `Int` has only 32 bits on WebAssembly.
    weights.reduce(products / 2) { $0 + Int((Int64(value) * Int64($1)) >> 16) }
  }

  /// Rounds weights that are not negative and whose sum over the window is 1, starting at the centre. Returns
  /// nil if a rounded weight does not fit in 16 bits. The rounding error of each weight is added to the next
  /// weight towards the centre, so that sums over parts of the window stay accurate.
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
