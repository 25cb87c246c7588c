/// A plan that filters first all rows and then all columns of an image, with one filter for each axis. It
/// filters eight rows or columns at a time, one in each SIMD lane.
///
/// In the first phase, each channel of a row is a line of its own, and a unit of work is a group of eight
/// lines. The filtered rows are stored in memory that all threads share, in single precision and in groups of
/// eight columns. In the second phase, a unit of work is one of these groups of columns.
///
/// Several approximate kernels use this plan, and each of them promises a largest error. To compute it, let e
/// be the difference between the two-dimensional weights of the kernel and those of the exact Gaussian. Let
/// Σe⁺ be the sum of all positive differences, and Σe⁻ the sum of the absolute values of all negative ones.
/// Over all images whose samples lie between 0 and full scale, the largest error in 8-bit levels is
/// 255·max(Σe⁺, Σe⁻).
///
/// This error was computed at sigmas from 0.02 to 1.2 in steps of 0.01, up to 4 in steps of 0.04, up to 12 in
/// steps of 0.23, at fifteen more sigmas up to 60, and at 100, 300 and 1000. The promise is at least 25 %
/// larger than the largest error that was found. The extra 25 % cover the sigmas in between, and samples
/// below 0.
final class AxisPlan<Filter: AxisFilter>: Plan {
  private let frame: AxisFrame
  private let across: AxisLine<Filter>
  private let down: AxisLine<Filter>

  /// Creates a plan with one filter for each axis. `filter` makes a filter for the sigma of an axis. An axis
  /// whose sigma is 0 is not filtered.
  convenience init(_ problem: BlurProblem, _ filter: (_ sigma: Double) -> Filter) {
    self.init(problem) { sigma, _ in filter(sigma) }
  }

  /// Creates a plan whose filters depend on the sigma and on the length of their axis.
  ///
  /// If the edge mode repeats the image, all sufficiently large sigmas give the same blur. The filters are
  /// made for the smallest sigma that gives this blur.
  init(_ problem: BlurProblem, _ filter: (_ sigma: Double, _ count: Int) -> Filter) {
    let (layout, edge) = (problem.layout, problem.edge)
    let sigma = problem.sigma.folded(edge, layout)
    frame = AxisFrame(layout: layout, region: problem.region)
    across = AxisLine(layout.width, sigma: sigma.x, edge: edge, format: layout.format, filter)
    down = AxisLine(layout.height, sigma: sigma.y, edge: edge, format: layout.format, filter)
  }

  /// A description of this plan for the executor, which allocates memory and runs the phases. The first phase
  /// filters all rows of the image. From each row, it writes only those columns to the shared memory that
  /// belong to the blurred region. The second phase reads them there, eight neighbouring components of all
  /// rows at a time.
  var facts: PlanFacts {
    PlanFacts(
      phases: [Phase(units: frame.rowGroups), Phase(units: frame.columnGroups)],
      sharedBytes: frame.sharedBytes, scratchBytes: max(across.scratchBytes, down.scratchBytes),
      isSameByRegion: !across.mixesLines && !down.mixesLines, blockColumns: AxisFrame.blockLength,
      blockRows: Lanes.scalarCount)
  }

