import BlurLoopTable

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The separable Gaussian in Swift SIMD, for the widest vectors of the CPU.
///
/// Where the bound allows, 16-bit fixed point; otherwise single precision. The window is no wider than the
/// bound needs. `Parts/WindowFilter.swift` says how the passes work together.
public struct SIMDSeparable: GradedKernel {
  public static let name = "simd"
  public static let summary =
    "separable in Swift SIMD: 16-bit fixed point for 8- and 16-bit formats, float for others"
  public static let instructionSets = InstructionSet.allCases

  private let region: Region
  private let rows: EdgeRows
  private let filter: any WindowFilter
  public let isQuick: Bool

  public init(_ parameters: BlurParameters, layout: ImageLayout) throws(BlurError) {
    region = parameters.region ?? layout.bounds
    rows = try EdgeRows(parameters.edge, layout: layout)
    let format = layout.format
    let shape = WindowShape(
      component: format.component, channels: format.channels, wanted: region.columns,
      inside: 0..<layout.width, edge: parameters.edge, instructionSet: parameters.instructionSet)
    // Up to about 80 µs, counted in bytes times taps; waking a thread takes 50.
    isQuick =
      Double(region.width * region.height * format.bytesPerPixel)
      * (3 * (parameters.sigma.x + parameters.sigma.y) + 1) < 4_000_000
    filter = Self.filter(shape, parameters.sigma, bound: parameters.accuracy.share(for: format))
  }

  public var phases: [Phase] { [Phase(units: region.height, grain: FilterLoops.rowsPerBlock)] }
  public var scratchBytes: Int { filter.scratchBytes }
  public var reads: Region? {
    Region(
      columns: filter.frame.line.columns,
      rows: rows.span(of: region.rows.widened(by: filter.frame.radius)))
  }

  public var finishesRows: Bool { true }

  public func run(_ phase: Int, _ units: Range<Int>, _ buffers: BlurBuffers) {
    let strip = buffers.finish == nil ? units.count : BlurBuffers.rowsAtOnce
    for y in stride(from: units.lowerBound, to: units.upperBound, by: max(1, strip)) {
      let wanted = y..<min(y + strip, units.upperBound)
      filter.run(wanted, buffers.scratch) {
        rows.row(at: region.y + $0, of: buffers.source)
      } into: {
        buffers.destination.row($0)
      }
      buffers.finished(wanted)
    }
  }
}

extension SIMDSeparable {
  /// The quickest filter that is at most `bound` off before rounding, a share of full scale.
  private static func filter(_ shape: WindowShape, _ sigma: Sigma, bound: Double) -> any WindowFilter {
    // What windows leave out may weigh most of the bound; integer weights need some room beside it.
    for share in [0.47, 0.4, 0.3] where shape.component != .float32 {
      let across = GaussianTaps(sigma: sigma.x, tail: share * bound)
      let down = GaussianTaps(sigma: sigma.y, tail: share * bound)
      guard let fixedAcross = FixedTaps(across.half), let fixedDown = FixedTaps(down.half) else { break }
      let error = across.leftOut + down.leftOut + fixedAcross.error + fixedDown.error
      if error + FixedFilter.rounding < 0.98 * bound {
        return FixedFilter(shape, across: fixedAcross, down: fixedDown)
      }
    }
    let across = GaussianTaps(sigma: sigma.x, tail: 0.47 * bound)
    let down = GaussianTaps(sigma: sigma.y, tail: 0.47 * bound)
    return FloatFilter(shape, across: across.half, down: down.half)
  }
}

extension SIMDSeparable: EffortKernel {
  /// The vectors of the inner loops, counted like the operations of `pyramid`.
  static func effort(_ work: BlurWork) -> (InstructionSet) -> Effort {
    let bound = work.accuracy.share(for: work.format)
    // Wide windows have small weights, whose rounding uses up the bound.
    let isFixed = work.format.component != .float32 && work.sigma < 5500 * bound
    let deviations = (2 * log(2 / bound)).squareRoot()
    let taps = 1 + 2 * deviations * work.sigma
    let count = Double(work.width) * Double(work.format.channels)
    let endsInPairs = work.format.channels == 1 || work.width % 2 == 0
    let blocks = (Double(work.height) / Double(FilterLoops.rowsPerBlock)).rounded(.up)
    return { isa in
      let lanes = Double(isa.vectorBytes / (isFixed ? 2 : 4))
      var down = (count / lanes).rounded(.up)
      // Blocks of four vectors are always summed whole.
      let across = (count / (4 * lanes)).rounded(.up)
      let reachesBack = count >= lanes && endsInPairs
      if isFixed, !reachesBack, down * lanes > count { down += partial }
      let row = isFixed ? 44 + taps * (down + 1.8 * across) : 62 + taps * (0.2 * down + 3 * across)
      return Effort(amount: vector * row * blocks, way: isFixed ? 0 : 1)
    }
  }

  /// The operations that one vector, summed down for one tap, lasts as long as.
  private static let vector = 76.0
  /// A vector that is loaded in part costs as much more as so many whole ones.
  private static let partial = 5.0
}
