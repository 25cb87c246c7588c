import BlurLoopTable

/// The sizes and offsets for two steps that skip level 1 of a pyramid. One step makes an image with 8-bit
/// components four times smaller, and replaces the first two halvings. The other step makes level 2 four
/// times larger, and replaces the last two doublings.
///
/// Four neighbouring pixels of a row or a column are called a group. If the second filter has order 3, pixel
/// i of level 2 is computed from group i and the two groups before it. In the other direction, group i of the
/// image is computed from pixel i of level 2 and the two pixels after it. If the second filter has order 2,
/// one group before and one pixel after are enough.
struct QuarterStep: Sendable {
  /// The order of the second filter, which is 2 or 3. The first filter has order 3.
  let order: Int
  let channels: Int
  private let shift: Int
  /// The number of groups of image rows that must be read before the loop gives correct rows of level 2.
  var lead: Int { order - 1 }

  /// The columns of level 2 that are computed directly from the rows of the image. The loop gives wrong
  /// values for the first two of them, so these two are computed again from copied pixels.
  private let inner: Range<Int>
  /// The first column of level 2 (`first`), and the numbers of columns at its left and right edges that are
  /// computed from copied pixels (`left` and `right`). The copied pixels include pixels outside the image.
  private let first: Int, left: Int, right: Int
  /// Instructions for copying image pixels. The columns at both edges of level 2 are computed from the copied
  /// pixels. At each edge, the copy begins two groups of pixels earlier than necessary, because the loop that
  /// computes level 2 gives wrong values for the first two groups that it reads.
  private let copies: ByteCopies
  /// The number of bytes from one row of copied pixels to the next, and the number of bytes in a row of the
  /// image.
  private let copyStride: Int, rowBytes: Int
  /// The first column of the image that is computed from level 2, and the number of components that are
  /// computed for each row. The first column is always the start of a group.
  let firstUpsampled: Int, upsampled: Int
  /// The number of bytes from the start of a row of level 2 to the pixel that belongs to `firstUpsampled`.
  let underFirstUpsampled: Int
  /// The columns of the image that are read to compute level 2.
  let reads: Range<Int>

  /// Computes the sizes and offsets.
  ///
  /// - Parameters:
  ///   - order: The order of the second filter.
  ///   - x: The columns that must be computed for each level.
  ///   - width: The number of columns of the image.
  ///   - shift: The index that the first column of the image has at level 0.
  ///   - halvesEnds: Whether the first and the last column of the image get only half their weight.
  init(
    order: Int, channels: Int, x: PyramidAxis, width: Int, shift: Int, edge: EdgeMode, halvesEnds: Bool
  ) {
    (self.order, self.channels, self.shift) = (order, channels, shift)
    let columns = x.stored[2]
    // The groups that lie completely inside the image.
    let (start, whole) = ((shift + 3) >> 2, (shift + (halvesEnds ? width - 1 : width)) >> 2)
    let least = max(columns.lowerBound, start)
    let inside = least..<max(min(columns.upperBound, whole), least)
    inner = inside.count > 2 ? inside : columns.upperBound - 2..<columns.upperBound
    first = columns.lowerBound
    left = inner.lowerBound + 2 - first
    right = columns.upperBound - inner.upperBound
    let positions =
      Array(4 * (first - 2)..<4 * (first + left))
      + (right == 0 ? [] : Array(4 * (inner.upperBound - 2)..<4 * columns.upperBound))
    copies = ByteCopies(
      positions.map { $0 - shift }, width, edge, channels, halved: halvesEnds ? [0, width - 1] : [])
    rowBytes = width * channels
    copyStride = PyramidLevel.stride(4 * (left + right + 4) * channels)
    reads = edge.span(of: 4 * (first - 2) - shift..<4 * columns.upperBound - shift, count: width)
    let blurred = x.blurred[0]
    firstUpsampled = blurred.lowerBound & ~3
    upsampled = (blurred.upperBound - firstUpsampled) * channels
    underFirstUpsampled = (firstUpsampled / 4 - x.blurred[2].lowerBound) * channels * 2
  }

  /// Returns the number of values in the state of the loop for rows with `values` values on level 2. The
  /// state holds the intermediate results that the loop saves from one group of rows for the next. With three
  /// channels, a quarter of each vector is unused, so the state needs a third more space.
  private static func stateValues(_ values: Int) -> Int {
    4 * PyramidLevel.stride(values * 4 / 3 + FilterLoops.widest)
  }

