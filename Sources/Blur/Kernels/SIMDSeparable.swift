/// The separable Gaussian in Swift SIMD, for the widest vectors of the CPU.
///
/// Vertical pass first: four output rows at once, so that each source row is loaded and widened once for
/// four sums, into lines that stay in the cache; then each line is continued by the edge mode and summed
/// across. 8-bit formats use 16-bit weights and values with 6 binary places and 32-bit sums; other formats,
/// and sigmas whose 16-bit weights would cost too much accuracy, single precision.
/// The inner loops are in `Sources/BlurLanes`.
public struct SIMDSeparable: BlurKernel {
  public static let name = "simd"
  public static let summary =
    "separable in Swift SIMD: 16-bit fixed point for 8-bit formats, float for others"
  public static let promise = Promise.exact()
  public static let instructionSets = InstructionSet.allCases

  private let arithmetic: any SeparableArithmetic

  public init(_ parameters: BlurParameters, layout: ImageLayout) throws(BlurError) {
    let frame = try SeparableFrame(parameters, layout)
    arithmetic = FixedPointFilter(frame) ?? FloatFilter(frame)
  }

  public var phases: [Phase] {
    [Phase(units: arithmetic.frame.region.height, grain: FilterLoops.rowsPerBlock)]
  }
  public var scratchBytes: Int { arithmetic.scratchBytes }

  public func run(_ phase: Int, _ units: Range<Int>, _ buffers: BlurBuffers) {
    arithmetic.run(units, buffers)
  }
}

/// What both arithmetics share: where rows and columns come from.
struct SeparableFrame: Sendable {
  let format: PixelFormat
  let region: Region
  let edge: EdgeMode
  let rows: EdgeRows
  let line: PaddedLine
  let across: GaussianTaps
  let down: GaussianTaps
  let loops: FilterLoops

  init(_ parameters: BlurParameters, _ layout: ImageLayout) throws(BlurError) {
    format = layout.format
    region = parameters.region ?? layout.bounds
    edge = parameters.edge
    rows = try EdgeRows(edge, layout: layout)
    across = GaussianTaps(sigma: parameters.sigma.x, for: layout.format)
    down = GaussianTaps(sigma: parameters.sigma.y, for: layout.format)
    line = PaddedLine(region.columns, radius: across.radius, width: layout.width, edge: edge)
    loops = .compiled(for: parameters.instructionSet)
  }

  var channels: Int { format.channels }

  /// Values before the line that a padded window may read: two pixels.
  private var lead: Int { 2 * channels }

  /// Values from one line of a block to the next.
  var lineStride: Int { lead + line.positions.count * channels + FilterLoops.slack }

  /// Bytes for the addresses of a block's rows, and its lines.
  func scratchBytes(valueBytes: Int) -> Int {
    addressBytes + FilterLoops.rowsPerBlock * lineStride * valueBytes
  }

  /// Room for the rows of a block, a multiple of 64.
  private var addressBytes: Int { ((2 * down.radius + FilterLoops.rowsPerBlock) * 8 + 63) / 64 * 64 }

  /// Runs both passes for the rows `units` of the region.
  ///
  /// - Parameters:
  ///   - sumDown: rows, first of four lines, number of values.
  ///   - constant: channel c of the constant pixel, as it stands in a line.
  ///   - sumAcross: the line at its first wanted pixel, target row.
  @inline(__always)
  func run<Value: BitwiseCopyable>(
    _ units: Range<Int>, _ buffers: BlurBuffers,
    sumDown: (FilterLoops.Rows, UnsafeMutablePointer<Value>, Int) -> Void, constant: (Int) -> Value,
    sumAcross: (UnsafePointer<Value>, UnsafeMutableRawPointer) -> Void
  ) {
    // SAFETY: `scratchBytes` reserves the addresses, and four lines of `lineStride` values after them.
    let addresses = buffers.scratch.assumingMemoryBound(to: UnsafeRawPointer.self)
    let lines = (buffers.scratch + addressBytes).assumingMemoryBound(to: Value.self) + lead
    let firstComputed = line.offset(of: line.columns.lowerBound) * channels
    let firstWanted = line.offset(of: region.x) * channels
    for y in stride(from: units.lowerBound, to: units.upperBound, by: FilterLoops.rowsPerBlock) {
      collectRows(around: region.y + y, buffers.source, into: addresses)
      sumDown(addresses, lines + firstComputed, line.columns.count * channels)
      for j in 0..<min(FilterLoops.rowsPerBlock, units.upperBound - y) {
        let current = lines + j * lineStride
        line.fill(current, channels: channels, constant: constant)
        sumAcross(current + firstWanted, buffers.destination.row(y + j))
      }
    }
  }

  /// The addresses of all rows in the windows of the four output rows from `y` on: an even number.
  private func collectRows(
    around y: Int, _ source: ImageView, into addresses: UnsafeMutablePointer<UnsafeRawPointer>
  ) {
    let skipped = line.columns.lowerBound * format.bytesPerPixel
    for i in 0..<2 * down.radius + FilterLoops.rowsPerBlock {
      addresses[i] = rows.row(at: y - down.radius + i, of: source) + skipped
    }
  }
}

