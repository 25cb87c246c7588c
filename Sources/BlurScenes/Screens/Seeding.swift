import BlurVerification

extension SplitMix64 {
  /// The generator of one thing on a screen: the same for the same seed and numbers, whatever was drawn
  /// before.
  init(seed: UInt64, _ first: Int, _ second: Int = 0) {
    var mixed = SplitMix64(seed: seed &+ UInt64(bitPattern: Int64(first)) &* 0x9E6C_63D0_876A_68EE)
    self.init(seed: mixed.next() &+ UInt64(bitPattern: Int64(second)) &* 0xD605_1F68_5F4B_8A6D)
    _ = next()
  }

  /// A whole number of a range. The bias of a remainder is nothing here.
  mutating func pick(_ range: ClosedRange<Int>) -> Int {
    range.lowerBound + Int(next() % UInt64(range.count))
  }

  /// One of some things.
  mutating func pick<T>(_ things: [T]) -> T { things[pick(0...things.count - 1)] }
}