  /// The number of scratch bytes that this step needs. They hold four rows of copied pixels, the edges of one
  /// row of level 2, two states of the loop, and one row of the image with halved values.
  var scratchBytes: Int { rowOffset + PyramidLevel.stride(rowBytes) }
  /// The number of bytes from the start of the scratch memory to the copy of a row with halved values.
  private var rowOffset: Int {
    4 * copyStride + endBytes + 2 * (Self.stateValues(endValues) + Self.stateValues(inner.count * channels))
  }
  private var pixelBytes: Int { 2 * channels }
  private var endBytes: Int { 2 * PyramidLevel.stride(endValues) }
  /// The number of values that are computed at the edges of a row of level 2. It is rounded up, because the
  /// loop is faster if it processes whole vectors.
  private var endValues: Int {
    let values = (left + right + 4) * channels
    return (values + FilterLoops.widest - 1) / FilterLoops.widest * FilterLoops.widest
  }

  /// Returns an upper bound for the error that halved rows and columns cause, as a fraction of full scale.
  ///
  /// With ``PeriodicWeights``, the first and the last pixel along each axis get only half their weight in the
  /// edge mode `mirror`. The values of these pixels are halved and rounded, and the rounding changes them by
  /// up to 0.5/255 of full scale. In the result, the weight of such a pixel is at most the centre weight of a
  /// Gaussian plus the weight that each pixel has in the mean of the image.
  static func halvingError(_ problem: BlurProblem, isFolded: Bool) -> Double {
    guard isFolded, problem.edge == .mirror else { return 0 }
    let (layout, sigma) = (problem.layout, problem.sigma)
    func weight(_ sigma: Double, _ length: Int) -> Double { 0.4 / sigma + 1 / Double(length - 1) }
    return 0.5 / 255 * (weight(sigma.x, layout.width) + weight(sigma.y, layout.height))
  }

  /// Copies a row of the image, halves all values of the copy, and returns the address of the copy. Only the
  /// columns in ``reads`` are copied. There is memory for one row, so the first and the last row of the image
  /// must not belong to the same group. Quartering is not used for images that are so small.
  func halvedRow(_ row: UnsafeRawPointer, _ scratch: UnsafeMutableRawPointer) -> UnsafeRawPointer {
    // SAFETY: the scratch memory has space for a row of the image at `rowOffset`, and `reads` contains only
    // columns of the image.
    let source = row.assumingMemoryBound(to: UInt8.self)
    let halved = (scratch + rowOffset).assumingMemoryBound(to: UInt8.self)
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

  /// Computes a row of level 2.
  ///
  /// - Parameters:
  ///   - addresses: The addresses of the four rows of the group, and of four more rows to prefetch. The
  ///     method changes the array, which has space for eight more addresses.
  ///   - scratch: The scratch memory of this step, which holds the state of the loop.
  func downsample(
    _ addresses: UnsafeMutablePointer<UnsafeRawPointer>, to target: UnsafeMutableRawPointer,
    _ scratch: UnsafeMutableRawPointer, _ loop: Loop<QuarterDownsample>
  ) {
    // SAFETY: the scratch memory holds four rows of copied pixels, one row of level 2, and two states of the
    // loop. One state is for the columns at the edges, and the other is for all other columns. `scratchBytes`
    // counts all of these parts. All rows are long enough for the pixels that the loop reads or writes.
    let line = scratch + 4 * copyStride
    let state = (line + endBytes).assumingMemoryBound(to: UInt16.self)
    let copied = addresses + 8
    for i in 0..<4 {
      copies.copy(addresses[i], to: scratch + i * copyStride)
      copied[i] = UnsafeRawPointer(scratch + i * copyStride)
      copied[i + 4] = copied[i]
    }
    if inner.count > 2 {
      for i in 0..<8 { addresses[i] += (4 * inner.lowerBound - shift) * channels }
      loop(
        (
          rows: UnsafePointer(addresses), channels: channels, order: order,
          state: state + Self.stateValues(endValues),
          target: target + (inner.lowerBound - first) * pixelBytes, count: inner.count * channels
        ))
    }
    loop(
      (
        rows: UnsafePointer(copied), channels: channels, order: order, state: state,
        target: line, count: endValues
      ))
    target.copyMemory(from: line + 2 * pixelBytes, byteCount: left * pixelBytes)
    (target + (inner.upperBound - first) * pixelBytes).copyMemory(
      from: line + (left + 4) * pixelBytes, byteCount: right * pixelBytes)
  }
}