/// One of the two arithmetics.
protocol SeparableArithmetic: Sendable {
  var frame: SeparableFrame { get }
  var scratchBytes: Int { get }
  func run(_ units: Range<Int>, _ buffers: BlurBuffers)
}

/// 16-bit fixed point, for 8-bit images.
struct FixedPointFilter: SeparableArithmetic {
  /// Binary places of the values between the passes: two values from 0 to 255 add up to less than 2¹⁵.
  private static let linePlaces = 6
  /// The largest error that is accepted, in levels, of the 1 that is promised.
  private static let largestError = 0.9

  let frame: SeparableFrame
  private let downWeights: [Int32]
  private let downShift: Int32
  private let acrossWeights: [Int32]
  private let acrossShift: Int32

  /// Nil when the format is not 8-bit, or 16-bit weights are too coarse for this sigma.
  init?(_ frame: SeparableFrame) {
    guard frame.format.component == .uint8 else { return nil }
    let tail = GaussianTaps.tail(for: frame.format)
    // 32-bit sums hold 255 · 2²² and 255 · 2⁶ · 2¹⁷.
    let down = FixedTaps(frame.down, tail: tail, mostBits: 22, centreDivisor: 1)
    let across = FixedTaps(frame.across, tail: tail, mostBits: 17, centreDivisor: 2)
    let rounding = 0.5 / Double(1 << Self.linePlaces)
    guard 255 * (down.error + across.error) + rounding < Self.largestError else { return nil }
    self.frame = frame
    downWeights = Self.rowPairs(down)
    downShift = Int32(down.bits - Self.linePlaces)
    acrossWeights = Self.distancePairs(across)
    acrossShift = Int32(across.bits + Self.linePlaces)
  }

  var scratchBytes: Int { frame.scratchBytes(valueBytes: MemoryLayout<Int16>.size) }

  func run(_ units: Range<Int>, _ buffers: BlurBuffers) {
    frame.run(units, buffers) { (rows, lines: UnsafeMutablePointer<Int16>, count) in
      frame.loops.fixedDown(
        rows, downWeights.count / FilterLoops.rowsPerBlock, downWeights, downShift, lines, frame.lineStride,
        count)
    } constant: {
      Int16(frame.edge.constant($0, in: frame.format)) << Int16(Self.linePlaces)
    } sumAcross: { line, target in
      frame.loops.fixedAcross(
        line, frame.channels, acrossWeights.count, acrossWeights, acrossShift, target,
        frame.region.width * frame.channels)
    }
  }

  /// Weights for rows taken in pairs, one word for each of a block's output rows; 0 outside its window.
  private static func rowPairs(_ taps: FixedTaps) -> [Int32] {
    let rows = 2 * taps.radius + FilterLoops.rowsPerBlock
    return stride(from: 0, to: rows, by: 2).flatMap { first in
      (0..<FilterLoops.rowsPerBlock).map { output in
        word(weight(taps, first - output - taps.radius), weight(taps, first + 1 - output - taps.radius))
      }
    }
  }

  /// Weights for distances taken in pairs, half the centre's first.
  private static func distancePairs(_ taps: FixedTaps) -> [Int32] {
    stride(from: 0, through: taps.radius, by: 2).map { near in
      word(near == 0 ? taps.half[0] / 2 : weight(taps, near), weight(taps, near + 1))
    }
  }

  private static func weight(_ taps: FixedTaps, _ distance: Int) -> Int32 {
    abs(distance) <= taps.radius ? taps.half[abs(distance)] : 0
  }

  private static func word(_ first: Int32, _ second: Int32) -> Int32 { first | second << 16 }
}

/// Single precision, for every format.
struct FloatFilter: SeparableArithmetic {
  let frame: SeparableFrame
  private let downWeights: [Float]
  private let acrossWeights: [Float]

  init(_ frame: SeparableFrame) {
    self.frame = frame
    downWeights = frame.down.window.map { Float($0) }
    acrossWeights = frame.across.half.map { Float($0) }
  }

  var scratchBytes: Int { frame.scratchBytes(valueBytes: MemoryLayout<Float>.size) }

  func run(_ units: Range<Int>, _ buffers: BlurBuffers) {
    let bytes = frame.format.component.bytes
    frame.run(units, buffers) { (rows, lines: UnsafeMutablePointer<Float>, count) in
      frame.loops.floatDown(rows, bytes, downWeights.count, downWeights, lines, frame.lineStride, count)
    } constant: {
      frame.edge.constant($0, in: frame.format)
    } sumAcross: { line, target in
      frame.loops.floatAcross(
        line, frame.channels, acrossWeights.count - 1, acrossWeights, target, bytes,
        frame.region.width * frame.channels)
    }
  }
}
