/// The pixels that must be computed for each level of a pyramid, along one axis. Level 0 is the image, and
/// each further level is half as large as the previous one.
struct PyramidAxis: Sendable {
  /// For each level, the pixels that are stored while the image is being halved, before the blur. They can
  /// include pixels outside the image. At level 0, these are the pixels of the image, counted from 0.
  let stored: [Range<Int>]
  /// For each level, the pixels that are stored after the blur. Only the smallest level is blurred, and each
  /// larger level is then computed from the next smaller one. At the level of the result, these are the
  /// pixels that the caller wants. Larger levels are not computed after the blur; their elements repeat this
  /// range.
  let blurred: [Range<Int>]
  /// The edge mode for reading pixels of the smallest level that are not stored. It can differ from the edge
  /// mode of the image.
  let edge: EdgeMode

  /// Finds the pixels that must be computed for each level.
  ///
  /// - Parameters:
  ///   - wanted: The pixels of the result that the caller wants.
  ///   - length: The number of pixels of the whole image along this axis.
  ///   - edge: The edge mode of the image.
  ///   - orders: The orders of the filters that halve the image, one for each halving.
  ///   - resultLevel: The level of the result, which is 0 if the result is as large as the image.
  ///   - shift: The index of the image's first pixel. It is 0 unless the result is smaller than the image.
  ///   - isWhole: Whether the whole smallest level is stored before any of its pixels is blurred.
  ///   - sources: A function that returns the pixels of the smallest level that are read to blur the given
  ///     pixels of this level.
  init(
    wanted: Range<Int>, length: Int, edge: EdgeMode, orders: [Int], resultLevel: Int, shift: Int,
    isWhole: Bool, sources: (Range<Int>) -> Range<Int>
  ) {
    var blurred = [Range<Int>](repeating: wanted, count: resultLevel + 1)
    var coarsest = wanted
    for order in orders.dropFirst(resultLevel) {
      let margin = Self.upsamplingRadius(order)
      coarsest = Self.even(
        (coarsest.lowerBound >> 1) - margin..<(coarsest.upperBound - 1) >> 1 + 2 + margin)
      blurred.append(coarsest)
    }
    var needed = Self.even(sources(coarsest))
    // If `shift` is not 0, the smallest level cannot be mirrored at its edges, because the code for mirroring
    // assumes that the image's first pixel has the index 0. All needed pixels of the level are then computed.
    (needed, self.edge) =
      shift == 0 || edge == .wrap ? Self.stored(needed, edge, length, orders, isWhole) : (needed, .clamp)
    var stored = [needed]
    for order in orders.reversed() {
      needed = Self.even(Self.downsamplingSupport(needed, order))
      stored.insert(needed, at: 0)
    }
    // In the edge modes `clamp` and `constant`, all pixels before the range `steady` are equal to its first
    // pixel, and all pixels after it are equal to its last. Therefore, pixels outside this range need not be
    // stored. In the other edge modes, `steady` is nil.
    var steady = edge.steady(length).map { $0.lowerBound + shift..<$0.upperBound + shift }
    stored[0] = 0..<length
    for (level, order) in orders.enumerated() {
      steady = steady.map {
        Int((Double($0.lowerBound - order / 2) / 2).rounded(.down))..<Int(
          (Double($0.upperBound - 1 + (order + 1) / 2) / 2).rounded(.up)) + 1
      }
      if let steady { stored[level + 1] = stored[level + 1].clamped(to: steady) }
      stored[level + 1] = Self.even(stored[level + 1])
    }
    self.stored = stored
    self.blurred = blurred
  }

  /// Returns the pixels of the smallest level that must be stored, and the edge mode for reading all other
  /// pixels.
  ///
  /// - Parameter needed: The pixels of the smallest level that are read to blur it.
  private static func stored(
    _ needed: Range<Int>, _ edge: EdgeMode, _ length: Int, _ orders: [Int], _ isWhole: Bool
  ) -> (Range<Int>, EdgeMode) {
    guard let repeated = repeated(edge, length, orders) else { return (needed, .clamp) }
    if isWhole, let count = repeated.count, count < needed.count { return (0..<count, repeated.edge) }
    if repeated.edge == .mirror, needed.lowerBound < 0 {
      return (0..<max(needed.upperBound, 1 - needed.lowerBound), .mirror)
    }
    return (needed, .clamp)
  }

