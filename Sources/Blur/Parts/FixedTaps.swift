/// Gaussian weights as 16-bit integers that sum to a power of two exactly.
struct FixedTaps: Hashable, Sendable {
  /// The weight of the centre, of each neighbour at distance 1, and so on, in units of 2⁻ᵇⁱᵗˢ.
  let half: [Int32]
  /// Binary places of the weights.
  let bits: Int
  /// How far a weighted mean of values from 0 to 1 can be off: half the sum of all weight errors, the
  /// weights left out included.
  let error: Double

  var radius: Int { half.count - 1 }

  /// Rounds `taps` to as many binary places, at most `mostBits`, as keep every weight in 16 bits, where the
  /// centre's is divided by `centreDivisor` before it is stored. Rounding errors are carried from each
  /// weight to the next inner one, so that partial sums stay right.
  init(_ taps: GaussianTaps, tail: Double, mostBits: Int, centreDivisor: Int32) {
    var bits = mostBits
    var half = Self.rounded(taps, bits: bits)
    while half[0] / centreDivisor > Int32(Int16.max) || half.dropFirst().contains(where: { $0 > Int16.max }) {
      bits -= 1
      half = Self.rounded(taps, bits: bits)
    }
    self.half = half
    self.bits = bits
    let unit = Double(1 << bits)
    let errors = zip(half, taps.half).map { abs(Double($0) / unit - $1) }
    error = (errors[0] + 2 * errors.dropFirst().reduce(0, +)) / 2 + tail
  }

  private static func rounded(_ taps: GaussianTaps, bits: Int) -> [Int32] {
    let unit = Double(1 << bits)
    var half = [Int32](repeating: 0, count: taps.half.count)
    var carried = 0.0
    for k in (1..<half.count).reversed() {
      let wanted = taps.half[k] * unit + carried
      half[k] = Int32(wanted.rounded())
      carried = wanted - wanted.rounded()
    }
    half[0] = Int32(1 << bits) - 2 * half.dropFirst().reduce(0, +)
    return half
  }
}
