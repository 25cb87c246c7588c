/// A plan that filters first all rows and then all columns of an image, with one filter for each axis. It
/// filters eight lines at a time. A line is one channel of a row or column.
///
/// The plan has two phases, and all threads finish the first phase before the second begins. In the first
/// phase, each thread filters groups of eight lines that run along the rows. It writes the results, in single
/// precision, to memory that all threads share. In the second phase, each thread filters groups of eight
/// lines that run along the columns.
///
/// Several approximate kernels use this plan, and each of them promises a largest error. This error follows
/// from the differences between the two-dimensional weights of the kernel and the weights of the exact
/// Gaussian. Let P be the sum of all positive differences, and N the sum of the absolute values of all
/// negative differences. If all samples lie between 0 and full scale, no error exceeds max(P, N) times full
/// scale. In an 8-bit image, full scale is 255.
///
/// The error was computed for many sigmas: from 0.02 to 1.2 in steps of 0.01, up to 4 in steps of 0.04, up to
/// 12 in steps of 0.23, and for eighteen larger sigmas up to 1000. The promised error is at least 25 % larger
/// than the largest computed error, to allow for all other sigmas and for samples below 0.
final class AxisPlan<Filter: AxisFilter>: Plan {
  private let frame: AxisFrame
  private let across: AxisLine<Filter>
  private let down: AxisLine<Filter>
  private let cost: Cost

  /// Creates a plan with one filter for each axis. The closure `filter` creates the filter from the sigma
  /// along the axis. An axis whose sigma is 0 is not filtered.
  convenience init(_ problem: BlurProblem, cost: Cost, _ filter: (_ sigma: Double) -> Filter) {
    self.init(problem, cost: cost) { sigma, _ in filter(sigma) }
  }

  /// Creates a plan with one filter for each axis. The closure `filter` creates the filter from the sigma
  /// along the axis and the number of pixels along the axis.
  ///
  /// In the edge modes `mirror`, `reflect` and `wrap`, all very large sigmas give the same blur: every pixel
  /// becomes a mean of all pixels along the axis. The filter is created for the smallest of these sigmas,
  /// even if the requested sigma is larger.
  init(_ problem: BlurProblem, cost: Cost, _ filter: (_ sigma: Double, _ count: Int) -> Filter) {
    let (layout, edge) = (problem.layout, problem.edge)
    let sigma = problem.sigma.folded(edge, layout)
    frame = AxisFrame(
      layout: layout, region: problem.region, blockLength: problem.thresholds.copiedColumns)
    across = AxisLine(layout.width, sigma: sigma.x, edge: edge, format: layout.format, filter)
    down = AxisLine(layout.height, sigma: sigma.y, edge: edge, format: layout.format, filter)
    self.cost = cost
  }

  /// The facts about this plan that the executor needs to run it on several threads. The first phase filters
  /// all rows of the image, and writes the columns of the blurred region to memory that all threads share.
  /// The second phase filters these columns.
  var facts: PlanFacts {
    PlanFacts(
      phases: [Phase(units: frame.rowGroups), Phase(units: frame.columnGroups)],
      sharedBytes: frame.sharedBytes, scratchBytes: max(across.scratchBytes, down.scratchBytes),
      isSameByRegion: !across.mixesLines && !down.mixesLines, blockColumns: frame.blockLength,
      blockRows: Lanes.scalarCount
    ).costing(cost)
  }

