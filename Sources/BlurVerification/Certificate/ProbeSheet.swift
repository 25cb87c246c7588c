import Blur

/// The values that probes of a format are painted with, in its own units: far enough from both ends that
/// overshooting answers are not cut off.
struct ProbeScale {
  let middle: Double
  let swing: Double
  /// Whether values are rounded, so that a dither is needed.
  let isDithered: Bool
  /// Weights smaller than this may be rounding of the same kind in many answers: a fiftieth of a code in 8
  /// bits.
  let leastWeight: Double

  init(_ format: PixelFormat) {
    let full = format.fullScale
    isDithered = format.component != .float32
    leastWeight = format.component == .uint8 ? 0.02 / (full * 5 / 16) : 0
    (middle, swing) = isDithered ? ((full / 2).rounded(.down), (full * 5 / 16).rounded(.down)) : (0.5, 0.5)
  }
}

/// The image, the result and the plan of a line probe, used over and over.
struct ProbeSheet {
  private let probe: LineProbe
  private let plan: BlurPlan
  private var input: Image
  private var output: Image
  /// A prime, so that the fractions of all positions differ.
  private static let rampCodes = 17.0

  /// Codes to add, for each component.
  private var dither: [UInt8]

  init(_ probe: LineProbe) throws {
    self.probe = probe
    let layout = try probe.test.layout(probe.count, probe.count)
    plan = try probe.test.plan(layout, threads: 1)
    input = try Image(layout)
    output = try Image(layout)
    dither = [UInt8](repeating: 0, count: layout.rowComponents * layout.height)
  }

  /// Chooses another dither: for small sigmas noise of 0 to 15 codes, otherwise a ramp.
  mutating func dither(seed: UInt64) {
    guard probe.scale.isDithered else { return }
    var random = SplitMix64(seed: seed)
    if probe.isNoisy {
      for i in dither.indices { dither[i] = UInt8(random.next() & 15) }
    } else {
      ramp(&random)
    }
  }

  /// A dither that rises by a number of codes over the used positions of the other axis: by several, because
  /// outputs near a constant edge see a part of it only. Between codes, pixels are rounded alternately up and
  /// down, as a low-discrepancy sequence says (M. Roberts, "R2", 2018), so that a blur makes it smooth.
  private mutating func ramp(_ random: inout SplitMix64) {
    let (start, phase) = (random.nextShare(), random.nextShare())
    let levels = (0..<probe.count).map { i in
      let share = Double(i - probe.used.lowerBound) / Double(probe.used.count)
      return Self.rampCodes * (min(1.5, max(-0.5, share)) + 0.5) + start
    }
    for y in 0..<probe.count {
      let row = 0.569_840_290_998 * Double(y) + phase
      for x in 0..<probe.count {
        let threshold = 0.754_877_666_2 * Double(x) + row
        let level = levels[probe.axis == .across ? y : x]
        let step = UInt8(level + threshold - Double(Int(threshold)))
        let first = (y * probe.count + x) * probe.test.format.channels
        for i in first..<first + probe.test.format.channels { dither[i] = step }
      }
    }
  }

  /// Blurs lines of these values, one for each channel, and returns the answers, pattern by pattern: the mean
  /// over the used positions of the other axis.
  mutating func answers(_ value: (_ k: Int, _ channel: Int) -> Double) throws -> [[Double]] {
    switch probe.test.format.component {
    case .uint8: try answers(value) { UInt8($0) }
    case .uint16: try answers(value) { UInt16($0) }
    case .float32: try answers(value) { Float($0) }
    }
  }

  private mutating func answers<C: ProbeComponent>(
    _ value: (Int, Int) -> Double, _ stored: (Double) -> C
  ) throws -> [[Double]] {
    let channels = probe.test.format.channels
    let line = (0..<probe.count * channels).map { stored(value($0 / channels, $0 % channels)) }
    paint(line)
    try plan.blur(input, into: &output)
    let sums: [Double] = sums(C.self)
    return (0..<channels).map { c in
      (0..<probe.count).map { sums[$0 * channels + c] / Double(probe.used.count) }
    }
  }

