/// Three boxes in a row, the approximation that the SVG filter specification allows for feGaussianBlur.
///
/// Source: W3C Filter Effects 1, `<feGaussianBlur>`: d = ⌊σ·3√(2π)/4 + ½⌋; for odd d three boxes of size d;
/// for even d two of size d, half a pixel to either side, and one of size d + 1. The edge mode continues the
/// input, once. The cost does not depend on sigma.
///
/// Integer formats run as Hogenauer's cascade ("An economical class of digital filters for decimation and
/// interpolation", 1981): a difference of six samples, summed three times. Sums wrap around and are exact
/// all the same, because the result fits; they are divided once, at the end. Float formats, where a running
/// sum would drift and carry NaN to the end of the row, are in `BoxTripleFloat.swift`.
public struct BoxTriple: BlurKernel {
  public static let name = "box-triple"
  public static let summary = "W3C triple box by running sums, cost independent of sigma"
  public static let promise = Promise.specification("W3C triple box")

  private let algorithm: any BoxAlgorithm

  public init(_ parameters: BlurParameters, layout: ImageLayout) throws(BlurError) {
    let frame = try BoxFrame(parameters, layout)
    algorithm =
      layout.format.component == .float32 ? BoxTripleFloat(frame: frame) : try BoxTripleInteger(frame, layout)
  }

  public var phases: [Phase] { algorithm.phases }
  public var sharedBytes: Int { algorithm.sharedBytes }
  public var scratchBytes: Int { algorithm.scratchBytes }

  public func run(_ phase: Int, _ units: Range<Int>, _ buffers: BlurBuffers) {
    algorithm.run(phase, units, buffers)
  }
}

/// How a triple box is computed for a kind of format.
protocol BoxAlgorithm: Sendable {
  var frame: BoxFrame { get }
  var phases: [Phase] { get }
  var sharedBytes: Int { get }
  var scratchBytes: Int { get }
  func run(_ phase: Int, _ units: Range<Int>, _ buffers: BlurBuffers)
}

/// What both ways share: the image, its edges, and the boxes along each axis.
struct BoxFrame: Sendable {
  let format: PixelFormat
  let region: Region
  let edge: EdgeMode
  let rows: EdgeRows
  let line: PaddedLine
  let across: BoxSizes
  let down: BoxSizes

  init(_ parameters: BlurParameters, _ layout: ImageLayout) throws(BlurError) {
    format = layout.format
    region = parameters.region ?? layout.bounds
    edge = parameters.edge
    rows = try EdgeRows(edge, layout: layout)
    across = BoxSizes(sigma: parameters.sigma.x)
    down = BoxSizes(sigma: parameters.sigma.y)
    line = PaddedLine(region.columns, radius: across.radius, width: layout.width, edge: edge)
  }
}

extension BoxAlgorithm {
  var format: PixelFormat { frame.format }
  var region: Region { frame.region }
  var edge: EdgeMode { frame.edge }
  var rows: EdgeRows { frame.rows }
  var line: PaddedLine { frame.line }
  var across: BoxSizes { frame.across }
  var down: BoxSizes { frame.down }
  var columnComponents: Int { line.columns.count * format.channels }
}

/// The sizes of the three boxes along one axis: two of `twice` and one of `once`.
struct BoxSizes: Hashable, Sendable {
  let twice: Int
  let once: Int

  init(sigma: Double) {
    let size = Int(sigma * 3 * (2 * Double.pi).squareRoot() / 4 + 0.5)
    twice = max(1, size)
    once = size % 2 == 0 && size > 0 ? size + 1 : twice
  }

  /// Taps to each side of the three boxes together, whose window is always odd.
  var radius: Int { (2 * twice + once - 3) / 2 }

  /// The sum of the weights when each box weighs its samples with 1.
  var gain: Int { twice * twice * once }

  /// How far back the differences reach: the sum of the three sizes.
  var reach: Int { 2 * twice + once }
}

/// The triple box in integers, one output row after the other: running sums per column, then along the row.
struct BoxTripleInteger: BoxAlgorithm {
  let frame: BoxFrame
  private let scale: BoxScale
  private let zeros: AlignedBuffer

