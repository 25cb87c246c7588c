import BlurLoopTable

/// The last phase of a cascade: doubles rows of the blurred coarsest level up to rows of the result.
///
/// Rows of a level are made two at a time, whenever the finer level needs them, and kept in a ring.
struct CascadeDoubling {
  private let cascade: Cascade
  private let buffers: BlurBuffers
  /// The next row of each level, an even one.
  private let next: UnsafeMutablePointer<Int>
  private let rows: UnsafeMutablePointer<UnsafeRawPointer>
  /// Two lines: a row and its successor after doubling downwards.
  private let lines: UnsafeMutableRawPointer
  /// A row of the result that begins one pixel early.
  private let spare: UnsafeMutableRawPointer
  /// The ring of level 1; those of the others follow.
  private let rings: UnsafeMutableRawPointer

  /// More than there are levels.
  private static let most = 32

  init(_ cascade: Cascade, _ buffers: BlurBuffers) {
    self.cascade = cascade
    self.buffers = buffers
    // SAFETY: `scratchBytes` reserves these one after the other.
    next = buffers.scratch.assumingMemoryBound(to: Int.self)
    rows = (buffers.scratch + Self.most * 8).assumingMemoryBound(to: UnsafeRawPointer.self)
    lines = buffers.scratch + Self.most * 16
    rings = lines + 2 * Self.lineBytes(cascade)
    spare = rings + Self.ringBytes(cascade)
  }

  static func scratchBytes(_ cascade: Cascade) -> Int {
    most * 16 + 2 * lineBytes(cascade) + ringBytes(cascade)
      + (cascade.levels[0].doubled + FilterLoops.slack) * cascade.format.component.bytes
  }

  private static func lineBytes(_ cascade: Cascade) -> Int {
    cascade.levels.reduce(0) { max($0, $1.doubledStride) } * cascade.arithmetic.bytes
  }

  private static func ringBytes(_ cascade: Cascade) -> Int {
    cascade.levels.dropFirst().reduce(0) { $0 + CascadeLevel.blurredRingRows * $1.blurredStride }
      * cascade.arithmetic.bytes
  }

  /// Makes the result's rows `units`.
  func run(_ units: Range<Int>) {
    let first = cascade.region.y + units.lowerBound
    next[0] = first & ~1
    for level in 1..<max(1, cascade.levels.count) {
      next[level] = ((next[level - 1] >> 1) - CascadeAxis.doublingReach(cascade.levels[level - 1].order)) & ~1
    }
    let last = cascade.region.y + units.upperBound - 1
    var done = first
    while done <= last {
      // Up to an odd row: rows are made in pairs.
      let end = min(done | (BlurBuffers.rowsAtOnce - 1), last)
      advance(0, to: end, first...last)
      buffers.finished(done - cascade.region.y..<end + 1 - cascade.region.y)
      done = end + 1
    }
  }

  /// Makes the rows of `level` up to `last` that do not exist yet, two at a time; of level 0 only those in
  /// `wanted`.
  private func advance(_ level: Int, to last: Int, _ wanted: ClosedRange<Int>) {
    while next[level] <= last {
      let middle = next[level] >> 1
      if level + 1 < cascade.levels.count {
        let reach = CascadeAxis.doublingReach(cascade.levels[level].order)
        let end = cascade.levels[level + 1].rows.blurred.upperBound - 1
        advance(level + 1, to: min(middle + 1 + reach, end), wanted)
      }
      double(middle, of: level, wanted)
      next[level] += 2
    }
  }

  /// Makes rows 2 · `middle` and the one after it of `level`; of level 0 only those in `wanted`.
  private func double(_ middle: Int, of level: Int, _ wanted: ClosedRange<Int>) {
    let step = cascade.levels[level]
    for i in 0..<5 { rows[i] = row(middle - 2 + i, of: level + 1) }
    let (even, odd) = (lines, lines + step.doubledStride * cascade.arithmetic.bytes)
    cascade.loops.upsampleVertical(
      (
        rows: UnsafePointer(rows), order: step.order, even: even, odd: odd,
        count: step.nextColumns.blurred.count * step.channels
      ))
    finish(2 * middle, of: level, step.order == 2 ? rows[2] : UnsafeRawPointer(even), wanted)
    finish(2 * middle + 1, of: level, UnsafeRawPointer(odd), wanted)
  }

  /// Doubles a line across into row `y` of `level`.
  private func finish(_ y: Int, of level: Int, _ line: UnsafeRawPointer, _ wanted: ClosedRange<Int>) {
    let step = cascade.levels[level]
    let start = line + step.underFirstDoubled * cascade.arithmetic.bytes
    guard level == 0 else {
      cascade.loops.upsampleHorizontal(
        (
          line: start, channels: step.channels, order: step.order, target: ringRow(y, of: level),
          bytes: cascade.arithmetic.bytes, count: step.doubled, isExact: false
        ))
      return
    }
    guard wanted.contains(y) else { return }
    let target = buffers.destination.row(y - cascade.region.y)
    let excess = (cascade.region.x - step.firstDoubled) * cascade.format.bytesPerPixel
    let bytes = cascade.format.component.bytes
    cascade.loops.upsampleHorizontal(
      (
        line: start, channels: step.channels, order: step.order, target: excess == 0 ? target : spare,
        bytes: bytes, count: step.doubled, isExact: true
      ))
    if excess > 0 { target.copyMemory(from: spare + excess, byteCount: step.doubled * bytes - excess) }
  }

  /// The row at `y` of a blurred level; one that nothing depends on where there is none.
  private func row(_ y: Int, of level: Int) -> UnsafeRawPointer {
    if level == cascade.levels.count {
      return UnsafeRawPointer(cascade.blurredRow(cascade.coarsest.y.blurred.nearest(to: y), buffers))
    }
    return UnsafeRawPointer(ringRow(cascade.levels[level].rows.blurred.nearest(to: y), of: level))
  }

  private func ringRow(_ y: Int, of level: Int) -> UnsafeMutableRawPointer {
    let count = CascadeLevel.blurredRingRows
    var first = 0
    for finer in 1..<level { first += count * cascade.levels[finer].blurredStride }
    // SAFETY: each ring holds `blurredRingRows` rows, a power of two.
    return rings + (first + (y & (count - 1)) * cascade.levels[level].blurredStride)
      * cascade.arithmetic.bytes
  }
}
