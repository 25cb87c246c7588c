/// The weights of a symmetric window as 16-bit integers whose sum is exactly 2¹⁵.
struct Q15Taps: Hashable, Sendable {
  /// The number of binary places of the weights.
  static let bits = 15

  /// The weights of the centre, of each neighbour at distance 1, and so on, in units of 2⁻¹⁵.
  let half: [Int32]
  /// The largest error of a weighted mean of values from 0 to 1, which is half the sum of all rounding
  /// errors.
  let error: Double

  var radius: Int { half.count - 1 }

  /// Rounds weights that are at least 0 and sum to 1, or returns nil if the weight of the centre does not fit
  /// in 16 bits. Each weight passes its rounding error on to the next inner weight, so that partial sums stay
  /// accurate.
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