  init(_ frame: BoxFrame, _ layout: ImageLayout) throws(BlurError) {
    self.frame = frame
    scale = BoxScale(layout.format, across: frame.across, down: frame.down)
    zeros = try AlignedBuffer(byteCount: layout.rowBytes, zeroed: true)
  }

  var phases: [Phase] { [Phase(units: region.height)] }
  var sharedBytes: Int { 0 }

  private var lineComponents: Int { (line.positions.count + across.reach) * format.channels }

  /// Three sums per column, and the line with the zeros before its start.
  var scratchBytes: Int { (3 * columnComponents + lineComponents) * MemoryLayout<UInt64>.stride }

  func run(_ phase: Int, _ units: Range<Int>, _ buffers: BlurBuffers) {
    switch (format.component, scale.sumsFit32) {
    case (.uint8, true): blur(units, buffers, UInt8.self, UInt32.self)
    case (.uint8, false): blur(units, buffers, UInt8.self, UInt64.self)
    case (_, true): blur(units, buffers, UInt16.self, UInt32.self)
    case (_, false): blur(units, buffers, UInt16.self, UInt64.self)
    }
  }

  @inline(__always)
  private func blur<C: PixelComponent & FixedWidthInteger, Sum: FixedWidthInteger>(
    _ units: Range<Int>, _ buffers: BlurBuffers, _ type: C.Type, _ sum: Sum.Type
  ) {
    // SAFETY: `scratchBytes` reserves three sums of at most 8 bytes per column, and the line after them.
    let values = buffers.scratch.assumingMemoryBound(to: UInt64.self) + 3 * columnComponents
    var sums = ColumnSums<Sum>(buffers.scratch, count: columnComponents)
    let zeroed = across.reach * format.channels
    values.update(repeating: 0, count: zeroed)
    let start = region.y + units.lowerBound - down.radius
    for position in start..<region.y + units.upperBound + down.radius {
      add(position, start: start, to: &sums, buffers.source, type)
      let y = position - down.radius - region.y
      guard y >= units.lowerBound else { continue }
      let first = line.offset(of: line.columns.lowerBound) * format.channels
      scale.normalise(sums.third, count: columnComponents, into: values + zeroed + first)
      line.fill(values + zeroed, channels: format.channels) {
        scale.constant(Double(edge.constant($0, in: format)))
      }
      for c in 0..<format.channels { sumAcross(values + c, into: buffers.destination.row(y), c, type) }
    }
  }

  /// Adds the row at `position` to the sums of all columns; rows before `start` count as zero.
  @inline(__always)
  private func add<C: PixelComponent & FixedWidthInteger, Sum>(
    _ position: Int, start: Int, to sums: inout ColumnSums<Sum>, _ source: ImageView, _ type: C.Type
  ) {
    let skipped = line.columns.lowerBound * format.bytesPerPixel
    func row(_ delay: Int) -> UnsafeRawPointer {
      let wanted = position - delay
      return (wanted < start ? UnsafeRawPointer(zeros.base) : rows.row(at: wanted, of: source)) + skipped
    }
    sums.add(
      row(0), row(down.twice), row(down.once), row(2 * down.twice), row(down.twice + down.once),
      row(down.reach), type)
  }

  /// The running sums along a line, for the channel at which `values` starts.
  @inline(__always)
  private func sumAcross<C: PixelComponent & FixedWidthInteger>(
    _ values: UnsafePointer<UInt64>, into target: UnsafeMutableRawPointer, _ channel: Int, _ type: C.Type
  ) {
    let channels = format.channels
    let (d, e) = (across.twice * channels, across.once * channels)
    // The first pixel is complete when the window's right end enters.
    let lead = line.offset(of: region.x) + across.radius
    var (first, second, third) = (UInt64(0), UInt64(0), UInt64(0))
    for i in 0..<lead + region.width {
      // SAFETY: the line has `reach` zeros before its start, and positions to the last window's right end.
      let v = values + (across.reach + i) * channels
      first &+= v[0] &- v[-2 * d - e] &- 2 &* (v[-d] &- v[-d - e]) &- (v[-e] &- v[-2 * d])
      second &+= first
      third &+= second
      if i >= lead {
        target.setComponent((i - lead) * channels + channel, to: C(truncatingIfNeeded: scale.divide(third)))
      }
    }
  }
}

