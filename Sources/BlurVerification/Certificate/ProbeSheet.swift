import Blur

/// The input image, the output image and the plan that a `LineProbe` uses to measure a kernel. All test
/// patterns are blurred with the same plan, from the same input image into the same output image.
struct ProbeSheet {
  private let probe: LineProbe
  private let plan: BlurPlan
  private var input: Image
  private var output: Image
  /// The number of code values by which the brightness ramp rises over the pixels that are averaged. Because
  /// this number is a prime, the fractional part of the ramp is different at each of these pixels.
  private static let rampCodes = 17.0

  /// A small number of code values (a dither) for each component of the test image. It is added before the
  /// image is blurred, so that rounding errors cancel out when blurred values are averaged.
  private var dither: [UInt8]

  init(_ probe: LineProbe) throws {
    self.probe = probe
    let layout = try probe.test.layout(probe.count, probe.count)
    plan = try probe.test.plan(layout, threads: 1)
    input = try Image(layout)
    output = try Image(layout)
    dither = [UInt8](repeating: 0, count: layout.rowComponents * layout.height)
  }

  /// Chooses a new dither: noise of 0 to 15 code values for small sigmas, and a brightness ramp otherwise.
  mutating func dither(seed: UInt64) {
    guard probe.isDithered else { return }
    var random = SplitMix64(seed: seed)
    if probe.isNoisy {
      for i in dither.indices { dither[i] = UInt8(random.next() & 15) }
    } else {
      ramp(&random)
    }
  }

  /// Sets the dither to a brightness ramp, which rises along the axis that is not measured.
  ///
  /// The values of the ramp are fractions, which are rounded to whole code values. A threshold for each pixel
  /// decides whether its value is rounded up or down. The thresholds come from a low-discrepancy sequence (M.
  /// Roberts, "R2", 2018), because a blur smooths the resulting pattern well.
  ///
  /// The ramp rises by several code values over the positions that are averaged. A rise of only one code
  /// value would not be enough in edge mode `constant`. Near an edge of the image, the edge colour replaces a
  /// part of the ramp, which makes the rise smaller.
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

  /// Blurs a test image whose lines along the measured axis are all equal, apart from the dither. The closure
  /// `value` returns the pixel values of such a line.
  ///
  /// Returns one line for each channel: the mean of all lines of the blurred image, leaving out the lines
  /// near the edges, whose values depend on the edge mode.
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
            // SAFETY: `row` is one row of `input`, which is aligned and has no padding, so it holds exactly
            // `values.count` components. `steps` points to the dither of this row. The dither has one value
            // for each component of the image, so both accesses at index `i` stay inside their buffers.
            let row = view.unsafeRow(y).assumingMemoryBound(to: C.self)
            let steps = dither.start + y * values.count
            for i in 0..<values.count { row[i] = values[i].plus(C(small: steps[i])) }
          }
        }
      }
    }
  }

  /// Adds up the blurred values along the axis that is not measured, and returns one sum for each component
  /// of a line. Values near an edge of the image are left out.
  private func sums<C: ProbeComponent>(_ type: C.Type) -> [Double] {
    let (count, channels, used) = (probe.count, probe.test.format.channels, probe.used)
    var sums = [C.Sum](repeating: .zero, count: count * channels)
    sums.withUnsafeMutableBufferPointer { sums in
      output.withView { view in
        for y in probe.axis == .across ? used : 0..<count {
          // SAFETY: `y` is less than `count`, the height of `output`, so `row` is a row of `output`, which is
          // aligned and has no padding. All reads stay within the `count * channels` components of this row.
          let row = view.unsafeRow(y).assumingMemoryBound(to: C.self)
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

/// A type of pixel component. The code that paints lines and adds up components is generic, so that the
/// compiler specialises the code for each component type.
private protocol ProbeComponent: BitwiseCopyable {
  /// The type that holds the sum of many components.
  associatedtype Sum: AdditiveArithmetic
  init(small value: UInt8)
  /// Returns the sum of this component and `other`. The sum must not overflow.
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

// Sums of 8-bit and 16-bit components fit into 32 bits. The largest test images have 4096 rows and columns,
// and 4096 · 65,535 is less than 2³².
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

/// Returns the fast Walsh–Hadamard transform of `values` in natural order: one sum for each Walsh function. A
/// Walsh function is a pattern of plus and minus signs, which says whether each value is added or subtracted.
/// The number of values must be a power of two.
func walshTransform(_ values: [Double]) -> [Double] {
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
