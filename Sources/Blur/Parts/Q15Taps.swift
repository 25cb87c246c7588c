/// The weights of a symmetric window, rounded to 16-bit integers in units of 2⁻¹⁵. Their sum over the whole
/// window is exactly 2¹⁵.
struct Q15Taps: Hashable, Sendable {
  /// The number of binary digits after the point in a weight.
  static let bits = 15

  /// The weight of the centre, then the weight of each neighbour at distance 1, and so on, in units of 2⁻¹⁵.
  let half: [Int32]
  /// The largest error of a weighted mean that rounding the weights can cause, if all samples lie between 0
  /// and 1. It is half the sum of the rounding errors of all weights.
  let error: Double

  var radius: Int { half.count - 1 }

  /// Rounds weights that are not negative and whose sum over the window is 1. Returns nil if the weight of
  /// the centre does not fit in 16 bits. The rounding error of each weight is added to the next weight
  /// towards the centre, so that sums over parts of the window stay accurate.
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
