import CBlurVectors

/// The dual filter's strength and samples: how often it halves an image, and how far apart it samples.
///
/// Positions are in pixels of the level that is read. Samples are bilinear. With the offset o:
/// - down, around the corner that four fine pixels share: weight 4 there, 1 at each of (±o, ±o), of 8;
/// - up, around a fine pixel's centre, a quarter of a coarse pixel off a coarse one's: 1 at each of (±o, 0)
///   and (0, ±o), 2 at each of (±o/2, ±o/2), of 12.
///
/// At o = 1 that is half a pixel of the coarser level, as published.
struct DualFilter: Hashable, Sendable {
  /// How often the image is downsampled.
  let levels: Int
  /// How far apart samples are, 1 as published.
  let offset: Double
  /// The weight of the filtered image in the result; what is left of 1 is the image itself.
  let share: Float

  /// Beyond this offset one more level is nearer to the Gaussian; found by computing both.
  static let largestOffset = 2.0

  /// The filter whose standard deviation is `sigma` pixels, along both axes: the fewest levels whose offset
  /// is not above ``largestOffset``.
  init(sigma: Double) {
    let wanted = sigma * sigma
    guard wanted > 1 else {
      // No samples are nearer to each other than those of offset 0, whose variance is 1.
      (levels, offset, share) = (1, 0, Float(wanted))
      return
    }
    var levels = 1
    while Self.variance(levels: levels, offset: Self.largestOffset) < wanted { levels += 1 }
    var (low, high) = (0.0, Self.largestOffset)
    for _ in 0..<60 {
      let middle = (low + high) / 2
      if Self.variance(levels: levels, offset: middle) < wanted { low = middle } else { high = middle }
    }
    (self.levels, offset, share) = (levels, high, 1)
  }

  /// The variance of the whole filter along an axis, in pixels².
  ///
  /// Every sample is as far on one side as another is on the other, and interpolation keeps means. So each
  /// step leaves means where they are, and variances add up, for any output pixel alike: only mirror images
  /// of the same samples occur. A level's pixels are four times the area of the finer one's.
  static func variance(levels: Int, offset: Double) -> Double {
    let down = (spread(0.5, 0) + spread(0.5, offset)) / 2
    let up = (spread(0.25, 0) + spread(0.25, offset)) / 6 + spread(0.25, offset / 2) * 2 / 3
    return (0..<levels).reduce(0) { $0 + Double(1 << (2 * $1)) * (down + 4 * up) }
  }

  /// The variance of two samples `distance` to either side of `centre`, which lies between the pixels 0 and
  /// 1.
  private static func spread(_ centre: Double, _ distance: Double) -> Double {
    [centre - distance, centre + distance].reduce(distance * distance) { sum, position in
      let fraction = position - position.rounded(.down)
      return sum + fraction * (1 - fraction) / 2
    }
  }

  /// The samples of a downsampling: the centre, between a pair of pixels, and the corners; counted from the
  /// even one.
  var centre: blur_samples { blur_samples(at: 0.5) }
  var corners: blur_samples { blur_samples(around: 0.5, offset) }

  /// The samples of an upsampling for an odd pixel, counted from the coarse pixel that covers it; those of
  /// even ones are their mirror image.
  var near: blur_samples { blur_samples(at: 0.25) }
  var far: blur_samples { blur_samples(around: 0.25, offset) }
  var half: blur_samples { blur_samples(around: 0.25, offset / 2) }

  /// Pixels before and after a pair of them that downsampling reads.
  var downsamplingRadius: Int { Int((0.5 + offset).rounded(.down)) }

  /// Pixels on either side that upsampling reads.
  var upsamplingRadius: Int { Int((0.25 + offset).rounded(.down)) + 1 }
}

extension blur_samples {
  /// One bilinear sample.
  fileprivate init(at position: Double) {
    self.init(around: position, 0)
    weight = (2 * weight.0, 2 * weight.1, 0, 0)
  }

