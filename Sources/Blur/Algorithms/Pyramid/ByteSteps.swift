import BlurLoopTable

/// The sizes and offsets for the first step of a pyramid, if the image has 8-bit components and the pyramid
/// computes with 16-bit integers. The step reads the bytes of the image. It computes either level 1 or, in
/// place of the first two halvings, level 2.
struct FirstStep: Sendable {
  let groups: PixelGroups
  let channels: Int
  private let shift: Int
  /// The level that the step computes.
  var level: Int { groups.ratio / 2 }

  let columns: EdgeColumns
  private let copies: PixelCopies
  /// The number of bytes from one row of copied pixels to the next, and the number of bytes in a row of the
  /// image.
  private let copyStride: Int, rowBytes: Int
  /// The number of values that are computed at the edges of a row of the new level. It is rounded up, because
  /// the loop is faster if it processes whole vectors.
  private let endValues: Int
  /// The number of bytes for a spare row, which receives computed rows that are not needed.
  private let spareBytes: Int

  /// Computes the sizes and offsets.
  ///
  /// - Parameters:
  ///   - ratio: The factor by which the step reduces the width and the height of the image, 2 or 4.
  ///   - orders: The orders of the filters that halve the image, one for each halving.
  ///   - x: The columns that must be computed for each level.
  ///   - width: The number of columns of the image.
  ///   - shift: The index of the image's first column. It is 0 unless the result is smaller than the image.
  ///   - halvesEnds: Whether the first and the last column of the image get only half their weight.
  init(
    ratio: Int, orders: [Int], channels: Int, x: PyramidAxis, width: Int, shift: Int, edge: EdgeMode,
    halvesEnds: Bool
  ) {
    (self.channels, self.shift) = (channels, shift)
    groups = PixelGroups(ratio: ratio, order: orders[ratio / 2 - 1])
    let stored = x.stored[ratio / 2]
    // `early` is at least 2, because the loop gives wrong values for the first two columns. It also covers at
    // least 8 bytes of copied pixels, because `PixelCopies` is slow if it copies fewer.
    columns = EdgeColumns(
      groups, early: max(2, 8 / (ratio * channels)), stored: stored, width: width, shift: shift, edge: edge,
      halvesEnds: halvesEnds)
    copies = PixelCopies(columns.positions, width, edge, pixelBytes: channels)
    rowBytes = width * channels
    copyStride = PyramidLevel.stride(ratio * columns.ends * channels)
    endValues = (columns.ends * channels + FilterLoops.widest - 1) / FilterLoops.widest * FilterLoops.widest
    spareBytes = 2 * PyramidLevel.stride(stored.count * channels)
  }

  /// Returns the number of values that the loop needs for its state if a row of the new level has `values`
  /// values. The state holds the intermediate results that the loop saves from one group of rows for the
  /// next. With three channels, a quarter of each vector is unused, so the state needs a third more space.
  private static func stateValues(_ values: Int) -> Int {
    4 * PyramidLevel.stride(values * 4 / 3 + FilterLoops.widest)
  }

  /// The number of scratch bytes that this step needs. They hold four rows of copied pixels, the edges of two
  /// rows of the new level, two states of the loop, two rows of the image with halved values, and a row of
  /// the new level.
  var scratchBytes: Int { spareOffset + spareBytes }
  /// The number of bytes from the start of the scratch memory to the spare row, which receives computed rows
  /// that are not needed.
  var spareOffset: Int { rowOffset + 2 * PyramidLevel.stride(rowBytes) }
  /// The number of bytes from the start of the scratch memory to the copies of rows with halved values.
  private var rowOffset: Int {
    4 * copyStride + 2 * endBytes
      + 2 * (Self.stateValues(endValues) + Self.stateValues(columns.inner.count * channels))
  }
  private var endBytes: Int { 2 * PyramidLevel.stride(endValues) }

  /// The largest value of ``halvingError(_:isFolded:)`` with which this step is used, relative to the error
  /// bound. Without this limit, white could become a value that is too large for 16 bits.
  static let largestHalvingError = 0.4

