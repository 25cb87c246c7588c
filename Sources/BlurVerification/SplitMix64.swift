/// A small random generator whose sequence is fixed by its seed.
///
/// Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014.
public struct SplitMix64: RandomNumberGenerator {
  private var state: UInt64

  /// Starts a sequence.
  public init(seed: UInt64) { state = seed }

  /// The next 64 bits.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// A number below `bound`. The bias of a remainder is nothing here.
  mutating func next(below bound: Int) -> Int { Int(next() % UInt64(bound)) }

  /// A multiple of 2⁻²⁴ from 0 up to 1, which single precision holds exactly.
  mutating func nextShare() -> Double { Double(next() >> 40) / 16_777_216 }
}
