import BlurLoopTable
import CBlurVectors

/// The plan of the triple box for float formats. It only adds samples and never subtracts them, unlike a
/// running sum. Rounding errors therefore do not pile up, and a NaN affects only the pixels whose window
/// contains it.
///
/// Source: M. van Herk, "A fast algorithm for local minimum and maximum filters on rectangular and octagonal
/// kernels", Pattern Recognition Letters 13 (1992), and J. Gil, M. Werman, "Computing 2-D min, median, and
/// max filters", IEEE Transactions on Pattern Analysis and Machine Intelligence 15 (1993), with a sum in
/// place of the minimum or maximum. The line is cut into blocks as long as the window. Each window then
/// consists of the end of one block and the start of the next. This takes three additions per sample for any
/// window size.
///
/// The first phase filters down the columns, in groups of 16 columns, and stores an intermediate image. It
/// loads four groups at a time, because reading 256 neighbouring bytes of a row is faster than reading 64.
/// The second phase filters along the rows, a block of rows at a time, with vectors as in
/// ``BoxTripleInteger``. The inner loops are in `Sources/BlurLoops`.
final class BoxTripleFloat: Plan {
  /// A vector of 16 values that are blurred at the same time. The first phase blurs vertically, so the 16
  /// values are neighbouring components of one row. The second phase blurs horizontally, so the values come
  /// from several rows. In gray and rgb formats, they are one channel of the same pixel in 16 rows. In rgba
  /// formats, they are the four channels of the same pixel in 4 rows.
  private typealias Step = SIMD16<Float>

  /// The distance, in rows, between the row that is being read and the row below it that is being prefetched.
  /// Software prefetching is needed because the first phase reads only a small part of each row, and the
  /// hardware prefetcher does not recognise this pattern.
  private static let prefetchRows = 16
  /// The number of groups of columns that the first phase loads at a time.
  private static let groupsAtOnce = 4

  let frame: BoxFrame

  init(frame: BoxFrame) { self.frame = frame }

  private var groups: Int { (frame.columnComponents + Step.scalarCount - 1) / Step.scalarCount }
  /// The number of rows in the intermediate image. It is the height of the region, rounded up to whole
  /// blocks.
  private var storedRows: Int {
    (frame.region.height + frame.rowsPerBlock - 1) / frame.rowsPerBlock * frame.rowsPerBlock
  }

  /// The facts about this plan that the executor needs. The shared memory holds the intermediate image in
  /// groups of 16 columns. All rows of the first group are stored first, then all rows of the second group,
  /// and so on.
  var facts: PlanFacts {
    PlanFacts(
      phases: [
        Phase(units: (groups + Self.groupsAtOnce - 1) / Self.groupsAtOnce),
        Phase(units: frame.region.height, grain: frame.rowsPerBlock),
      ],
      sharedBytes: groups * storedRows * MemoryLayout<Step>.stride, scratchBytes: scratchBytes,
      reads: frame.reads, isSameByRegion: false, blockColumns: max(Step.scalarCount, frame.across.once),
      blockRows: max(frame.rowsPerBlock, frame.down.once))
  }

  /// The number of rows that the first phase reads.
  private var readRows: Int { frame.region.height + 2 * frame.down.radius }

  /// The number of bytes of scratch memory for each thread. In the first phase, this memory holds four groups
  /// of 16 columns. In the second phase, it holds one line and the addresses of the output rows. Both phases
  /// also need space for partial sums.
  private var scratchBytes: Int {
    let column = Self.groupsAtOnce * readRows + 2 * frame.down.once
    let row = lineSteps + 2 + 2 * frame.across.once
    return max(column, row) * MemoryLayout<Step>.stride
  }

  /// The number of vectors reserved for a line. There are 16 spare vectors after the line, because the
  /// transposition can write up to 16 vectors beyond its end.
  private var lineSteps: Int { frame.line.positions.count * frame.pixelSteps + Step.scalarCount }

  func run(_ phase: Int, _ units: Range<Int>, _ buffers: PhaseContext) {
    if phase == 0 {
      for unit in units {
        let first = unit * Self.groupsAtOnce
        blurColumns(first..<min(first + Self.groupsAtOnce, groups), buffers)
      }
    } else {
      for y in stride(from: units.lowerBound, to: units.upperBound, by: frame.rowsPerBlock) {
        blurRows(y..<min(y + frame.rowsPerBlock, units.upperBound), buffers)
      }
    }
  }

  /// Returns the index of the first component in a group of columns. The last group overlaps the group before
  /// it, so that the last group has 16 columns as well.
  private func firstComponent(_ group: Int) -> Int {
    max(0, min(group * Step.scalarCount, frame.columnComponents - Step.scalarCount))
  }

