/// The weights of a symmetric window as 16-bit integers whose sum is 2¹⁶. Each weight applies to the mean of
/// the two values at one distance.
struct Q16Taps: Hashable, Sendable {
  /// The weights of the centre, of the mean of both neighbours at distance 1, and so on, in units of 2⁻¹⁶.
  let weights: [UInt16]
  /// The largest error of a weighted mean of values from 0 to 1, which is half the sum of all rounding
  /// errors.
  let error: Double

  var radius: Int { weights.count - 1 }

  /// Returns the largest 16-bit sum that the filter can reach for values up to `value`, computed as in
  /// `BlurLoops/AveragesDown.swift`. The sum is largest if all values are equal.
  ///
  /// - Parameter products: The number of products whose rounding down is compensated, with half a unit for
  ///   each.
  func largestSum(of value: Int, products: Int) -> Int {
    // The product is computed in 64 bits because `Int` has only 32 bits in WebAssembly.
    weights.reduce(products / 2) { $0 + Int((Int64(value) * Int64($1)) >> 16) }
  }

  /// Rounds weights that are at least 0 and sum to 1, starting at the centre, or returns nil if one does not
  /// fit in 16 bits. Each weight passes its rounding error on to the next inner weight, so that partial sums
  /// stay accurate.
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