  func run(_ phase: Int, _ units: Range<Int>, _ buffers: PhaseContext) {
    // The properties are copied to local constants before the loop. Otherwise the compiled code would read
    // them from the plan and retain them again in each iteration.
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

/// The code that loads lines from an image and stores filtered lines. It is the same for every filter.
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

  /// Returns the indices of the lines in a group of eight lines. A line is one channel of a row. Channel c of
  /// row y has the index y · channels + c.
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

  /// Copies eight lines from the image into the eight SIMD lanes of `pixels`. A line is one channel of a row.
  /// The function copies 64 columns of all eight lines before it goes on to the next 64 columns, so that the
  /// vectors that it writes stay in the first-level cache. If the last group has fewer than eight lines, the
  /// unused lanes are filled with 0.
  @inline(__always)
  private func load<C: PixelComponent>(
    _ lines: Range<Int>, _ buffers: PhaseContext, into pixels: UnsafeMutablePointer<Lanes>, _ type: C.Type
  ) {
    if lines.count < Lanes.scalarCount { pixels.update(repeating: .zero, count: layout.width) }
    // SAFETY: `pixels` holds `width` vectors of eight numbers each, and each row of the source image holds
    // `width` pixels.
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

  /// Copies the wanted columns of eight filtered lines to the intermediate image in shared memory, which is
  /// stored in groups of eight components.
  func store(rowGroup: Int, _ buffers: PhaseContext, from pixels: UnsafeMutablePointer<Lanes>) {
    let lines = lines(rowGroup)
    // SAFETY: `pixels` holds eight doubles for each column of the image, and the region lies inside the
    // image. The shared memory holds floats. It has space for eight floats for each row of each group of
    // columns.
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

  /// The largest number of columns that are copied together. The code copies this number of columns from each
  /// of eight lines before it goes on to the next columns, so that the copied values stay in the first-level
  /// cache.
  static let blockLength = 64

  /// Divides the columns 0..<count into blocks of at most `blockLength` columns.
  @inline(__always)
  private func blocks(of count: Int) -> some Sequence<Range<Int>> {
    let length = Self.blockLength
    return stride(from: 0, to: count, by: length).lazy.map { $0..<min($0 + length, count) }
  }

  /// Copies eight columns from the shared memory into the eight SIMD lanes of `pixels`. If the last group has
  /// fewer than eight wanted columns, the unused lanes are set to 0. A filter may treat two lanes as one
  /// complex number, so that arbitrary values in an unused lane would spoil a wanted column.
  func load(columnGroup: Int, _ buffers: PhaseContext, into pixels: UnsafeMutablePointer<Lanes>) {
    // SAFETY: the first phase has filled the shared memory, which holds `height` vectors for each group of
    // columns. `pixels` also has space for `height` vectors.
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

  /// Rounds the wanted rows of eight filtered columns to stored components, and writes them to the
  /// destination image.
  @inline(__always)
  private func store<C: PixelComponent>(
    _ group: Int, _ buffers: PhaseContext, from pixels: UnsafeMutablePointer<Lanes>, _ type: C.Type
  ) {
    // SAFETY: `pixels` holds one vector for each row of the image, and the region lies inside the image. In
    // the last group of columns, some lanes may lie beyond the end of the destination row. `count` excludes
    // these lanes.
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
  /// Returns the estimated cost of a blur with an ``AxisPlan``, which filters eight lines at a time.
  ///
  /// - Parameters:
  ///   - operations: The number of vector operations that the filter needs for one vector, which holds one
  ///     sample from each of eight lines.
  ///   - overrun: The number of samples by which lines are extended at each end, divided by sigma.
  ///   - ofAll: Whether lines are extended in every edge mode. If this is false, they are extended only in
  ///     the edge modes `mirror`, `reflect` and `wrap`.
  static func alongLines(
    _ problem: BlurProblem, operations: Double, overrun: Double = 18, ofAll: Bool = false
  ) -> Cost {
    let sigmas = ofAll || problem.edge.period(1) != nil ? overrun : 0
    return alongLines(problem, overrun: { sigma, _ in sigmas * sigma }, operations: { _ in operations })
  }

  /// Returns the estimated cost of a blur with an ``AxisPlan``, which filters eight lines at a time. The
  /// factors were fitted to measured times. The command `blurbench tune --constants` prints how much the
  /// estimates deviate from measured times.
  ///
  /// - Parameters:
  ///   - overrun: A function that returns the number of samples by which a line of the given length is
  ///     extended at each end.
  ///   - operations: A function that returns the number of vector operations that the filter needs for one
  ///     vector, if lines have the given length. A vector holds one sample from each of eight lines.
  static func alongLines(
    _ problem: BlurProblem, overrun: (_ sigma: Double, _ count: Int) -> Double,
    operations: (_ length: Double) -> Double
  ) -> Cost {
    let layout = problem.layout
    let sigma = problem.sigma.folded(problem.edge, layout)
    func lines(_ length: Int, _ count: Int, _ sigma: Double) -> Cost {
      let all = Double(length) + 2 * overrun(sigma, length)
      let groups = (Double(count) * Double(layout.format.channels)).pieces(of: Lanes.scalarCount)
      // The first term is the cost of filtering a vector of eight samples. The second term is the cost of
      // moving these samples from the image into the SIMD lanes before filtering, and back again afterwards.
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
