import BlurLoopTable
import CBlurVectors

/// The dual filter, also known as dual Kawase blur. It halves the image several times, with five bilinear
/// samples per pixel, and then doubles it as many times, with eight samples per pixel. Games and window
/// managers use it behind translucent surfaces.
///
/// Source: M. Bjørge, "Bandwidth-efficient rendering", SIGGRAPH 2015 (Advances in Real-Time Rendering, Moving
/// Mobile Graphics). The published shaders measure distances in half pixels. Here, a half pixel is always
/// half a pixel of the coarser level, both for halving and for doubling. `DualFilter` finds the number of
/// levels and the offset for which the variance is exactly sigma². For sigmas below 1, the result of the
/// weakest filter is mixed with the original image.
///
/// The pixels of every level lie at fixed positions of the whole image, so that blurring a region or a tile
/// gives the same pixels as blurring the whole image. Each downsampling and each upsampling is a phase. All
/// levels are stored completely, in single precision.
struct DualKawase: BlurKernel {
  let name = "dual-kawase"
  let summary = "the dual filter of games and window managers: a few samples per pixel on downsampled images"
  /// The largest error over all images is 96.2 levels, at sigma 0.69. A level is 1/255 of full scale. For
  /// larger sigmas, the error is smaller: at most 78 levels for sigma ≥ 1, 56 levels for sigma ≥ 2, 36 levels
  /// for sigma ≥ 2.89, 20 levels for sigma ≥ 6.46, and 16 levels for sigma ≥ 13.2. These errors hold for
  /// images whose samples lie between 0 and full scale. Samples of float images may be below 0. To allow for
  /// such samples, the promised error is about a quarter larger than 96.2 levels.
  ///
  /// The error is 255 · max(Σe⁺, Σe⁻), where e is the difference between a weight of the filter and the same
  /// weight of the Gaussian, Σe⁺ is the sum of all positive differences, and Σe⁻ is the sum of the absolute
  /// values of all negative differences. The error was computed in double precision for every position of an
  /// output pixel relative to the coarsest grid, at some 500 sigmas from 0.01 to 53.
  let promise = Promise.approximation(levels: 122)
  let instructionSets = InstructionSet.allCases

  func plan(_ problem: BlurProblem) throws(BlurError) -> any Plan {
    guard problem.sigma.x == problem.sigma.y else {
      throw .unsupported(
        kernel: name,
        reason: "a different sigma for each axis, because the filter samples along the diagonals of a pixel")
    }
    return try DualKawasePlan(problem, cost: cost(problem))
  }

  /// Returns the estimated number of operations. Halving takes five samples per pixel, and doubling takes
  /// eight. In addition, even and odd pixels must be separated before halving and interleaved after doubling.
  /// The smaller images together have about a third as many pixels as the original image.
  ///
  /// The number of vector instructions per value, 130, was fitted to measured times. The command `lab
  /// constants` prints how much the estimates deviate from measured times.
  func cost(_ problem: BlurProblem) -> Cost {
    let layout = problem.layout
    let values = Double(layout.pixelCount * layout.format.channels)
    var cost = Cost(
      vectors: 130 * values / Double(problem.instructionSet.floats), rows: Double(3 * layout.height))
    (cost.pieces, cost.phases) = (Double(layout.height), 2 * DualFilter(sigma: problem.sigma.x).levels)
    return cost
  }
}

private final class DualKawasePlan: Plan {
  private let layout: ImageLayout
  private let region: Region
  private let edge: EdgeMode
  private let filter: DualFilter
  private let loops: DualLoops
  private let imageRows: EdgeRows
  private let x: DualFilterAxis
  private let y: DualFilterAxis
  /// The layouts of the lines that vertical interpolation writes and the horizontal pass reads. The image is
  /// first halved several times, and then doubled as many times. `downLines` has one layout for each halving,
  /// and `upLines` has one layout for each doubling.
  private let downLines: [PaddedLine]
  private let upLines: [PaddedLine]
  private let levels: [DualFilterLevel]
  private let sharedValues: Int
  /// The number of values reserved for each line. It is the length of the longest line plus some spare
  /// values, because the vector loops may access values beyond the end of a line.
  private let lineValues: Int
  private let cost: Cost

  init(_ problem: BlurProblem, cost: Cost) throws(BlurError) {
    self.cost = cost
    let (layout, region, edge) = (problem.layout, problem.region, problem.edge)
    let filter = DualFilter(sigma: problem.sigma.x)
    let x = DualFilterAxis(wanted: region.columns, length: layout.width, edge: edge, filter)
    let y = DualFilterAxis(wanted: region.rows, length: layout.height, edge: edge, filter)
    loops = problem.instructionSet.loops.dual
    imageRows = try EdgeRows(edge, layout: layout)
    downLines = (0..<filter.levels).map { level in
      PaddedLine(
        DualFilterAxis.read(x.stored[level + 1], filter), inside: x.stored[level],
        edge: level == 0 ? edge : x.edge, channels: layout.format.channels)
    }
    upLines = (1...filter.levels).map { level in
      let inside = level == filter.levels ? x.stored[level] : x.blurred[level]
      return PaddedLine(x.blurred[level], inside: inside, edge: x.edge, channels: layout.format.channels)
    }
    var levels: [DualFilterLevel] = []
    var first = 0
    for level in 1...filter.levels {
      let part = DualFilterLevel(level, x, y, channels: layout.format.channels, first: first)
      levels.append(part)
      first += part.values
    }
    let longest = (downLines + upLines).reduce(0) { max($0, $1.positions.count) }
    lineValues = longest * layout.format.channels + FilterLoops.slack
    (self.layout, self.region, self.edge, self.filter) = (layout, region, edge, filter)
    (self.x, self.y, self.levels, sharedValues) = (x, y, levels, first)
  }

