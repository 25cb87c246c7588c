import BlurLoopTable

/// How the loops that read or write bytes combine pixels. A group consists of ``ratio`` neighbouring pixels
/// of a row or a column of the larger image. Pixel i of the smaller image is computed from group i + ``lag``
/// and from the ``lead`` groups before it. In the other direction, group i + ``lag`` is computed from pixel i
/// and from the ``lead`` pixels after it.
struct ByteGroups: Sendable {
  /// 2 or 4.
  let ratio: Int
  /// The order of the filter. If ``ratio`` is 4, there are two filters, and this is the order of the second
  /// one. The first one has order 3.
  let order: Int
  let lead: Int
  /// 1 if the filter is centred on the first pixel of a group and reaches into the group after it, and 0
  /// otherwise.
  let lag: Int

  init(ratio: Int, order: Int) {
    (self.ratio, self.order) = (ratio, order)
    (lead, lag) = ratio == 2 ? (order == 4 ? (2, 1) : (1, 0)) : (order - 1, 0)
  }
}

/// The sizes and offsets for the first step of a pyramid, if the image has 8-bit components and the pyramid
/// computes with 16-bit integers. The step reads the bytes of the image. It computes either level 1, or
/// directly level 2. In the second case, it replaces the first two halvings.
struct FirstStep: Sendable {
  let groups: ByteGroups
  let channels: Int
  private let shift: Int
  /// The level that the step computes.
  var level: Int { groups.ratio / 2 }

  /// The columns of the new level that are computed directly from the rows of the image. Here and in
  /// ``first``, column i has the number i + ``ByteGroups/lag``. The loop gives wrong values for the first two
  /// of these columns, so the first ``early`` columns are computed again from copied pixels. If there are no
  /// other columns, nothing is computed directly from the rows.
  private let inner: Range<Int>
  /// The first column of the new level (`first`), and the numbers of columns at its left and right edges that
  /// are computed from copied pixels (`left` and `right`). The copied pixels include pixels outside the
  /// image.
  private let first: Int, left: Int, right: Int
  /// Instructions for copying image pixels. The columns at both edges of the new level are computed from the
  /// copied pixels. At each edge, the copy begins ``early`` groups of pixels earlier than necessary, because
  /// the loop gives wrong values for the first two groups that it reads.
  private let copies: ByteCopies
  /// At least 2, and so large that the groups have at least 8 bytes together, because ``ByteCopies`` is slow
  /// if it copies fewer bytes.
  private let early: Int
  /// The number of bytes from one row of copied pixels to the next, and the number of bytes in a row of the
  /// image.
  private let copyStride: Int, rowBytes: Int
  /// The number of values that are computed at the edges of a row of the new level. It is rounded up, because
  /// the loop is faster if it processes whole vectors.
  private let endValues: Int
  /// The number of bytes for a row of the new level.
  private let spareBytes: Int
  /// The columns of the image that are read.
  let reads: Range<Int>

  /// Computes the sizes and offsets.
  ///
  /// - Parameters:
  ///   - ratio: The factor by which the step reduces the width and the height of the image, 2 or 4.
  ///   - orders: The orders of the filters that halve the image, one for each halving.
  ///   - x: The columns that must be computed for each level.
  ///   - width: The number of columns of the image.
  ///   - shift: The index that the first column of the image has at level 0.
  ///   - halvesEnds: Whether the first and the last column of the image get only half their weight.
  init(
    ratio: Int, orders: [Int], channels: Int, x: PyramidAxis, width: Int, shift: Int, edge: EdgeMode,
    halvesEnds: Bool
  ) {
    (self.channels, self.shift) = (channels, shift)
    groups = ByteGroups(ratio: ratio, order: orders[ratio / 2 - 1])
    let stored = x.stored[ratio / 2]
    let columns = stored.lowerBound + groups.lag..<stored.upperBound + groups.lag
    // The groups that lie completely inside the image, and contain no pixel that gets half its weight.
    let start = (shift + (halvesEnds ? ratio : ratio - 1)) / ratio
    let whole = (shift + (halvesEnds ? width - 1 : width)) / ratio
    let least = max(columns.lowerBound, start)
    let inside = least..<max(min(columns.upperBound, whole), least)
    early = max(2, 8 / (ratio * channels))
    inner = inside.count > early ? inside : columns.upperBound - early..<columns.upperBound
    first = columns.lowerBound
    left = inner.lowerBound + early - first
    right = columns.upperBound - inner.upperBound
    let positions =
      Array(ratio * (first - early)..<ratio * (first + left))
      + (right == 0 ? [] : Array(ratio * (inner.upperBound - early)..<ratio * columns.upperBound))
    copies = ByteCopies(
      positions.map { $0 - shift }, width, edge, channels, halved: halvesEnds ? [0, width - 1] : [])
    rowBytes = width * channels
    let ends = left + right + 2 * early
    copyStride = PyramidLevel.stride(ratio * ends * channels)
    endValues = (ends * channels + FilterLoops.widest - 1) / FilterLoops.widest * FilterLoops.widest
    spareBytes = 2 * PyramidLevel.stride(stored.count * channels)
    reads = edge.span(of: ratio * (first - early) - shift..<ratio * columns.upperBound - shift, count: width)
  }

