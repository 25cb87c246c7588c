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
    isQuick = Self.isQuick(layout, parameters.sigma)
    let (sigma, edge) = (parameters.sigma, parameters.edge)
    filter = Self.filter(shape, bound: parameters.accuracy.share(for: format)) { tail in
      (
        GaussianTaps(sigma: sigma.x, tail: tail).folded(edge, layout.width),
        GaussianTaps(sigma: sigma.y, tail: tail).folded(edge, layout.height)
      )
    }
  }

  /// Up to about 80 µs, counted in bytes times taps; waking a thread takes 50.
  private static func isQuick(_ layout: ImageLayout, _ sigma: Sigma) -> Bool {
    Double(layout.width * layout.height * layout.format.bytesPerPixel) * (3 * (sigma.x + sigma.y) + 1) < 4_000_000
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
  ///
  /// - Parameter taps: the windows along both axes that leave out so much.
  private static func filter(
    _ shape: WindowShape, bound: Double, taps: (_ tail: Double) -> (across: GaussianTaps, down: GaussianTaps)
  ) -> any WindowFilter {
    // What windows leave out may weigh most of the bound; integer weights need some room beside it.
    for share in [0.47, 0.4, 0.3] where shape.component != .float32 {
      let (across, down) = taps(share * bound)
      guard let fixedAcross = FixedTaps(across.half), let fixedDown = FixedTaps(down.half) else { break }
      let error = across.leftOut + down.leftOut + fixedAcross.error + fixedDown.error
      if error + FixedFilter.rounding < 0.98 * bound {
        return FixedFilter(shape, across: fixedAcross, down: fixedDown)
      }
    }
    let (across, down) = taps(0.47 * bound)
    return FloatFilter(shape, across: across.half, down: down.half)
  }
}

extension SIMDSeparable: CountingKernel {
  package static func cost(_ problem: BlurProblem, _ accuracy: Accuracy, order: Int) -> Cost {
    let (layout, edge) = (problem.layout, problem.edge)
    let bound = accuracy.share(for: layout.format)
    let across = edge.radius(problem.sigma.x, bound, layout.width)
    let down = edge.radius(problem.sigma.y, bound, layout.height)
    // Rounding puts each weight off by a third of a unit; half of the bound is for that.
    let isFixed =
      layout.format.component != .float32 && (across + down) / 3 / Double(1 << FixedTaps.bits) < bound / 2
    var cost = WindowCost(
      channels: layout.format.channels, vectorBytes: problem.instructionSet.vectorBytes, isFixed: isFixed
    ).filter(
      columns: Double(layout.width), stored: Double(layout.width), rows: Double(layout.height),
      across: across, down: down)
    cost.pieces =
      isQuick(layout, problem.sigma) ? 1 : Double(layout.height).pieces(of: FilterLoops.rowsPerBlock)
    return cost
  }
}