  /// The facts about this plan that the executor needs. The scratch memory of a thread holds the addresses of
  /// the rows that are interpolated, up to three lines of interpolated values, and a row of the blurred image
  /// before it is rounded.
  var facts: PlanFacts {
    PlanFacts(
      phases: y.stored.dropFirst().map { Phase(units: $0.count) }
        + y.blurred.dropLast().reversed().map { Phase(units: $0.count) },
      sharedBytes: sharedValues * MemoryLayout<Float>.stride,
      scratchBytes: Self.addressBytes
        + (3 * lineValues + (region.width + 2) * channels + FilterLoops.slack) * MemoryLayout<Float>.stride,
      halvings: levels.count
    ).costing(cost)
  }

  private static let addressBytes = AlignedBuffer.alignment

  private var channels: Int { layout.format.channels }

  func run(_ phase: Int, _ units: Range<Int>, _ buffers: PhaseContext) {
    if phase < filter.levels { return downsample(phase, units, buffers) }
    let level = 2 * filter.levels - 1 - phase
    if level == 0 { return finish(units, buffers) }
    let line = upLines[level]
    for unit in units {
      let y = self.y.blurred[level].lowerBound + unit
      upsample(y, level, line, buffers, into: levels[level - 1].row(unit, buffers))
    }
  }

  /// Returns line number `index` in a thread's scratch memory. Lines 0 to 2 hold interpolated values, and
  /// line 3 is the row of the blurred image.
  private func scratchLine(_ index: Int, _ buffers: PhaseContext) -> UnsafeMutablePointer<Float> {
    // SAFETY: the scratch memory begins with `addressBytes` bytes for the addresses of rows. After these
    // bytes, it has space for all four lines. The property `facts` requests this space as `scratchBytes`.
    (buffers.scratch + Self.addressBytes).assumingMemoryBound(to: Float.self) + index * lineValues
  }

  /// Computes a line of values that lie between rows, by interpolating vertically between two or four rows.
  /// Also extends the line beyond both sides of the image. `row` returns the address of the row with a given
  /// index.
  private func blend(
    _ samples: blur_samples, bytes: Int, _ line: PaddedLine, into values: UnsafeMutablePointer<Float>,
    _ buffers: PhaseContext, _ row: (Int) -> UnsafeRawPointer
  ) {
    // SAFETY: the scratch memory begins with space for four addresses, and `values` has space for every pixel
    // of the line.
    let rows = buffers.scratch.assumingMemoryBound(to: UnsafeRawPointer.self)
    let index = samples.index
    (rows[0], rows[1], rows[2], rows[3]) = (row(index.0), row(index.1), row(index.2), row(index.3))
    let skipped = line.offset(of: line.columns.lowerBound) * channels
    loops.blend(
      (
        rows: UnsafePointer(rows), samples: samples, bytes: bytes, line: values + skipped,
        count: line.columns.count * channels
      ))
    line.fill(values) { edge.constant($0, in: layout.format) }
  }

  /// Computes rows of the next level, which has half as many rows and columns as the given level. `units`
  /// holds the indices of these rows. Index 0 is the first row that the next level stores.
  private func downsample(_ level: Int, _ units: Range<Int>, _ buffers: PhaseContext) {
    let line = downLines[level]
    let (centre, corners) = (scratchLine(0, buffers), scratchLine(1, buffers))
    let target = x.stored[level + 1]
    let first = line.offset(of: 2 * target.lowerBound) * channels
    let bytes = level == 0 ? layout.format.component.bytes : MemoryLayout<Float>.size
    for unit in units {
      let y = 2 * (self.y.stored[level + 1].lowerBound + unit)
      func row(_ offset: Int) -> UnsafeRawPointer { storedRow(y + offset, level, buffers) }
      blend(filter.centre, bytes: bytes, line, into: centre, buffers, row)
      blend(filter.corners, bytes: bytes, line, into: corners, buffers, row)
      loops.downsample(
        (
          centre: UnsafePointer(centre + first), corners: UnsafePointer(corners + first),
          samples: filter.corners, channels: channels,
          row: levels[level].row(unit, buffers), count: target.count * channels
        ))
    }
  }