  /// The mean of two bilinear samples `distance` to either side of `centre`, in pixels.
  fileprivate init(around centre: Double, _ distance: Double) {
    let (before, after) = (centre - distance, centre + distance)
    let (left, right) = (before.rounded(.down), after.rounded(.down))
    self.init(
      index: (Int(left), Int(left) + 1, Int(right), Int(right) + 1),
      weight: (
        Float(1 - (before - left)) / 2, Float(before - left) / 2, Float(1 - (after - right)) / 2,
        Float(after - right) / 2
      ))
  }
}

/// Which pixels of each level are computed, along one axis. Level 0 is the image; pixel i of a level covers
/// the pixels 2i and 2i + 1 of the finer one, in image coordinates.
struct DualFilterAxis: Sendable {
  /// Pixels of the downsampled levels.
  let stored: [Range<Int>]
  /// Pixels of the upsampled levels: what is wanted at level 0, and all that it reads. They begin with an
  /// even pixel at the levels between.
  let blurred: [Range<Int>]
  /// What stands beyond the stored pixels of levels 1 and up, exactly: the nearest, where the edge mode makes
  /// all beyond the same; the period over again, where it makes the image periodic.
  let edge: EdgeMode

  /// - Parameter wanted: pixels of the result, of `length` in the image.
  init(wanted: Range<Int>, length: Int, edge: EdgeMode, _ filter: DualFilter) {
    var (level, blurred) = (wanted, [wanted])
    for _ in 0..<filter.levels {
      let first = (level.lowerBound >> 1 - filter.upsamplingRadius) & ~1
      level = first..<(level.upperBound - 1) >> 1 + filter.upsamplingRadius + 1
      blurred.append(level)
    }
    var needed = [level]
    for _ in 1..<max(filter.levels, 1) { needed.insert(Self.read(needed[0], filter), at: 0) }
    let outside = Self.outside(edge, length)
    stored = [0..<length] + needed.enumerated().map { outside.kept(of: $1, level: $0 + 1, filter) }
    self.blurred = blurred
    if case .periodic = outside { self.edge = .wrap } else { self.edge = .clamp }
  }

  /// Which of the stored pixels stands at a position that may be outside of them.
  func index(of position: Int, among stored: Range<Int>) -> Int {
    // Both edge modes that a level can have put a pixel everywhere.
    edge.index(of: position - stored.lowerBound, count: stored.count) ?? 0
  }

  /// The pixels that downsampling to `range` reads.
  static func read(_ range: Range<Int>, _ filter: DualFilter) -> Range<Int> {
    2 * range.lowerBound - filter.downsamplingRadius..<2 * range.upperBound + filter.downsamplingRadius
  }

  /// How the image goes on forever.
  private enum Outside {
    /// Beyond these pixels everything equals the outermost of them.
    case steady(Range<Int>)
    /// Everything repeats after this many pixels.
    case periodic(Int)

    /// The part of a level that has to be stored so that all of `needed` is known.
    func kept(of needed: Range<Int>, level: Int, _ filter: DualFilter) -> Range<Int> {
      switch self {
      case .steady(var range):
        for _ in 0..<level {
          let end = (range.upperBound - 1 + filter.downsamplingRadius + 1) >> 1
          range = (range.lowerBound - 1 - filter.downsamplingRadius) >> 1..<end + 1
        }
        return needed.clamped(to: range)
      case .periodic(let period):
        let count = period >> min(level, period.trailingZeroBitCount)
        return needed.lowerBound..<min(needed.upperBound, needed.lowerBound + count)
      }
    }
  }

  private static func outside(_ edge: EdgeMode, _ length: Int) -> Outside {
    switch edge {
    case .clamp: .steady(0..<length)
    case .constant: .steady(-1..<length + 1)
    case .mirror: .periodic(max(1, 2 * (length - 1)))
    case .reflect: .periodic(2 * length)
    case .wrap: .periodic(length)
    }
  }
}
