/// The pixels along one axis that must be computed on each level of a pyramid. Level 0 is the image, and each
/// further level is half as large as the level before.
struct PyramidAxis: Sendable {
  /// For each level, the range of pixels that are stored after the level has been made by downsampling. With
  /// `clamp` and `constant`, all pixels beyond a certain distance from the image are equal, so only the
  /// nearest of them is stored. In the other edge modes, every pixel that is read is stored.
  let stored: [Range<Int>]
  /// For each level, the pixels that are stored after the level has been blurred. At level 0, they are the
  /// wanted pixels of the result.
  let blurred: [Range<Int>]
  /// The edge mode that gives the pixels of the coarsest level beyond those that are stored.
  let edge: EdgeMode

  /// Finds the pixels that must be computed on each level.
  ///
  /// - Parameters:
  ///   - wanted: The wanted pixels of the result along this axis.
  ///   - length: The number of pixels of the whole image along this axis.
  ///   - isWhole: Whether all pixels of the coarsest level are stored before any of them is read.
  ///   - sources: Returns the pixels of the coarsest level that the blur window reads to make the given
  ///     pixels of the blurred coarsest level.
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
    // With `clamp` and `constant`, every pixel outside the range `steady` equals the nearest pixel inside it.
    // In the other edge modes, which repeat the image, the range is nil.
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

  /// Chooses the pixels of the coarsest level that must be stored. Returns these pixels, and the edge mode
  /// that defines all other needed pixels by repeating stored pixels.
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

  /// Returns an edge mode with which the coarsest level can be extended beyond its ends, so that the pixels
  /// there need not be computed. Returns nil if no edge mode gives the right pixels.
  ///
  /// The pixels before pixel 0 are then exact to the last bit. The pixels beyond the other end are exact only
  /// if the level has `count` pixels. They are never exact if `count` is nil.
  ///
  /// With `wrap`, the level repeats itself if the length of the image can be divided by 2 once for each
  /// level. With `mirror` and `reflect`, the image is mirrored around a point at each end. The level is
  /// mirrored around the same point if one of its pixels lies exactly there. With `mirror`, the point is the
  /// centre of the outermost pixel. With `reflect`, it lies half a pixel farther out, which is where pixel 0
  /// of the next level lies after a filter of odd order.
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

  /// Returns the pixel of the coarsest level that lies at a given position, or nil if no pixel lies exactly
  /// there. The position is given as the number of half pixels after the first pixel of the image.
  private static func pixel(at halves: Int, _ orders: [Int]) -> Int? {
    var halves = halves
    for order in orders {
      halves += order & 1
      guard halves & 1 == 0 else { return nil }
      halves >>= 1
    }
    return halves & 1 == 0 ? halves >> 1 : nil
  }

  /// Returns the ranges of pixels of a level that are stored before and after blurring.
  func ends(_ level: Int) -> LevelExtent { (stored[level], blurred[level]) }

  /// Returns the number of pixels of the coarser level that upsampling with a filter of this order reads on
  /// each side.
  static func upsamplingRadius(_ order: Int) -> Int { (order + 2) / 4 }

  /// Returns the pixels of a level that downsampling reads to make the pixels `range` of the next coarser
  /// level.
  static func downsamplingSupport(_ range: Range<Int>, _ order: Int) -> Range<Int> {
    2 * range.lowerBound - (order + 1) / 2..<2 * (range.upperBound - 1) + order / 2 + 1
  }

  /// Returns the range, extended so that it begins with an even pixel. The loops process pixels in pairs of
  /// an even pixel and the odd pixel after it.
  private static func even(_ range: Range<Int>) -> Range<Int> { range.lowerBound & ~1..<range.upperBound }

  /// Returns a range of pixels such that every pixel outside equals the nearest pixel inside. Returns nil if
  /// the edge mode repeats the image.
  private static func steady(_ edge: EdgeMode, _ length: Int) -> Range<Int>? {
    switch edge {
    case .clamp: 0..<length
    case .constant: -1..<length + 1
    case .mirror, .reflect, .wrap: nil
    }
  }
}

extension Range<Int> {
  /// Returns the element of the range that `edge` assigns to the position `number`. A position inside the
  /// range is an element itself. Beyond the ends, the edge mode repeats elements of the range.
  @inline(__always)
  func index(of number: Int, _ edge: EdgeMode) -> Int {
    if contains(number) { return number }
    return lowerBound + (edge.index(of: number - lowerBound, count: count) ?? 0)
  }

  /// Returns the element of the range that is nearest to `number`.
  @inline(__always)
  func nearest(to number: Int) -> Int { Swift.max(lowerBound, Swift.min(number, upperBound - 1)) }
}
