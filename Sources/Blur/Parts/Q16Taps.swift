/// The weights of a symmetric window for means of the two values at a distance, as 16-bit integers that sum
/// to 2¹⁶.
struct Q16Taps: Hashable, Sendable {
  /// The weight of the centre, of the mean of both neighbours at distance 1, and so on, in units of 2⁻¹⁶.
  let weights: [UInt16]
  /// How far a weighted mean of values from 0 to 1 can be off: half the sum of all rounding errors.
  let error: Double

  var radius: Int { weights.count - 1 }

  /// What the filter's 16-bit sums are at most for values up to `value`, as `BlurLoops/AveragesDown.swift`
  /// computes them: those of equal values.
  ///
  /// - Parameter products: how many the sums make up for half a unit of.
  func largestSum(of value: Int, products: Int) -> Int {
    // In 64 bits, for `Int` has 32 in WebAssembly.
    weights.reduce(products / 2) { $0 + Int((Int64(value) * Int64($1)) >> 16) }
  }

  /// Rounds weights that are at least 0 and sum to 1, from the centre on; nil when one does not fit 16 bits.
  /// Rounding errors are carried from each weight to the next inner one, so that partial sums stay right.
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