  /// Returns the number of values in the state of the loop for rows with `values` values on the new level.
  /// The state holds the intermediate results that the loop saves from one group of rows for the next. With
  /// three channels, a quarter of each vector is unused, so the state needs a third more space.
  private static func stateValues(_ values: Int) -> Int {
    4 * PyramidLevel.stride(values * 4 / 3 + FilterLoops.widest)
  }

  /// The number of scratch bytes that this step needs. They hold four rows of copied pixels, the edges of two
  /// rows of the new level, two states of the loop, two rows of the image with halved values, and a row of
  /// the new level.
  var scratchBytes: Int { spareOffset + spareBytes }
  /// The number of bytes from the start of the scratch memory to a row of the new level. Rows that are
  /// computed but not needed are written to this place.
  var spareOffset: Int { rowOffset + 2 * PyramidLevel.stride(rowBytes) }
  /// The number of bytes from the start of the scratch memory to the copies of rows with halved values.
  private var rowOffset: Int {
    4 * copyStride + 2 * endBytes
      + 2 * (Self.stateValues(endValues) + Self.stateValues(inner.count * channels))
  }
  private var pixelBytes: Int { 2 * channels }
  private var endBytes: Int { 2 * PyramidLevel.stride(endValues) }

  /// The largest value of ``halvingError(_:isFolded:)`` with which this step is used, relative to the error
  /// bound. Without this limit, white could become a value that is too large for 16 bits.
  static let largestHalvingError = 0.4

  /// Returns an upper bound for the error that halved rows and columns cause, as a fraction of full scale.
  ///
  /// With ``PeriodicWeights``, the first and the last pixel along each axis get only half their weight in the
  /// edge mode `mirror`. The values of these pixels are halved and rounded. Rounding changes a half by up to
  /// 0.5/255 of full scale, which is the same as changing the pixel by up to 1/255. In the result, the two
  /// pixels together have at most the centre weight of a Gaussian plus the weight that each pixel between
  /// them has in the mean of the image.
  static func halvingError(_ problem: BlurProblem, isFolded: Bool) -> Double {
    guard isFolded, problem.edge == .mirror else { return 0 }
    let (layout, sigma) = (problem.layout, problem.sigma)
    func weight(_ sigma: Double, _ length: Int) -> Double { 0.4 / sigma + 1 / Double(length - 1) }
    return 1 / 255 * (weight(sigma.x, layout.width) + weight(sigma.y, layout.height))
  }

  /// Copies a row of the image, halves all values of the copy, and returns the address of the copy. Only the
  /// columns in ``reads`` are copied. There is memory for two copies, and `number` is 0 or 1.
  func halvedRow(
    _ row: UnsafeRawPointer, _ number: Int, _ scratch: UnsafeMutableRawPointer
  ) -> UnsafeRawPointer {
    // SAFETY: the scratch memory has space for two rows of the image at `rowOffset`, and `reads` contains
    // only columns of the image.
    let source = row.assumingMemoryBound(to: UInt8.self)
    let start = scratch + rowOffset + number * PyramidLevel.stride(rowBytes)
    let halved = start.assumingMemoryBound(to: UInt8.self)
    for i in reads.lowerBound * channels..<reads.upperBound * channels {
      halved[i] = ByteCopies.half(source[i])
    }
    return UnsafeRawPointer(halved)
  }

  /// Sets the copied pixels that lie outside the image to the constant colour, if the edge mode is
  /// `constant`. These pixels are the same for all rows, so one call is enough for a whole blur.
  func begin(_ scratch: UnsafeMutableRawPointer, _ constant: SIMD4<UInt16>) {
    // SAFETY: the scratch memory begins with four rows of copied pixels, each `copyStride` bytes long.
    for row in 0..<4 { copies.begin(scratch + row * copyStride, constant) }
  }

