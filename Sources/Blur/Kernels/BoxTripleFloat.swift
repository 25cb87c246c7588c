import BlurLoopTable
import CBlurVectors

/// The triple box for float formats. It subtracts nothing, so sums do not drift, and NaN affects only the
/// windows that contain it.
///
/// Source: van Herk, "A fast algorithm for local minimum and maximum filters", 1992, and Gil and Werman,
/// 1993, with a sum in place of the minimum or maximum. The line is cut into blocks as long as the window.
/// Each window then consists of the end of one block and the start of the next. This takes three additions
/// per sample for any window size.
///
/// The first phase works down groups of 16 columns and fills an intermediate image. The second phase works
/// along the rows of a block, with the same steps as ``BoxTripleInteger``. The inner loops are in
/// `Sources/BlurLoops`.
final class BoxTripleFloat: Plan {
  /// The values of 16 columns of a row, or one step of a line.
  private typealias Step = SIMD16<Float>

  /// How many rows ahead the source is prefetched. The hardware prefetcher does not foresee accesses to only
  /// a small part of each row.
  private static let prefetchRows = 16

  let frame: BoxFrame

  init(frame: BoxFrame) { self.frame = frame }

  private var groups: Int { (frame.columnComponents + Step.scalarCount - 1) / Step.scalarCount }
  /// The number of rows in the intermediate image, which is a whole number of blocks.
  private var storedRows: Int {
    (frame.region.height + frame.rowsPerBlock - 1) / frame.rowsPerBlock * frame.rowsPerBlock
  }

  /// The shared memory holds the intermediate image, group after group. Each group has its part of all wanted
  /// rows.
  var facts: PlanFacts {
    PlanFacts(
      phases: [Phase(units: groups), Phase(units: frame.region.height, grain: frame.rowsPerBlock)],
      sharedBytes: groups * storedRows * MemoryLayout<Step>.stride, scratchBytes: scratchBytes,
      reads: frame.reads, isSameByRegion: false, blockColumns: max(Step.scalarCount, frame.across.once),
      blockRows: max(frame.rowsPerBlock, frame.down.once))
  }

  /// The scratch memory of a thread. It holds the columns of a group in the first phase; in the second phase,
  /// it holds a line and the addresses of a block's rows. Both are followed by a block of sums.
  private var scratchBytes: Int {
    let column = frame.region.height + 2 * frame.down.radius + 2 * frame.down.once
    let row = lineSteps + 2 + 2 * frame.across.once
    return max(column, row) * MemoryLayout<Step>.stride
  }

  /// The number of steps reserved for a line. They include 16 steps beyond its end, because transposing a
  /// tile may write up to that many.
  private var lineSteps: Int { frame.line.positions.count * frame.pixelSteps + Step.scalarCount }

  func run(_ phase: Int, _ units: Range<Int>, _ buffers: PhaseContext) {
    if phase == 0 {
      for group in units { blurColumns(group, buffers) }
    } else {
      for y in stride(from: units.lowerBound, to: units.upperBound, by: frame.rowsPerBlock) {
        blurRows(y..<min(y + frame.rowsPerBlock, units.upperBound), buffers)
      }
    }
  }

  /// Returns the first component of a group's columns. The last group overlaps the one before it, so that it
  /// is full.
  private func firstComponent(_ group: Int) -> Int {
    max(0, min(group * Step.scalarCount, frame.columnComponents - Step.scalarCount))
  }

  private func blurColumns(_ group: Int, _ buffers: PhaseContext) {
    let first = frame.line.columns.lowerBound * frame.format.channels + firstComponent(group)
    let firstByte = first * MemoryLayout<Float>.stride
    let bytes = min(Step.scalarCount, frame.columnComponents) * MemoryLayout<Float>.stride
    // SAFETY: `scratchBytes` reserves the rows of the window and the region, and a block of sums after them.
    // `sharedBytes` reserves the group's part of each row.
    let column = buffers.scratch.assumingMemoryBound(to: Step.self)
    let count = frame.region.height + 2 * frame.down.radius
    func row(_ i: Int) -> UnsafeRawPointer {
      frame.rows.row(at: frame.region.y - frame.down.radius + i, of: buffers.source) + firstByte
    }
    for i in 0..<count {
      blur_prefetch(row(i + Self.prefetchRows))
      if bytes == MemoryLayout<Step>.stride {
        column[i] = row(i).loadUnaligned(as: Step.self)
      } else {
        column[i] = .zero
        UnsafeMutableRawPointer(column + i).copyMemory(from: row(i), byteCount: bytes)
      }
    }
    let target = buffers.shared.assumingMemoryBound(to: Step.self) + group * storedRows
    blur(column, count, stride: 1, frame.down, into: target, block: column + count)
  }

  private func blurRows(_ wanted: Range<Int>, _ buffers: PhaseContext) {
    // SAFETY: phase 0 has filled the shared image. `scratchBytes` reserves the line, the addresses of the
    // targets, and a block of sums.
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
    for (i, y) in wanted.enumerated() { targets[i] = buffers.destination.row(y) }
    frame.loops.write(
      (
        steps: UnsafeRawPointer(start), targets: UnsafePointer(targets), rows: wanted.count,
        bytes: frame.format.component.bytes, channels: frame.stepChannels,
        count: frame.region.width * frame.pixelSteps
      ))
  }

  /// Applies the three boxes to a line of `count` pixels, each of which has `stride` steps. This overwrites
  /// `line`.
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

  /// Returns step number `first` of a pixel that the constant edge mode puts outside the image.
  private func constant(_ first: Int) -> Step {
    var step = Step.zero
    for i in 0..<Step.scalarCount {
      step[i] = frame.edge.constant(first + i % frame.stepChannels, in: frame.format)
    }
    return step
  }
}
