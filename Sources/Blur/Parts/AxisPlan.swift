/// A blur that filters along all rows and then along all columns, eight lines at a time.
///
/// The first phase takes groups of eight lines, of which a row has one for each channel, and keeps the wanted
/// columns of the result in single precision, group by group of eight columns; the second takes those groups
/// and writes the wanted rows.
///
/// Where a kernel with such a plan promises an approximation, that is a quarter or more above the largest
/// error of any image with samples from 0 to full scale, 255·max(Σe⁺, Σe⁻) with e the difference of their
/// two-dimensional response from the Gaussian of the definition, at sigmas from .02 to 1.2 in steps of .01,
/// to 4 of .04, to 12 of .23, and fifteen to 60, 100, 300 and 1000. The quarter is for sigmas between, and
/// for samples below 0.
final class AxisPlan<Filter: AxisFilter>: Plan {
  private let frame: AxisFrame
  private let across: AxisLine<Filter>
  private let down: AxisLine<Filter>

  /// Plans the filters that `filter` makes for the sigma of each axis; where that is 0, there is none.
  convenience init(_ problem: BlurProblem, _ filter: (_ sigma: Double) -> Filter) {
    self.init(problem) { sigma, _ in filter(sigma) }
  }

  /// Plans filters that know how many pixels their axis has. All are near the Gaussian, so the least sigma
  /// will do with which that is the same.
  init(_ problem: BlurProblem, _ filter: (_ sigma: Double, _ count: Int) -> Filter) {
    let (layout, edge) = (problem.layout, problem.edge)
    let sigma = problem.sigma.folded(edge, layout)
    frame = AxisFrame(layout: layout, region: problem.region)
    across = AxisLine(layout.width, sigma: sigma.x, edge: edge, format: layout.format, filter)
    down = AxisLine(layout.height, sigma: sigma.y, edge: edge, format: layout.format, filter)
  }

  /// Shared are the wanted columns of all rows, one group of eight components after the other.
  var facts: PlanFacts {
    PlanFacts(
      phases: [Phase(units: frame.rowGroups), Phase(units: frame.columnGroups)],
      sharedBytes: frame.sharedBytes, scratchBytes: max(across.scratchBytes, down.scratchBytes),
      isSameByRegion: !across.mixesLines && !down.mixesLines, blockColumns: AxisFrame.blockLength,
      blockRows: Lanes.scalarCount)
  }

  func run(_ phase: Int, _ units: Range<Int>, _ buffers: PhaseContext) {
    // Copies: an object's own would be read and retained anew for each unit.
    let (frame, across, down) = (frame, across, down)
    for unit in units {
      let first = unit * Lanes.scalarCount
      if phase == 0 {
        let pixels = across.pixels(in: buffers.scratch)
        frame.load(rowGroup: unit, buffers, into: pixels)
        across.run(buffers.scratch, channel: first % frame.channels)
        frame.store(rowGroup: unit, buffers, from: pixels)
      } else {
        let pixels = down.pixels(in: buffers.scratch)
        frame.load(columnGroup: unit, buffers, into: pixels)
        down.run(buffers.scratch, channel: first % frame.channels)
        frame.store(columnGroup: unit, buffers, from: pixels)
      }
    }
  }
}

/// How lines come from images and go back: what all filters share.
private struct AxisFrame: Sendable {
  private typealias Step = SIMD8<Float>

  let layout: ImageLayout
  let region: Region

  var channels: Int { layout.format.channels }
  private var lines: Int { layout.height * channels }
  private var components: Int { region.width * channels }
  var rowGroups: Int { (lines + Lanes.scalarCount - 1) / Lanes.scalarCount }
  var columnGroups: Int { (components + Lanes.scalarCount - 1) / Lanes.scalarCount }
  var sharedBytes: Int { columnGroups * layout.height * MemoryLayout<Step>.stride }

  /// The lines of a group: line l is channel l % channels of row l / channels.
  private func lines(_ group: Int) -> Range<Int> {
    group * Lanes.scalarCount..<min((group + 1) * Lanes.scalarCount, lines)
  }

  func load(rowGroup: Int, _ buffers: PhaseContext, into pixels: UnsafeMutablePointer<Lanes>) {
    switch layout.format.component {
    case .uint8: load(lines(rowGroup), buffers, into: pixels, UInt8.self)
    case .uint16: load(lines(rowGroup), buffers, into: pixels, UInt16.self)
    case .float32: load(lines(rowGroup), buffers, into: pixels, Float.self)
    }
  }

  func store(columnGroup: Int, _ buffers: PhaseContext, from pixels: UnsafeMutablePointer<Lanes>) {
    switch layout.format.component {
    case .uint8: store(columnGroup, buffers, from: pixels, UInt8.self)
    case .uint16: store(columnGroup, buffers, from: pixels, UInt16.self)
    case .float32: store(columnGroup, buffers, from: pixels, Float.self)
    }
  }

  /// Turns rows into lanes, a few pixels of all rows at a time, so that they stay in the nearest cache. The
  /// lanes of lines that a last group lacks are 0.
  @inline(__always)
  private func load<C: PixelComponent>(
    _ lines: Range<Int>, _ buffers: PhaseContext, into pixels: UnsafeMutablePointer<Lanes>, _ type: C.Type
  ) {
    if lines.count < Lanes.scalarCount { pixels.update(repeating: .zero, count: layout.width) }
    // SAFETY: a line holds `width` lanes of eight numbers each; rows of the source hold `width` pixels.
    let numbers = UnsafeMutableRawPointer(pixels).assumingMemoryBound(to: Double.self)
    for block in blocks(of: layout.width) {
      for i in 0..<lines.count {
        let (y, c) = (lines.lowerBound + i).quotientAndRemainder(dividingBy: channels)
        let row = buffers.source.row(y)
        var component = block.lowerBound * channels + c
        for x in block {
          numbers[x &* Lanes.scalarCount &+ i] = row.component(component, as: type).number
          component &+= channels
        }
      }
    }
  }

