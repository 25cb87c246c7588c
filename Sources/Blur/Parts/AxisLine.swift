/// Lines along one axis of an image, continued as the edge mode says, and the filter that runs over them.
///
/// Lines are always filtered whole, whatever part of them is wanted, so that every part has the same bits.
struct AxisLine<Filter: AxisFilter>: Sendable {
  private let filter: Filter?
  private let line: PaddedLine
  /// A constant pixel's lanes, by the channel of the first.
  private let constants: [Lanes]
  /// How far what is not finite spreads: as far as in the Gaussian itself.
  private let window: Int
  /// Whether samples may be infinite or not a number.
  private let isFloat: Bool

  /// Lines of `count` pixels; without a filter where sigma is 0, which leaves the axis as it is.
  init(
    _ count: Int, sigma: Double, edge: EdgeMode, format: PixelFormat,
    _ filter: (_ sigma: Double, _ count: Int) -> Filter
  ) {
    self.filter = sigma > 0 ? filter(sigma, count) : nil
    line = PaddedLine(
      0..<count, radius: self.filter?.margin(edge) ?? 0, width: count, edge: edge, channels: 1)
    constants = (0..<format.channels).map { first in
      var constant = Lanes.zero
      for i in 0..<Lanes.scalarCount {
        constant[i] = Double(edge.constant((first + i) % format.channels, in: format))
      }
      return constant
    }
    window = Int((6 * sigma).rounded(.up))
    isFloat = format.component == .float32
  }

  private var count: Int { line.positions.count }

  /// Whether the last bits of a line depend on the lines that are filtered beside it.
  var mixesLines: Bool { filter?.mixesLines ?? false }

  /// Bytes for a line, for the filter, and for a second line where some samples may not be finite.
  var scratchBytes: Int {
    let lanes = count + (filter?.scratchCount(count) ?? 0) + (isFloat ? count : 0)
    return lanes * MemoryLayout<Lanes>.stride
  }

  /// Where a line's own pixels begin in `scratch`.
  func pixels(in scratch: UnsafeMutableRawPointer) -> UnsafeMutablePointer<Lanes> {
    // SAFETY: `scratchBytes` reserves the line first, and scratch is aligned to a cache line.
    scratch.assumingMemoryBound(to: Lanes.self) + line.offset(of: 0)
  }

  /// Filters the line whose own pixels are in `scratch`; its first lane is of that channel.
  func run(_ scratch: UnsafeMutableRawPointer, channel: Int) {
    guard let filter else { return }
    // SAFETY: `scratchBytes` reserves `count` lanes, those of the filter, and in float formats `count` more.
    let lanes = scratch.assumingMemoryBound(to: Lanes.self)
    line.fill(lanes) { _ in constants[channel] }
    let rest = lanes + count
    if isFloat && !Self.isFinite(lanes, count) {
      let marks = rest + filter.scratchCount(count)
      Self.separate(lanes, marks, count)
      filter.filter(lanes, count, rest)
      spread(marks, over: lanes)
    } else {
      filter.filter(lanes, count, rest)
    }
  }

  /// A product with 0 is 0 for what is finite, and no number for the rest.
  private static func isFinite(_ line: UnsafeMutablePointer<Lanes>, _ count: Int) -> Bool {
    var sum = Lanes.zero
    // SAFETY: the line holds `count` lanes.
    for i in 0..<count { sum += line[i] * Lanes.zero }
    return sum == .zero
  }

  /// Moves samples that are not finite from `line`, where zeros replace them, to `marks`. A running sum would
  /// carry them to the end of the line.
  private static func separate(
    _ line: UnsafeMutablePointer<Lanes>, _ marks: UnsafeMutablePointer<Lanes>, _ count: Int
  ) {
    // SAFETY: both hold `count` lanes.
    for i in 0..<count {
      marks[i] = line[i]
      for lane in 0..<Lanes.scalarCount where !line[i][lane].isFinite { line[i][lane] = 0 }
    }
  }

  /// Makes all of `line` NaN that the Gaussian's window connects to a sample that is not finite.
  private func spread(_ marks: UnsafeMutablePointer<Lanes>, over line: UnsafeMutablePointer<Lanes>) {
    // SAFETY: both hold `count` lanes.
    for lane in 0..<Lanes.scalarCount {
      var (left, right) = (Int.max / 2, Int.max / 2)
      for i in 0..<count {
        let j = count - 1 - i
        left = marks[i][lane].isFinite ? left + 1 : 0
        right = marks[j][lane].isFinite ? right + 1 : 0
        if left <= window { line[i][lane] = .nan }
        if right <= window { line[j][lane] = .nan }
      }
    }
  }
}