  private mutating func paint<C: ProbeComponent>(_ line: [C]) {
    let (count, channels) = (probe.count, probe.test.format.channels)
    var values = line
    for y in 0..<count {
      if probe.axis == .down {
        for i in values.indices { values[i] = line[y * channels + i % channels] }
      }
      values.withUnsafeBufferPointer { values in
        dither.withUnsafeBufferPointer { dither in
          input.withMutableView { view in
            // SAFETY: images own aligned memory and have no padding: a row holds as many components as
            // `values`, and the dither has one value for each component of the image.
            let row = view.row(y).assumingMemoryBound(to: C.self)
            let steps = dither.start + y * values.count
            for i in 0..<values.count { row[i] = values[i].plus(C(small: steps[i])) }
          }
        }
      }
    }
  }

  /// For each component of a line, the sum over the used positions of the other axis.
  private func sums<C: ProbeComponent>(_ type: C.Type) -> [Double] {
    let (count, channels, used) = (probe.count, probe.test.format.channels, probe.used)
    var sums = [C.Sum](repeating: .zero, count: count * channels)
    sums.withUnsafeMutableBufferPointer { sums in
      output.withView { view in
        for y in probe.axis == .across ? used : 0..<count {
          // SAFETY: as above.
          let row = view.row(y).assumingMemoryBound(to: C.self)
          if probe.axis == .across {
            for i in 0..<sums.count { sums[i] = C.sum(sums[i], row[i]) }
          } else {
            for c in 0..<channels {
              var sum = C.Sum.zero
              for x in used { sum = C.sum(sum, row[x * channels + c]) }
              sums[y * channels + c] = sum
            }
          }
        }
      }
    }
    return sums.map { C.number($0) }
  }
}

/// A stored component, so that painting and summing are compiled for each type.
private protocol ProbeComponent: BitwiseCopyable {
  /// What many of them are summed in.
  associatedtype Sum: AdditiveArithmetic
  init(small value: UInt8)
  /// The sum, which fits.
  func plus(_ other: Self) -> Self
  static func sum(_ sum: Sum, _ value: Self) -> Sum
  static func number(_ sum: Sum) -> Double
}

extension ProbeComponent where Self: FixedWidthInteger {
  fileprivate func plus(_ other: Self) -> Self { self &+ other }
  fileprivate static func sum(_ sum: UInt32, _ value: Self) -> UInt32 {
    sum &+ UInt32(truncatingIfNeeded: value)
  }
  fileprivate static func number(_ sum: UInt32) -> Double { Double(sum) }
}

// 4096 values of 16 bits fit 32.
extension UInt8: ProbeComponent {
  fileprivate init(small value: UInt8) { self = value }
}
extension UInt16: ProbeComponent {
  fileprivate init(small value: UInt8) { self = UInt16(value) }
}
extension Float: ProbeComponent {
  fileprivate init(small value: UInt8) { self = Float(value) }
  fileprivate func plus(_ other: Float) -> Float { self + other }
  fileprivate static func sum(_ sum: Double, _ value: Float) -> Double { sum + Double(value) }
  fileprivate static func number(_ sum: Double) -> Double { sum }
}

/// The fast Walsh–Hadamard transform in natural order.
enum WalshTransform {
  /// The sums of `values` with the signs of each Walsh function; the number of values is a power of two.
  static func of(_ values: [Double]) -> [Double] {
    var sums = values
    var half = 1
    while half < sums.count {
      for start in stride(from: 0, to: sums.count, by: 2 * half) {
        for i in start..<start + half {
          (sums[i], sums[i + half]) = (sums[i] + sums[i + half], sums[i] - sums[i + half])
        }
      }
      half *= 2
    }
    return sums
  }
}
