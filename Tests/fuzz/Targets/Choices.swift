/// Decisions that are taken from a fuzzer's bytes. After the last byte, every decision is the first choice.
struct Choices {
  private var bytes: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { self.bytes = bytes[...] }

  mutating func byte() -> UInt8 { bytes.popFirst() ?? 0 }

  /// Returns an integer in `range`, which has at most 65,536 numbers.
  mutating func number(_ range: ClosedRange<Int>) -> Int {
    let word = range.count > 256 ? Int(byte()) << 8 | Int(byte()) : Int(byte())
    return range.lowerBound + word % range.count
  }

  mutating func pick<Value>(_ values: [Value]) -> Value { values[number(0...values.count - 1)] }

  mutating func bits() -> UInt64 { (0..<8).reduce(0) { bits, _ in bits << 8 | UInt64(byte()) } }

  /// Returns an integer. One byte chooses either a number at which arithmetic often goes wrong, or an
  /// arbitrary integer that is taken from eight more bytes.
  mutating func integer() -> Int {
    let edges = [0, 1, 2, 64, 1 << 24, 1 << 24 + 1, 1 << 31, 1 << 40, .max, .max - 1, .min, -1]
    let choice = number(0...edges.count)
    return choice < edges.count ? edges[choice] : Int(bitPattern: UInt(bits()))
  }

  /// Returns a sigma. One byte chooses a usual or awkward value from a list, an arbitrary double that is
  /// taken from eight more bytes, or a number below 32 that is taken from two more bytes.
  mutating func sigma() -> Double {
    let usual = [
      1, 0, 2.5, 0.3, 1e-9, .leastNonzeroMagnitude, 0.5, 5, 7.9, 12, 31, 100, 1000, 1000.1, -1, .nan,
      .infinity, -0.0,
    ]
    let choice = number(0...usual.count + 4)
    if choice < usual.count { return usual[choice] }
    return choice == usual.count ? Double(bitPattern: bits()) : Double(number(0...65535)) / 2048
  }
}