  func run(_ phase: Int, _ units: Range<Int>, _ buffers: PhaseContext) {
    // These local copies make the loop faster. Without them, the compiled code would load the properties and
    // count references to them in each iteration.
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

/// Copies pixels before and after filtering, for every kind of filter. In the first phase, rows are copied
/// from the source image, and filtered rows are copied to memory that all threads share. In the second phase,
/// columns are copied from this memory, and filtered columns are copied to the destination image.
private struct AxisFrame: Sendable {
  private typealias Step = SIMD8<Float>

  let layout: ImageLayout
  let region: Region
  /// The number of columns in a block. Lines are copied block by block, so that the copied values stay in the
  /// first-level cache.
  let blockLength: Int

  var channels: Int { layout.format.channels }
  private var lines: Int { layout.height * channels }
  private var components: Int { region.width * channels }
  var rowGroups: Int { (lines + Lanes.scalarCount - 1) / Lanes.scalarCount }
  var columnGroups: Int { (components + Lanes.scalarCount - 1) / Lanes.scalarCount }
  var sharedBytes: Int { columnGroups * layout.height * MemoryLayout<Step>.stride }

  /// Returns the indices of the lines in a group, which has at most eight lines. A line is one channel of a
  /// row. The channels of row 0 come first, then the channels of row 1, and so on.
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

  /// Copies at most eight lines from the image to `pixels`. A line is one channel of a row. Each vector in
  /// `pixels` holds one number from each line, or 0 in place of a missing line. The columns are copied in
  /// blocks of ``blockLength``, so that the vectors of a block stay in the first-level cache.
  @inline(__always)
  private func load<C: PixelComponent>(
    _ lines: Range<Int>, _ buffers: PhaseContext, into pixels: UnsafeMutablePointer<Lanes>, _ type: C.Type
  ) {
    if lines.count < Lanes.scalarCount { pixels.update(repeating: .zero, count: layout.width) }
    // SAFETY: `pixels` holds `width` vectors of eight numbers each, and each row of the source image holds
    // `width` pixels. The loops access only columns from 0 to `width` − 1.
    let numbers = UnsafeMutableRawPointer(pixels).assumingMemoryBound(to: Double.self)
    for block in blocks(of: layout.width) {
      for i in 0..<lines.count {
        let (y, c) = (lines.lowerBound + i).quotientAndRemainder(dividingBy: channels)
        let row = buffers.source.unsafeRow(y)
        var component = block.lowerBound * channels + c
        for x in block {
          numbers[x &* Lanes.scalarCount &+ i] = row.component(component, as: type).number
          component &+= channels
        }
      }
    }
  }

  /// Copies at most eight filtered lines to an intermediate image in memory that all threads share. A line is
  /// one channel of a row. The intermediate image holds only the columns of the blurred region. It is stored
  /// in strips that are eight values wide, because the second phase filters eight columns at a time.
  func store(rowGroup: Int, _ buffers: PhaseContext, from pixels: UnsafeMutablePointer<Lanes>) {
    let lines = lines(rowGroup)
    // SAFETY: `pixels` holds eight doubles for each column of the image, and the columns of the region lie
    // inside the image. The shared memory has space for all strips of the region, with eight floats for each
    // row of the image in each strip.
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

  /// Divides the columns from 0 to `count` − 1 into blocks of at most `blockLength` columns.
  @inline(__always)
  private func blocks(of count: Int) -> some Sequence<Range<Int>> {
    let length = blockLength
    return stride(from: 0, to: count, by: length).lazy.map { $0..<min($0 + length, count) }
  }

  /// Copies at most eight columns from the shared memory to `pixels`. Here, the values of one channel in an
  /// image column are called a column. Each vector in `pixels` holds one number from each column, or 0 in
  /// place of a missing column. Without these zeros, a filter that combines two columns could mix meaningless
  /// numbers into its results.
  func load(columnGroup: Int, _ buffers: PhaseContext, into pixels: UnsafeMutablePointer<Lanes>) {
    // SAFETY: the shared memory holds `height` vectors of eight floats for each group of eight columns, and
    // `columnGroup` is the index of such a group. `pixels` has space for `height` vectors.
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

  /// Rounds at most eight filtered columns to the component type of the image, and writes them to the
  /// destination image.
  @inline(__always)
  private func store<C: PixelComponent>(
    _ group: Int, _ buffers: PhaseContext, from pixels: UnsafeMutablePointer<Lanes>, _ type: C.Type
  ) {
    // SAFETY: `pixels` holds one vector for each row of the image, and the rows of the region lie inside the
    // image. The last group can have fewer than eight columns. `count` is the number of columns it has, so no
    // value is written beyond the end of a destination row.
    let pixels = pixels + region.y
    let first = group * Lanes.scalarCount
    let count = min(Lanes.scalarCount, components - first)
    for y in 0..<region.height {
      let row = buffers.destination.unsafeRow(y)
      let step = pixels[y]
      for i in 0..<count { row.setComponent(first + i, to: C(rounding: step[i])) }
    }
  }
}

extension Cost {
  /// Returns the estimated cost of a blur with an ``AxisPlan``, which filters eight lines at a time. A line
  /// is one channel of a row or column.
  ///
  /// - Parameters:
  ///   - operations: The number of vector operations that the filter needs for each vector. A vector holds
  ///     one sample from each of the eight lines.
  ///   - overrun: The number of samples by which lines are extended at each end, divided by sigma.
  ///   - ofAll: Whether lines are extended in all edge modes. If not, they are extended only in the edge
  ///     modes `mirror`, `reflect` and `wrap`.
  static func alongLines(
    _ problem: BlurProblem, operations: Double, overrun: Double = 18, ofAll: Bool = false
  ) -> Cost {
    let sigmas = ofAll || problem.edge.period(1) != nil ? overrun : 0
    return alongLines(problem, overrun: { sigma, _ in sigmas * sigma }, operations: { _ in operations })
  }

  /// Returns the estimated cost of a blur with an ``AxisPlan``, which filters eight lines at a time. A line
  /// is one channel of a row or column. The constants in this function were fitted to measured times. The
  /// command `lab constants` prints how far the estimates are from measured times.
  ///
  /// - Parameters:
  ///   - overrun: A function that returns the number of samples by which a line of `count` samples is
  ///     extended at each end.
  ///   - operations: A function that returns the number of vector operations that the filter needs for each
  ///     vector. A vector holds one sample from each of the eight lines. `length` is the length of the
  ///     extended lines.
  static func alongLines(
    _ problem: BlurProblem, overrun: (_ sigma: Double, _ count: Int) -> Double,
    operations: (_ length: Double) -> Double
  ) -> Cost {
    let layout = problem.layout
    let sigma = problem.sigma.folded(problem.edge, layout)
    func lines(_ length: Int, _ count: Int, _ sigma: Double) -> Cost {
      let all = Double(length) + 2 * overrun(sigma, length)
      let groups = (Double(count) * Double(layout.format.channels)).pieces(of: Lanes.scalarCount)
      // The first term is the cost of filtering one sample from each of eight lines. The second term is the
      // cost of copying these eight samples into a vector before filtering, and out of it afterwards.
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