  /// Returns the edge mode that repeats the smallest level exactly as the image is repeated, or nil if no
  /// edge mode does. With such an edge mode, pixels of the level that lie outside the image need not be
  /// computed.
  ///
  /// In the result, `count` is the number of pixels that the level must have for this edge mode. If `count`
  /// is nil, the edge mode gives the right pixels before the start of the level, but not after its end.
  ///
  /// - For `wrap`, the length of the image must be even at every halving. For example, an image of 24 pixels
  ///   can be halved three times.
  /// - `mirror` mirrors the image at the centre of its first pixel, and `reflect` half a pixel before this
  ///   centre. If a pixel of the level lies exactly at this point, the level can be mirrored there, too.
  static func repeated(_ edge: EdgeMode, _ length: Int, _ orders: [Int]) -> (edge: EdgeMode, count: Int?)? {
    let ends: (first: Int, last: Int)
    switch edge {
    case .wrap: return length & (1 << orders.count - 1) == 0 ? (.wrap, length >> orders.count) : nil
    case .clamp, .constant: return nil
    case .mirror: ends = (0, 2 * (length - 1))
    case .reflect: ends = (-1, 2 * length - 1)
    }
    guard pixel(at: ends.first, orders) != nil else { return nil }
    return (.mirror, pixel(at: ends.last, orders).map { $0 + 1 })
  }

  /// Returns the pixel of the smallest level whose centre is at the given position of the image, or nil if
  /// there is none.
  ///
  /// - Parameter halves: The distance of the position from the centre of the image's first pixel, in half
  ///   pixels of the image.
  private static func pixel(at halves: Int, _ orders: [Int]) -> Int? {
    var halves = halves
    for order in orders {
      halves += order & 1
      guard halves & 1 == 0 else { return nil }
      halves >>= 1
    }
    return halves & 1 == 0 ? halves >> 1 : nil
  }

  /// Returns how many neighbours on each side of a pixel are read when the size of a level is doubled.
  /// `order` is the order of the binomial filter.
  static func upsamplingRadius(_ order: Int) -> Int { (order + 2) / 4 }

  /// Returns the first pixel of a level that is read to compute pixel `pixel` of the next smaller level.
  /// `order` is the order of the binomial filter, which reads this pixel and the `order` pixels after it.
  @inline(__always)
  static func firstRead(for pixel: Int, _ order: Int) -> Int { 2 * pixel - (order + 1) / 2 }

  /// Returns the pixels of a level that are read to compute the pixels in `range` of the next smaller level.
  /// `order` is the order of the binomial filter.
  static func downsamplingSupport(_ range: Range<Int>, _ order: Int) -> Range<Int> {
    firstRead(for: range.lowerBound, order)..<firstRead(for: range.upperBound - 1, order) + order + 1
  }

  /// Returns the pixels of the next smaller level of the pyramid that depend on at least one of `pixels`.
  ///
  /// - Parameter order: The order of the binomial filter that makes the smaller level. A filter of order n
  ///   reads n + 1 pixels.
  static func coarser(_ pixels: Range<Int>, _ order: Int) -> Range<Int> {
    -((order / 2 - pixels.lowerBound) >> 1)..<(pixels.upperBound - 1 + (order + 1) / 2) >> 1 + 1
  }

  /// Returns the range, extended by one pixel at its start if its first pixel is odd. The inner loops always
  /// process an even pixel together with the odd pixel after it.
  private static func even(_ range: Range<Int>) -> Range<Int> { range.lowerBound & ~1..<range.upperBound }
}

extension Range<Int> {
  /// Returns the index of the pixel to read at the position `number`. This range contains the indices of the
  /// image's pixels. At a position outside the range, the edge mode repeats one of these pixels. For example,
  /// if the range is 0..<10, `wrap` repeats pixel 0 at position 10.
  @inline(__always)
  func index(of number: Int, _ edge: EdgeMode) -> Int {
    if contains(number) { return number }
    return lowerBound + (edge.index(of: number - lowerBound, count: count) ?? 0)
  }

  /// Returns the number in this range that is nearest to `number`.
  @inline(__always)
  func nearest(to number: Int) -> Int { Swift.max(lowerBound, Swift.min(number, upperBound - 1)) }
}
