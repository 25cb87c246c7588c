/// The pixel groups that a step uses to make an image smaller or larger. A group consists of ``ratio``
/// neighbouring pixels of a row or a column of the larger image. Pixel i of the smaller image is computed
/// from group i + ``lag`` and from the ``lead`` groups before it. When an image is made larger, group i +
/// ``lag`` is computed from pixel i and from the ``lead`` pixels after it, if the order is at most 4.
struct PixelGroups: Sendable {
  /// The number of pixels in a group, 2 or 4. The step makes the image this many times smaller or larger.
  let ratio: Int
  /// The order of the filter. If ``ratio`` is 4, there are two filters, and this is the order of the second
  /// one. The first one has order 3.
  let order: Int
  let lead: Int
  /// The number of groups that the filter reads after the group at its centre.
  let lag: Int

  init(ratio: Int, order: Int) {
    (self.ratio, self.order) = (ratio, order)
    lag = ratio == 2 ? order / 4 : 0
    lead = ratio == 2 ? lag + (order + 3) / 4 : order - 1
  }
}

/// The columns of the first level that is computed from an image. Most of them are computed directly from the
/// rows of the image. The columns at the left and right edges are computed from copied pixels, which include
/// pixels outside the image.
struct EdgeColumns: Sendable {
  /// The columns that are computed directly from the rows of the image. The loop can give wrong values for
  /// the first ``early`` of these columns, so they are computed again from copied pixels.
  ///
  /// The numbers in this range, and the number ``first``, are not indices of columns in the level:
  /// ``PixelGroups/lag`` has been added to each of them. For example, if the lag is 1, the number 5 means
  /// column 4 of the level.
  let inner: Range<Int>
  /// The first column of the level (`first`), and the numbers of columns at its left and right edges that are
  /// computed from copied pixels (`left` and `right`).
  private let first: Int, left: Int, right: Int
  /// The number of columns, at the start of a row, for which the loop can give wrong values. At each edge,
  /// the copied pixels therefore begin this many groups earlier.
  private let early: Int
  /// The positions of the copied pixels in the image. Positions can be outside the image.
  let positions: [Int]
  /// The indices of the copied pixels whose values are halved.
  let halved: [Int]
  /// The columns of the image that are read.
  let reads: Range<Int>

  /// Decides which columns are computed directly from the rows of the image.
  ///
  /// - Parameters:
  ///   - early: The number of columns, at the start of a row, for which the loop can give wrong values.
  ///   - block: The number of columns that the loop computes at a time. The loop must not read beyond the end
  ///     of an image row, so it computes only whole blocks directly from the rows of the image.
  ///   - copiesAll: Whether all columns are computed from copied pixels, and none directly from the rows of
  ///     the image.
  ///   - stored: The columns that must be computed.
  ///   - width: The number of columns of the image.
  ///   - shift: The index of the image's first column. It is 0 unless the result is smaller than the image.
  ///   - halvesEnds: Whether the first and the last column of the image get only half their weight.
  init(
    _ groups: PixelGroups, early: Int, block: Int = 1, copiesAll: Bool = false, stored: Range<Int>,
    width: Int, shift: Int, edge: EdgeMode, halvesEnds: Bool
  ) {
    let ratio = groups.ratio
    let columns = stored.lowerBound + groups.lag..<stored.upperBound + groups.lag
    // The groups from `start` to `whole` − 1 lie completely inside the image and contain no pixel with half
    // weight.
    let start = (shift + (halvesEnds ? ratio : ratio - 1)) / ratio
    let whole = (shift + (halvesEnds ? width - 1 : width)) / ratio
    let least = max(columns.lowerBound, start)
    let count = max(min(columns.upperBound, whole), least) - least
    let inside = least..<least + count / block * block
    inner = inside.count > early && !copiesAll ? inside : columns.upperBound - early..<columns.upperBound
    first = columns.lowerBound
    left = inner.lowerBound + early - first
    right = columns.upperBound - inner.upperBound
    self.early = early
    let positions =
      (Array(ratio * (first - early)..<ratio * (first + left))
      + (right == 0 ? [] : Array(ratio * (inner.upperBound - early)..<ratio * columns.upperBound)))
      .map { $0 - shift }
    self.positions = positions
    halved =
      halvesEnds
      ? positions.indices.filter { [0, width - 1].contains(edge.index(of: positions[$0], count: width)) } : []
    reads = edge.span(of: ratio * (first - early) - shift..<ratio * columns.upperBound - shift, count: width)
  }

  /// The number of columns of the level.
  var count: Int { left + inner.count - early + right }
  /// Whether any column is computed directly from the rows of the image and is not computed again.
  var hasInner: Bool { inner.count > early }
  /// The number of columns of the level before the first column in ``inner``.
  var innerStart: Int { inner.lowerBound - first }
  /// The number of columns that the loop computes from the copied pixels.
  var ends: Int { left + right + 2 * early }

  /// Halves the values of the copied pixels that get only half their weight.
  @inline(__always)
  func halve<Value>(_ pixels: UnsafeMutablePointer<Value>, _ channels: Int, _ half: (Value) -> Value) {
    // SAFETY: `halved` holds only indices of copied pixels. The loop runs over indices because an iterator
    // would retain the array.
    for i in halved.indices {
      for c in 0..<channels { pixels[halved[i] * channels + c] = half(pixels[halved[i] * channels + c]) }
    }
  }

  /// Returns half of an integer, rounded up.
  @inline(__always)
  static func half<Value: FixedWidthInteger & UnsignedInteger>(_ value: Value) -> Value {
    value >> 1 &+ value & 1
  }

  /// Copies the columns at the left and right edges from `line` to a row of the level. The line holds the
  /// columns that were computed from copied pixels.
  @inline(__always)
  func copyEnds(_ line: UnsafeRawPointer, to target: UnsafeMutableRawPointer, pixelBytes: Int) {
    // SAFETY: `line` holds `ends` pixels, and the row at `target` contains all columns of the level.
    target.copyMemory(from: line + early * pixelBytes, byteCount: left * pixelBytes)
    (target + (inner.upperBound - first) * pixelBytes).copyMemory(
      from: line + (left + 2 * early) * pixelBytes, byteCount: right * pixelBytes)
  }
}
