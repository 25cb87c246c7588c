/// The pixels that must be computed for each level of a pyramid, along one axis. Level 0 is the image, and
/// each further level is half as large as the level before.
struct PyramidAxis: Sendable {
  /// For each level, the pixels that are stored when the level has been made by halving the level before.
  /// They can include pixels outside the image. In the edge modes `clamp` and `constant`, all pixels far
  /// outside the image are equal, so only the nearest of them is stored on each side.
  let stored: [Range<Int>]
  /// For each level, the pixels that are stored after blurring. The coarsest (smallest) level is blurred
  /// first, and the larger levels are then computed from it. At level 0, these are the pixels of the result
  /// that the caller wants.
  let blurred: [Range<Int>]
  /// The edge mode that gives the pixels of the coarsest level that are not stored, from those that are. It
  /// can differ from the edge mode of the image.
  let edge: EdgeMode

  /// Finds the pixels that must be computed for each level.
  ///
  /// - Parameters:
  ///   - wanted: The pixels of the result that the caller wants.
  ///   - length: The number of pixels of the whole image along this axis.
  ///   - edge: The edge mode of the image.
  ///   - orders: The orders of the filters that halve the image, one for each halving.
  ///   - isWhole: Whether the coarsest level is stored completely before any of its pixels is read.
  ///   - sources: A function that returns the pixels of the coarsest level that are needed to blur the given
  ///     pixels of this level.
  init(
    wanted: Range<Int>, length: Int, edge: EdgeMode, orders: [Int], isWhole: Bool,
    sources: (Range<Int>) -> Range<Int>
  ) {
    var blurred = [wanted]
    var coarsest = wanted
    for order in orders {
      let margin = Self.upsamplingRadius(order)
      coarsest = Self.even(
        (coarsest.lowerBound >> 1) - margin..<(coarsest.upperBound - 1) >> 1 + 2 + margin)
      blurred.append(coarsest)
    }
    var needed = Self.even(sources(coarsest))
    (needed, self.edge) = Self.stored(needed, edge, length, orders, isWhole)
    var stored = [needed]
    for order in orders.reversed() {
      needed = Self.even(Self.downsamplingSupport(needed, order))
      stored.insert(needed, at: 0)
    }
    // In the edge modes `clamp` and `constant`, all pixels beyond the ends of the range `steady` are equal to
    // the nearest pixel inside the range, so they need not be stored. In all other edge modes, there is no
    // such range, and `steady` is nil.
    var steady = Self.steady(edge, length)
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

  /// Chooses which pixels of the coarsest level are stored. Returns them, together with the edge mode that
  /// gives all other needed pixels as repetitions of stored pixels.
  ///
  /// - Parameter needed: The pixels of the coarsest level that are read to blur it.
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

  /// Returns an edge mode that repeats the coarsest (smallest) level beyond its ends just as the image is
  /// repeated. Then the pixels of the level outside the image need not be computed, because the edge mode
  /// gives exactly the same values, to the last bit. Returns nil if no edge mode fits.
  ///
  /// If the level has exactly `count` pixels, the edge mode fits at both ends. Otherwise, or if `count` is
  /// nil, a mirrored level still fits before its first pixel, but not after its last one.
  ///
  /// - In the edge mode `wrap`, the level repeats itself if the length of the image is even at every halving.
  ///   For example, 24 pixels can be halved three times.
  /// - In the edge modes `mirror` and `reflect`, the image is mirrored at a point: at the centre of its first
  ///   pixel for `mirror`, or half a pixel before this centre for `reflect`. The level can be mirrored at the
  ///   same point if one of its pixels lies exactly there. For `reflect`, this requires that the first filter
  ///   has an odd order, because it then moves the pixels by half a pixel. The end of the image is treated in
  ///   the same way.
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

  /// Returns the pixel of the coarsest level that lies at a given position of the image, or nil if no pixel
  /// lies exactly there.
  ///
  /// - Parameter halves: The distance from the centre of the image's first pixel to the position, in half
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

  /// Returns two ranges of pixels of a level: those that are stored before blurring, and those that are
  /// stored after it.
  func ends(_ level: Int) -> LevelExtent { (stored[level], blurred[level]) }

  /// Returns how many pixels of the smaller level are read on each side when the larger level is computed
  /// from it. `order` is the order of the binomial filter.
  static func upsamplingRadius(_ order: Int) -> Int { (order + 2) / 4 }

  /// Returns the pixels of a level that are read to compute the pixels `range` of the next smaller level.
  /// `order` is the order of the binomial filter, which reads `order + 1` pixels for each pixel.
  static func downsamplingSupport(_ range: Range<Int>, _ order: Int) -> Range<Int> {
    2 * range.lowerBound - (order + 1) / 2..<2 * (range.upperBound - 1) + order / 2 + 1
  }

  /// Returns the range, with one more pixel at its start if it begins with an odd pixel. The inner loops
  /// always process an even pixel together with the odd pixel after it.
  private static func even(_ range: Range<Int>) -> Range<Int> { range.lowerBound & ~1..<range.upperBound }

  /// Returns a range of pixels such that all pixels outside the range are equal to the nearest pixel inside.
  /// Returns nil if the edge mode repeats the image, because then there is no such range.
  private static func steady(_ edge: EdgeMode, _ length: Int) -> Range<Int>? {
    switch edge {
    case .clamp: 0..<length
    case .constant: -1..<length + 1
    case .mirror, .reflect, .wrap: nil
    }
  }
}

extension Range<Int> {
  /// Returns the number in this range to which the edge mode maps `number`. A number inside the range is
  /// mapped to itself. For example, `wrap` maps 10 to 0 in the range from 0 to 9.
  @inline(__always)
  func index(of number: Int, _ edge: EdgeMode) -> Int {
    if contains(number) { return number }
    return lowerBound + (edge.index(of: number - lowerBound, count: count) ?? 0)
  }

  /// Returns the number in this range that is nearest to `number`.
  @inline(__always)
  func nearest(to number: Int) -> Int { Swift.max(lowerBound, Swift.min(number, upperBound - 1)) }
}