  /// The number of rows of the new level that are computed from four rows of the image.
  var rowsAtOnce: Int { 4 / groups.ratio }

  /// Computes ``rowsAtOnce`` rows of the new level.
  ///
  /// - Parameters:
  ///   - addresses: The addresses of four rows of the image, and of four more rows to prefetch. The method
  ///     changes the array, which has space for eight more addresses.
  ///   - targets: The addresses of the computed rows. If there is only one row, the second is not used.
  ///   - scratch: The scratch memory of this step, which holds the state of the loop.
  func downsample(
    _ addresses: UnsafeMutablePointer<UnsafeRawPointer>,
    to targets: (UnsafeMutableRawPointer, UnsafeMutableRawPointer), _ scratch: UnsafeMutableRawPointer,
    _ loop: Loop<ByteDownsample>
  ) {
    // SAFETY: the scratch memory holds four rows of copied pixels, two rows of `endValues` values of the new
    // level, and two states of the loop. One state is for the columns at the edges, and the other is for all
    // other columns. `scratchBytes` counts all of these parts. All rows are long enough for the pixels that
    // the loop reads or writes.
    let (ratio, order) = (groups.ratio, groups.order)
    let line = scratch + 4 * copyStride
    let state = (line + 2 * endBytes).assumingMemoryBound(to: UInt16.self)
    let copied = addresses + 8
    for i in 0..<4 {
      copies.copy(addresses[i], to: scratch + i * copyStride)
      copied[i] = UnsafeRawPointer(scratch + i * copyStride)
      copied[i + 4] = copied[i]
    }
    if inner.count > early {
      for i in 0..<8 { addresses[i] += (ratio * inner.lowerBound - shift) * channels }
      let start = (inner.lowerBound - first) * pixelBytes
      loop(
        (
          rows: UnsafePointer(addresses), channels: channels, ratio: ratio, order: order,
          state: state + Self.stateValues(endValues), target: targets.0 + start, next: targets.1 + start,
          count: inner.count * channels
        ))
    }
    loop(
      (
        rows: UnsafePointer(copied), channels: channels, ratio: ratio, order: order, state: state,
        target: line, next: line + endBytes, count: endValues
      ))
    copyEnds(line, to: targets.0)
    if ratio == 2 { copyEnds(line + endBytes, to: targets.1) }
  }

  /// Copies the columns at both edges of a row of the new level to the place of this row.
  @inline(__always)
  private func copyEnds(_ line: UnsafeMutableRawPointer, to target: UnsafeMutableRawPointer) {
    // SAFETY: `line` holds `endValues` values, and the row at `target` contains all columns of the new level.
    target.copyMemory(from: line + early * pixelBytes, byteCount: left * pixelBytes)
    (target + (inner.upperBound - first) * pixelBytes).copyMemory(
      from: line + (left + 2 * early) * pixelBytes, byteCount: right * pixelBytes)
  }
}

/// The sizes and offsets for the last step of a pyramid, if the result has 8-bit components and the pyramid
/// computes with 16-bit integers. The step enlarges a level, and writes the bytes of the result. It replaces
/// the last doubling, or the last two doublings.
struct LastStep: Sendable {
  let groups: ByteGroups
  let channels: Int
  /// The level that is enlarged.
  let level: Int
  /// The first column of the result's level that is computed, and the number of components that are computed
  /// for each row. The first column is always the start of a group.
  let first: Int, count: Int
  /// The number of bytes from the start of a row of ``level`` to the first pixel that is read.
  let skipped: Int

  /// Computes the sizes and offsets.
  ///
  /// - Parameters:
  ///   - ratio: The factor by which the step enlarges the level, 2 or 4.
  ///   - orders: The orders of the filters that halve the image, one for each halving.
  ///   - x: The columns that must be computed for each level.
  ///   - resultLevel: The level of the result.
  init(ratio: Int, orders: [Int], channels: Int, x: PyramidAxis, resultLevel: Int) {
    self.channels = channels
    level = resultLevel + ratio / 2
    groups = ByteGroups(ratio: ratio, order: orders[level - 1])
    let wanted = x.blurred[resultLevel]
    first = wanted.lowerBound & ~(ratio - 1)
    count = (wanted.upperBound - first) * channels
    skipped = (first / ratio - groups.lag - x.blurred[level].lowerBound) * channels * 2
  }

  /// The number of rows of ``level`` from which four rows of the result are computed.
  var rowsRead: Int { groups.lead + 4 / groups.ratio }
}