  private func blurColumns(_ groups: Range<Int>, _ buffers: PhaseContext) {
    let firstBytes = frame.line.columns.lowerBound * frame.format.bytesPerPixel
    let bytes = min(Step.scalarCount, frame.columnComponents) * MemoryLayout<Float>.stride
    // SAFETY: for each source row that is read, the scratch memory has one vector per group, followed by
    // space for partial sums. The shared memory has one vector for each row of each group of columns.
    let columns = buffers.scratch.assumingMemoryBound(to: Step.self)
    let count = readRows
    func row(_ i: Int) -> UnsafeRawPointer {
      frame.rows.row(at: frame.region.y - frame.down.radius + i, of: buffers.source) + firstBytes
    }
    for i in 0..<count {
      let (row, ahead) = (row(i), row(i + Self.prefetchRows))
      for group in groups {
        let offset = firstComponent(group) * MemoryLayout<Float>.stride
        let column = columns + (group - groups.lowerBound) * count
        blur_prefetch(ahead + offset)
        if bytes == MemoryLayout<Step>.stride {
          column[i] = (row + offset).loadUnaligned(as: Step.self)
        } else {
          column[i] = .zero
          UnsafeMutableRawPointer(column + i).copyMemory(from: row, byteCount: bytes)
        }
      }
    }
    let target = buffers.shared.assumingMemoryBound(to: Step.self)
    for group in groups {
      blur(
        columns + (group - groups.lowerBound) * count, count, stride: 1, frame.down,
        into: target + group * storedRows, block: columns + groups.count * count)
    }
  }

  private func blurRows(_ wanted: Range<Int>, _ buffers: PhaseContext) {
    // SAFETY: the first phase (number 0) has filled the shared memory. The scratch memory has space for a
    // line of pixels, for the addresses of the rows to write, and for the partial sums of the boxes.
    let tiles = buffers.shared.assumingMemoryBound(to: Step.self) + wanted.lowerBound
    let steps = buffers.scratch.assumingMemoryBound(to: Step.self)
    let targets = UnsafeMutableRawPointer(steps + lineSteps).assumingMemoryBound(
      to: UnsafeMutableRawPointer.self)
    let first = steps + frame.line.offset(of: frame.line.columns.lowerBound) * frame.pixelSteps
    for group in 0..<groups {
      frame.loops.transpose(
        (
          tile: UnsafeRawPointer(tiles + group * storedRows), channels: frame.stepChannels,
          steps: UnsafeMutableRawPointer(first + firstComponent(group) / frame.stepChannels)
        ))
    }
    frame.line.fill(steps) { constant($0) }
    let start = steps + frame.line.offset(of: frame.region.x - frame.across.radius) * frame.pixelSteps
    blur(
      start, frame.region.width + 2 * frame.across.radius, stride: frame.pixelSteps, frame.across,
      into: start, block: steps + lineSteps + 2)
    for (i, y) in wanted.enumerated() { targets[i] = buffers.destination.unsafeRow(y) }
    frame.loops.write(
      (
        steps: UnsafeRawPointer(start), targets: UnsafePointer(targets), rows: wanted.count,
        bytes: frame.format.component.bytes, channels: frame.stepChannels,
        count: frame.region.width * frame.pixelSteps
      ))
  }

  /// Applies the three boxes to a line of `count` pixels, and writes the result to `target`. Each pixel takes
  /// `stride` vectors. The values in `line` are overwritten by intermediate results.
  private func blur(
    _ line: UnsafeMutablePointer<Step>, _ count: Int, stride: Int, _ sizes: BoxSizes,
    into target: UnsafeMutablePointer<Step>, block: UnsafeMutablePointer<Step>
  ) {
    let (twice, once) = (sizes.twice, sizes.once)
    func means(
      of source: UnsafeMutablePointer<Step>, _ count: Int, size: Int, into target: UnsafeMutablePointer<Step>
    ) {
      frame.loops.means(
        (
          source: UnsafeRawPointer(source), target: UnsafeMutableRawPointer(target), stride: stride,
          count: count, size: size, block: UnsafeMutableRawPointer(block)
        ))
    }
    if twice > 1 {
      means(of: line, count, size: twice, into: line)
      means(of: line, count - twice + 1, size: twice, into: line)
    }
    means(of: line, count - 2 * (twice - 1), size: once, into: target)
  }

  /// Returns a vector filled with the constant colour, which surrounds the image in the constant edge mode.
  /// `first` is the channel of the first value in the vector.
  private func constant(_ first: Int) -> Step {
    var step = Step.zero
    for i in 0..<Step.scalarCount {
      step[i] = frame.edge.constant(first + i % frame.stepChannels, in: frame.format)
    }
    return step
  }
}