  /// Returns an upper bound for the error from halving the values of some pixels, as a fraction of full
  /// scale.
  ///
  /// With ``PeriodicWeights``, the first and the last pixel along each axis get only half their weight in the
  /// edge mode `mirror`. The values of these pixels are halved and rounded. Rounding changes a halved value
  /// by up to 0.5/255 of full scale, which is the same as changing the pixel by up to 1/255. In any pixel of
  /// the result, the two pixels together have at most the centre weight of a Gaussian plus the weight of one
  /// pixel in the mean of the image.
  static func halvingError(_ problem: BlurProblem, isFolded: Bool) -> Double {
    guard isFolded, problem.edge == .mirror else { return 0 }
    let (layout, sigma) = (problem.layout, problem.sigma)
    func weight(_ sigma: Double, _ length: Int) -> Double { 0.4 / sigma + 1 / Double(length - 1) }
    return 1 / 255 * (weight(sigma.x, layout.width) + weight(sigma.y, layout.height))
  }

  /// Copies a row of the image, halves all values of the copy, and returns the address of the copy. Only the
  /// columns that this step reads are copied. There is memory for two copies, and `number` (0 or 1) selects
  /// one of them.
  func halvedRow(
    _ row: UnsafeRawPointer, _ number: Int, _ scratch: UnsafeMutableRawPointer
  ) -> UnsafeRawPointer {
    // SAFETY: the scratch memory has space for two rows of the image at `rowOffset`, and the
    // columns that are read are columns of the image.
    let source = row.assumingMemoryBound(to: UInt8.self)
    let start = scratch + rowOffset + number * PyramidLevel.stride(rowBytes)
    let halved = start.assumingMemoryBound(to: UInt8.self)
    for i in columns.reads.lowerBound * channels..<columns.reads.upperBound * channels {
      halved[i] = EdgeColumns.half(source[i])
    }
    return UnsafeRawPointer(halved)
  }

  /// In the edge mode `constant`, sets all pixels outside the image to the constant colour, in each row of
  /// copied pixels. Later copies leave these pixels unchanged, so one call is enough for a whole blur.
  ///
  /// - Parameter colour: A pixel of the constant colour.
  func begin(_ scratch: UnsafeMutableRawPointer, _ colour: UnsafeRawPointer) {
    // SAFETY: the scratch memory begins with four rows of copied pixels, each `copyStride` bytes long.
    for row in 0..<4 { copies.begin(scratch + row * copyStride, colour) }
  }

  /// The number of rows of the new level that are computed from four rows of the image.
  var rowsAtOnce: Int { 4 / groups.ratio }

  /// Computes ``rowsAtOnce`` rows of the new level.
  ///
  /// - Parameters:
  ///   - addresses: The addresses of four rows of the image, and of four more rows to prefetch. The method
  ///     changes the array, which has space for eight more addresses.
  ///   - targets: The addresses at which to store the rows. If only one row is computed, the second address
  ///     is not used.
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
      columns.halve(
        (scratch + i * copyStride).assumingMemoryBound(to: UInt8.self), channels, EdgeColumns.half)
      copied[i] = UnsafeRawPointer(scratch + i * copyStride)
      copied[i + 4] = copied[i]
    }
    if columns.hasInner {
      for i in 0..<8 { addresses[i] += (ratio * columns.inner.lowerBound - shift) * channels }
      let start = columns.innerStart * 2 * channels
      loop(
        (
          rows: UnsafePointer(addresses), channels: channels, ratio: ratio, order: order,
          state: state + Self.stateValues(endValues), target: targets.0 + start, next: targets.1 + start,
          count: columns.inner.count * channels
        ))
    }
    loop(
      (
        rows: UnsafePointer(copied), channels: channels, ratio: ratio, order: order, state: state,
        target: line, next: line + endBytes, count: endValues
      ))
    columns.copyEnds(line, to: targets.0, pixelBytes: 2 * channels)
    if ratio == 2 { columns.copyEnds(line + endBytes, to: targets.1, pixelBytes: 2 * channels) }
  }
}

/// The sizes and offsets for the last step of a pyramid, if the result has 8-bit components and the pyramid
/// computes with 16-bit integers. The step enlarges a level, and writes the bytes of the result. It replaces
/// the last doubling, or the last two doublings.
struct LastStep: Sendable {
  let groups: PixelGroups
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
    groups = PixelGroups(ratio: ratio, order: orders[level - 1])
    let wanted = x.blurred[resultLevel]
    first = wanted.lowerBound & ~(ratio - 1)
    count = (wanted.upperBound - first) * channels
    skipped = (first / ratio - groups.lag - x.blurred[level].lowerBound) * channels * 2
  }

  /// The number of rows of ``level`` from which four rows of the result are computed.
  var rowsRead: Int { groups.lead + 4 / groups.ratio }
}