/// The three running sums of each column.
private struct ColumnSums<Sum: FixedWidthInteger> {
  let first: UnsafeMutablePointer<Sum>
  let second: UnsafeMutablePointer<Sum>
  let third: UnsafeMutablePointer<Sum>
  let count: Int

  init(_ memory: UnsafeMutableRawPointer, count: Int) {
    // SAFETY: the caller reserves three times `count` sums.
    first = memory.assumingMemoryBound(to: Sum.self)
    second = first + count
    third = second + count
    self.count = count
    first.update(repeating: 0, count: 3 * count)
  }

  /// Advances by the row `r0`; the others are those at delays d, e, 2d, d + e, 2d + e, the taps of
  /// (1 − zᵈ)²(1 − zᵉ).
  @inline(__always)
  mutating func add<C: PixelComponent & FixedWidthInteger>(
    _ r0: UnsafeRawPointer, _ rd: UnsafeRawPointer, _ re: UnsafeRawPointer, _ r2d: UnsafeRawPointer,
    _ rde: UnsafeRawPointer, _ r2de: UnsafeRawPointer, _ type: C.Type
  ) {
    func value(_ row: UnsafeRawPointer, _ i: Int) -> Sum {
      Sum(truncatingIfNeeded: row.component(i, as: type))
    }
    for i in 0..<count {
      first[i] &+=
        value(r0, i) &- value(r2de, i) &- 2 &* (value(rd, i) &- value(rde, i))
        &- (value(re, i) &- value(r2d, i))
      second[i] &+= first[i]
      third[i] &+= second[i]
    }
  }
}

/// The fixed-point scale between the two passes, and the one division at the end.
private struct BoxScale: Sendable {
  /// Whether the column sums fit 32 bits.
  let sumsFit32: Bool
  /// 1 when column sums go on as they are; otherwise what they are multiplied with so that row sums fit.
  private let factor: Double?
  private let unit: Double
  private let divisor: UInt64
  private let reciprocal: UInt64

  init(_ format: PixelFormat, across: BoxSizes, down: BoxSizes) {
    let full = format.fullScale
    sumsFit32 = full * Double(down.gain) < 0x1p32
    if full * Double(down.gain) * Double(across.gain) < 0x1p63 {
      factor = nil
      unit = Double(down.gain)
      divisor = UInt64(down.gain * across.gain)
    } else {
      var bits = 0
      while full * Double(across.gain) * Double(1 << (bits + 1)) < 0x1p63 { bits += 1 }
      factor = Double(1 << bits) / Double(down.gain)
      unit = Double(1 << bits)
      divisor = UInt64(across.gain) << UInt64(bits)
    }
    reciprocal = UInt64.max / divisor
  }

  /// A source value as it stands in the line.
  func constant(_ value: Double) -> UInt64 { UInt64(value * unit) }

  /// Column sums as they stand in the line.
  @inline(__always)
  func normalise<Sum: FixedWidthInteger>(
    _ sums: UnsafePointer<Sum>, count: Int, into line: UnsafeMutablePointer<UInt64>
  ) {
    if let factor {
      for i in 0..<count { line[i] = UInt64(Double(sums[i]) * factor + 0.5) }
    } else {
      for i in 0..<count { line[i] = UInt64(truncatingIfNeeded: sums[i]) }
    }
  }

  /// `sum` / `divisor`, rounded to nearest. The reciprocal's quotient is at most one too small.
  @inline(__always)
  func divide(_ sum: UInt64) -> UInt64 {
    let rounded = sum &+ divisor / 2
    let quotient = rounded.multipliedFullWidth(by: reciprocal).high
    return rounded &- quotient &* divisor >= divisor ? quotient &+ 1 : quotient
  }
}
