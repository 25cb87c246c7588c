/// The weights of a symmetric window as 16-bit integers that sum to 2¹⁵ exactly.
struct Q15Taps: Hashable, Sendable {
  /// Binary places of the weights.
  static let bits = 15

  /// The weight of the centre, of each neighbour at distance 1, and so on, in units of 2⁻¹⁵.
  let half: [Int32]
  /// How far a weighted mean of values from 0 to 1 can be off: half the sum of all rounding errors.
  let error: Double

  var radius: Int { half.count - 1 }

  /// Rounds weights that are at least 0 and sum to 1; nil when the centre's does not fit 16 bits. Rounding
  /// errors are carried from each weight to the next inner one, so that partial sums stay right.
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
