/// Which pixels of each level of a pyramid are computed, along one axis. Level 0 is the image.
struct PyramidAxis: Sendable {
  /// Pixels of the downsampled levels. Those beyond equal the nearest, where the edge mode makes everything
  /// out there the same; otherwise there are as many as anything reads.
  let stored: [Range<Int>]
  /// Pixels of the blurred levels; level 0 is what is wanted.
  let blurred: [Range<Int>]
  /// How the coarsest level continues beyond what is stored of it.
  let edge: EdgeMode

  /// - Parameters:
  ///   - wanted: pixels of the result, of `length` in the image.
  ///   - isWhole: whether all of the coarsest level is stored before any of it is read.
  ///   - sources: the pixels that windows read for those of the blurred coarsest level.
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
    // From here on outwards, all is the same.
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

  /// What must be stored of the pixels of the coarsest level that are read, for the others to follow from it
  /// by an edge mode.
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

  /// How the coarsest level continues before pixel 0, to the bit, and how many pixels it has until it
  /// continues at the other end alike; nil where that follows from no pixels of the level.
  ///
  /// A period that is halved to whole pixels is one of all levels. And where the image is mirrored around
  /// what becomes a pixel of the level, the level is mirrored around that pixel. `reflect` mirrors half a
  /// pixel before the image: there stands pixel 0 of a level that a filter of odd order makes of it.
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

  /// The pixel of the coarsest level that is `halves` half pixels after the image's first pixel; nil where
  /// there is none.
  private static func pixel(at halves: Int, _ orders: [Int]) -> Int? {
    var halves = halves
    for order in orders {
      halves += order & 1
      guard halves & 1 == 0 else { return nil }
      halves >>= 1
    }
    return halves & 1 == 0 ? halves >> 1 : nil
  }

  /// The pixels of a level.
  func ends(_ level: Int) -> LevelExtent { (stored[level], blurred[level]) }

  /// Pixels on each side that the upsampling of a level reads.
  static func upsamplingRadius(_ order: Int) -> Int { (order + 2) / 4 }

  /// Pixels that the downsampling to `range` reads.
  static func downsamplingSupport(_ range: Range<Int>, _ order: Int) -> Range<Int> {
    2 * range.lowerBound - (order + 1) / 2..<2 * (range.upperBound - 1) + order / 2 + 1
  }

  /// Ranges begin with an even pixel, because pixels are taken in pairs.
  private static func even(_ range: Range<Int>) -> Range<Int> { range.lowerBound & ~1..<range.upperBound }

  /// The pixels outside of which everything equals the outermost of them, if the edge mode makes it so.
  private static func steady(_ edge: EdgeMode, _ length: Int) -> Range<Int>? {
    switch edge {
    case .clamp: 0..<length
    case .constant: -1..<length + 1
    case .mirror, .reflect, .wrap: nil
    }
  }
}

extension Range<Int> {
  /// The number in the range that stands for `number` where what lies there continues as an edge mode says.
  @inline(__always)
  func index(of number: Int, _ edge: EdgeMode) -> Int {
    if contains(number) { return number }
    return lowerBound + (edge.index(of: number - lowerBound, count: count) ?? 0)
  }

  /// The nearest number in the range.
  @inline(__always)
  func nearest(to number: Int) -> Int { Swift.max(lowerBound, Swift.min(number, upperBound - 1)) }
}