  /// Turns the wanted columns of filtered rows back, into the shared image.
  func store(rowGroup: Int, _ buffers: PhaseContext, from pixels: UnsafeMutablePointer<Lanes>) {
    let lines = lines(rowGroup)
    // SAFETY: `sharedBytes` reserves a step for each row of each group; lines hold the region's pixels.
    let numbers = UnsafeMutableRawPointer(pixels + region.x).assumingMemoryBound(to: Double.self)
    let shared = buffers.shared.assumingMemoryBound(to: Float.self)
    for block in blocks(of: region.width) {
      for i in 0..<lines.count {
        let (y, c) = (lines.lowerBound + i).quotientAndRemainder(dividingBy: channels)
        var component = block.lowerBound * channels + c
        for x in block {
          let (group, k) = component.quotientAndRemainder(dividingBy: Lanes.scalarCount)
          shared[(group &* layout.height &+ y) &* Lanes.scalarCount &+ k] =
            Float(numbers[x &* Lanes.scalarCount &+ i])
          component &+= channels
        }
      }
    }
  }

  /// Pixels that are turned into lanes at once.
  static let blockLength = 64

  /// The pixels 0..<count in pieces.
  @inline(__always)
  private func blocks(of count: Int) -> some Sequence<Range<Int>> {
    let length = Self.blockLength
    return stride(from: 0, to: count, by: length).lazy.map { $0..<min($0 + length, count) }
  }

  /// Lanes that the last group has beyond the region are 0: filters may take two lanes as one complex number.
  func load(columnGroup: Int, _ buffers: PhaseContext, into pixels: UnsafeMutablePointer<Lanes>) {
    // SAFETY: phase 0 has filled the shared image; a line holds `height` lanes.
    let steps = buffers.shared.assumingMemoryBound(to: Step.self) + columnGroup * layout.height
    for y in 0..<layout.height {
      let step = steps[y]
      pixels[y] = Lanes(
        Double(step[0]), Double(step[1]), Double(step[2]), Double(step[3]), Double(step[4]), Double(step[5]),
        Double(step[6]), Double(step[7]))
    }
    for lane in min(Lanes.scalarCount, components - columnGroup * Lanes.scalarCount)..<Lanes.scalarCount {
      for y in 0..<layout.height { pixels[y][lane] = 0 }
    }
  }

  /// Rounds the wanted rows of filtered columns.
  @inline(__always)
  private func store<C: PixelComponent>(
    _ group: Int, _ buffers: PhaseContext, from pixels: UnsafeMutablePointer<Lanes>, _ type: C.Type
  ) {
    // SAFETY: a line holds all rows, the region's among them, and the group's components are in the row.
    let pixels = pixels + region.y
    let first = group * Lanes.scalarCount
    let count = min(Lanes.scalarCount, components - first)
    for y in 0..<region.height {
      let row = buffers.destination.row(y)
      let step = pixels[y]
      for i in 0..<count { row.setComponent(first + i, to: C(rounding: step[i])) }
    }
  }
}

extension Cost {
  /// That of an ``AxisPlan``.
  ///
  /// - Parameters:
  ///   - operations: on eight lines' samples at one position.
  ///   - overrun: how far lines are continued, in sigmas: those that repeat themselves, or all.
  static func alongLines(
    _ problem: BlurProblem, operations: Double, overrun: Double = 18, ofAll: Bool = false
  ) -> Cost {
    let sigmas = ofAll || problem.edge.period(1) != nil ? overrun : 0
    return alongLines(problem, overrun: { sigma, _ in sigmas * sigma }, operations: { _ in operations })
  }

  /// That of an ``AxisPlan``. Its factors are fitted: check them by the errors that
  /// `blurbench tune --constants` prints.
  ///
  /// - Parameters:
  ///   - overrun: how far lines are continued, in pixels.
  ///   - operations: on eight lines' samples at one position of a line of that length.
  static func alongLines(
    _ problem: BlurProblem, overrun: (_ sigma: Double, _ count: Int) -> Double,
    operations: (_ length: Double) -> Double
  ) -> Cost {
    let layout = problem.layout
    let sigma = problem.sigma.folded(problem.edge, layout)
    func lines(_ length: Int, _ count: Int, _ sigma: Double) -> Cost {
      let all = Double(length) + 2 * overrun(sigma, length)
      let groups = (Double(count) * Double(layout.format.channels)).pieces(of: Lanes.scalarCount)
      // Samples are taken apart and put together one by one.
      let ofSample = operations(all) * 4 + 2 * Double(Lanes.scalarCount)
      return Cost(vectors: 3 * groups * all * ofSample, rows: 2 * groups)
    }
    var cost =
      lines(layout.width, layout.height, sigma.x) + lines(layout.height, layout.width, sigma.y)
    cost.pieces = Double(max(layout.width, layout.height)).pieces(of: Lanes.scalarCount)
    cost.phases = 2
    return cost
  }
}
