import BlurVerification

extension SplitMix64 {
  /// Creates the random number generator for one element of a screen. The numbers depend only on the
  /// arguments, and not on what was drawn before.
  init(seed: UInt64, _ first: Int, _ second: Int = 0) {
    var mixed = SplitMix64(seed: seed &+ UInt64(bitPattern: Int64(first)) &* 0x9E6C_63D0_876A_68EE)
    self.init(seed: mixed.next() &+ UInt64(bitPattern: Int64(second)) &* 0xD605_1F68_5F4B_8A6D)
    _ = next()
  }

  /// Returns a random integer in a range. Because of the remainder operation, some integers are slightly more
  /// likely than others, but this bias is negligible for small ranges.
  mutating func pick(_ range: ClosedRange<Int>) -> Int {
    range.lowerBound + Int(next() % UInt64(range.count))
  }

  /// Returns a random element of an array.
  mutating func pick<T>(_ things: [T]) -> T { things[pick(0...things.count - 1)] }
}
