/// A small random number generator whose sequence is determined by its seed.
///
/// Source: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014.
public struct SplitMix64: RandomNumberGenerator {
  private var state: UInt64

  /// Creates a generator at the start of the sequence for `seed`.
  public init(seed: UInt64) { state = seed }

  /// Returns the next 64 random bits.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// Returns a random number from 0 to `bound` − 1. The bias of the remainder is negligible, because bounds
  /// are tiny compared with 2⁶⁴.
  mutating func next(below bound: Int) -> Int { Int(next() % UInt64(bound)) }

  /// Returns a random multiple of 2⁻²⁴ in the range 0..<1. Single precision represents it exactly.
  mutating func nextShare() -> Double { Double(next() >> 40) / 16_777_216 }
}