  /// Returns the address at which halving begins to read row `y` of a level. Level 0 is the source image, and
  /// level n is the source image after n halvings. If row `y` is not stored, because it lies outside the
  /// image, the edge mode determines which stored row is read instead.
  private func storedRow(_ y: Int, _ level: Int, _ buffers: PhaseContext) -> UnsafeRawPointer {
    let column = downLines[level].columns.lowerBound
    if level == 0 { return imageRows.row(at: y, of: buffers.source) + column * layout.format.bytesPerPixel }
    let stored = self.y.stored[level]
    let row = self.y.index(of: y, among: stored)
    // SAFETY: a level is an image that was halved one or more times. The row with index `row` and the first
    // column of the line are stored in the memory of this level, so the address lies inside that memory.
    return UnsafeRawPointer(
      levels[level - 1].row(row, buffers) + (column - x.stored[level].lowerBound) * channels)
  }

  /// Computes row `y` of a level by doubling the next level, and writes the result to `row`. Level 0 is the
  /// whole image, and each further level has half as many rows and columns as the level before.
  ///
  /// Pixels are computed in pairs, and each pair begins with an even pixel. If the first wanted pixel is odd,
  /// the row therefore begins one pixel earlier.
  private func upsample(
    _ y: Int, _ level: Int, _ line: PaddedLine, _ buffers: PhaseContext, into row: UnsafeMutablePointer<Float>
  ) {
    let side = y & 1 == 0 ? -1 : 1
    func coarse(_ offset: Int) -> UnsafeRawPointer { coarseRow(y >> 1 + side * offset, level + 1, buffers) }
    let (centre, far, half) = (scratchLine(0, buffers), scratchLine(1, buffers), scratchLine(2, buffers))
    let bytes = MemoryLayout<Float>.size
    blend(filter.near, bytes: bytes, line, into: centre, buffers, coarse)
    blend(filter.far, bytes: bytes, line, into: far, buffers, coarse)
    blend(filter.half, bytes: bytes, line, into: half, buffers, coarse)
    let columns = x.blurred[level]
    let (begin, end) = (columns.lowerBound >> 1, (columns.upperBound - 1) >> 1 + 1)
    let first = line.offset(of: begin) * channels
    loops.upsample(
      (
        nearLine: UnsafePointer(centre + first), farLine: UnsafePointer(far + first),
        halfLine: UnsafePointer(half + first), farSamples: filter.far,
        nearSample: filter.near, halfSamples: filter.half, channels: channels, row: row,
        count: (end - begin) * channels
      ))
  }

  /// Returns the address at which doubling begins to read row `y` of a level. Along each axis, the level is
  /// smaller than the source image by a factor of 2 to the power of `level`.
  private func coarseRow(_ y: Int, _ level: Int, _ buffers: PhaseContext) -> UnsafeRawPointer {
    let isCoarsest = level == filter.levels
    let rows = isCoarsest ? self.y.stored[level] : self.y.blurred[level]
    let columns = isCoarsest ? x.stored[level] : x.blurred[level]
    let row = self.y.index(of: y, among: rows)
    let skipped = (upLines[level - 1].columns.lowerBound - columns.lowerBound) * channels
    // SAFETY: a level is an image that was halved one or more times. The row with index `row` and the first
    // column of the line are stored in the memory of this level, so the address lies inside that memory.
    return UnsafeRawPointer(levels[level - 1].row(row, buffers) + skipped)
  }

  /// Computes rows of the final result. The half-size image is doubled, mixed with the original image if
  /// sigma is below 1, and rounded.
  private func finish(_ units: Range<Int>, _ buffers: PhaseContext) {
    let (row, line) = (scratchLine(3, buffers), upLines[0])
    for unit in units {
      let y = region.y + unit
      upsample(y, 0, line, buffers, into: row)
      loops.mix(
        (
          row: UnsafePointer(row + (region.x & 1) * channels), share: filter.share,
          source: UnsafeRawPointer(buffers.source.unsafeRow(y)) + region.x * layout.format.bytesPerPixel,
          target: buffers.destination.unsafeRow(unit), bytes: layout.format.component.bytes,
          count: region.width * channels
        ))
    }
  }
}

/// The part of the shared memory that holds the images of one level. It first holds the image that comes from
/// halving. Later, this image is replaced by the image of the same size that comes from doubling.
private struct DualFilterLevel: Sendable {
  private let first: Int
  private let stride: Int
  private let rows: Int

  init(_ level: Int, _ x: DualFilterAxis, _ y: DualFilterAxis, channels: Int, first: Int) {
    self.first = first
    stride = max(x.stored[level].count, x.blurred[level].count + 1) * channels + FilterLoops.slack
    rows = max(y.stored[level].count, y.blurred[level].count)
  }

  /// The number of floats that the level takes in the shared memory.
  var values: Int { rows * stride }

  /// Returns the address of the row with the given index. Index 0 is the first row that is stored for this
  /// level.
  func row(_ index: Int, _ buffers: PhaseContext) -> UnsafeMutablePointer<Float> {
    // SAFETY: `sharedBytes` reserves `rows * stride` floats for each level, and the floats of this level
    // begin at index `first`. Callers pass an index below `rows`.
    buffers.shared.assumingMemoryBound(to: Float.self) + first + index * stride
  }
}
