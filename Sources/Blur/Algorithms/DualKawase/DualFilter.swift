import CBlurVectors

/// The parameters of the dual filter (dual Kawase blur). The filter halves the size of the image several
/// times and then doubles it as many times.
///
/// Each halving and each doubling reads an input image and computes an output image. An output pixel is a
/// weighted mean of several samples of the input image. Samples between pixels are interpolated bilinearly.
/// In the following list, o is the parameter `offset`. All distances are in pixels of the input image:
/// - Halving: an output pixel covers four input pixels. Its centre is the corner that these four pixels
///   share. The sample at the centre has the weight 4/8, and the four samples at (±o, ±o) from the centre
///   have the weight 1/8 each.
/// - Doubling: the four samples at (±o, 0) and (0, ±o) from the centre of the output pixel have the weight
///   1/12 each, and the four samples at (±o/2, ±o/2) have the weight 2/12 each.
///
/// In the published filter, o is 1.
struct DualFilter: Hashable, Sendable {
  /// The number of times that the image is halved.
  let levels: Int
  /// The distance along one axis from the centre of an output pixel to the outermost samples that contribute
  /// to it, in pixels of the input image. In the published filter, the distance is 1.
  let offset: Double
  /// The weight of the blurred image in the result, from 0 to 1. The original image has the weight 1 −
  /// `share`.
  let share: Float

  /// The upper limit for ``offset``. If a blur would need a larger offset, the image is halved once more
  /// instead, because the result is then closer to the Gaussian. This limit was found by comparing results.
  static let largestOffset = 2.0

  /// Creates the filter whose standard deviation is `sigma` pixels along both axes. A filter with fewer
  /// halvings needs a larger offset to reach the same standard deviation. This initializer chooses the
  /// smallest number of halvings for which the offset does not exceed ``largestOffset``.
  init(sigma: Double) {
    let wanted = sigma * sigma
    guard wanted > 1 else {
      // The weakest possible filter has the offset 0 and a variance of 1 pixel². For an even weaker blur, the
      // filtered image is mixed with the original image.
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

  /// Returns the variance of the whole filter along one axis, in pixels² of the original image. It is the sum
  /// of the variances of all halvings and doublings. If the input image of a step has been halved n times,
  /// each of its pixels is 2ⁿ times as wide as an original pixel. The variance of this step is therefore
  /// multiplied by 4ⁿ.
  static func variance(levels: Int, offset: Double) -> Double {
    let down = (spread(0.5, 0) + spread(0.5, offset)) / 2
    let up = (spread(0.25, 0) + spread(0.25, offset)) / 6 + spread(0.25, offset / 2) * 2 / 3
    return (0..<levels).reduce(0) { $0 + Double(1 << (2 * $1)) * (down + 4 * up) }
  }

  /// Returns the variance of a filter that computes the mean of two samples, at `centre` − `distance` and
  /// `centre` + `distance`. Each sample is interpolated linearly between two pixels.
  private static func spread(_ centre: Double, _ distance: Double) -> Double {
    [centre - distance, centre + distance].reduce(distance * distance) { sum, position in
      let fraction = position - position.rounded(.down)
      return sum + fraction * (1 - fraction) / 2
    }
  }

  /// The sample positions along one axis for halving the image, relative to an even pixel. `centre` is the
  /// sample half-way between this pixel and the odd pixel after it. `corners` is the mean of the two samples
  /// at the distance `offset` before and after `centre`.
  var centre: blur_samples { blur_samples(at: 0.5) }
  var corners: blur_samples { blur_samples(around: 0.5, offset) }

  /// The sample positions along one axis for doubling the image, relative to a pixel of the smaller image.
  /// This pixel becomes two pixels, an even one and an odd one. The samples here are for the odd pixel:
  /// - `near`: the sample at the centre of the odd pixel.
  /// - `far`: the mean of the two samples at the distance `offset` before and after this centre.
  /// - `half`: the mean of the two samples at half this distance.
  ///
  /// The samples for the even pixel are mirror images of these samples.
  var near: blur_samples { blur_samples(at: 0.25) }
  var far: blur_samples { blur_samples(around: 0.25, offset) }
  var half: blur_samples { blur_samples(around: 0.25, offset / 2) }

  /// The number of additional neighbours that halving reads on each side of a pair of pixels. The pair and
  /// these neighbours are combined into one pixel of the smaller image.
  var downsamplingRadius: Int { Int((0.5 + offset).rounded(.down)) }

  /// The number of neighbours that doubling reads on each side of a pixel. Doubling turns the pixel and these
  /// neighbours into two pixels of the larger image.
  var upsamplingRadius: Int { Int((0.25 + offset).rounded(.down)) + 1 }
}

extension blur_samples {
  /// Creates a single linearly interpolated sample at `position`.
  fileprivate init(at position: Double) {
    self.init(around: position, 0)
    weight = (2 * weight.0, 2 * weight.1, 0, 0)
  }

  /// Creates the mean of two linearly interpolated samples. One of them lies `distance` pixels before
  /// `centre`, and the other lies `distance` pixels after it.
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

/// The pixels along one axis that are computed on each level of the dual filter. Level 0 is the image, and
/// each further level is half as large as the level before.
struct DualFilterAxis: Sendable {
  /// For each level, the range of pixels that are stored while the image is made smaller. At level 0, it is
  /// the whole image.
  let stored: [Range<Int>]
  /// For each level, the range of pixels that are needed while the image is made larger again. At level 0,
  /// these are the pixels that the caller wants. At every other level, the range begins with an even pixel.
  let blurred: [Range<Int>]
  /// The edge mode for reading pixels outside the stored range, on all levels except level 0. It is `wrap` if
  /// the edge mode of the image repeats the image, and `clamp` otherwise. In this way, every pixel outside
  /// the stored range gets exactly the value that it would have if the image were extended infinitely before
  /// it is halved.
  let edge: EdgeMode

  /// Finds the pixels that must be computed on each level.
  ///
  /// - Parameters:
  ///   - wanted: The pixels of the result that the caller wants, along this axis.
  ///   - length: The number of pixels of the whole image along this axis.
  init(wanted: Range<Int>, length: Int, edge: EdgeMode, _ filter: DualFilter) {
    var (level, blurred) = (wanted, [wanted])
    for _ in 0..<filter.levels {
      let first = (level.lowerBound >> 1 - filter.upsamplingRadius) & ~1
      level = first..<(level.upperBound - 1) >> 1 + filter.upsamplingRadius + 1
      blurred.append(level)
    }
    var needed = [level]
    for _ in 1..<max(filter.levels, 1) { needed.insert(Self.read(needed[0], filter), at: 0) }
    stored =
      [0..<length] + needed.enumerated().map { Self.kept(of: $1, level: $0 + 1, edge, length, filter) }
    self.blurred = blurred
    self.edge = edge.period(length) == nil ? .clamp : .wrap
  }

  /// Returns the index of the stored pixel that has the same value as the pixel at `position`. The first
  /// stored pixel has the index 0.
  ///
  /// - Parameter stored: The range of the stored pixels.
  func index(of position: Int, among stored: Range<Int>) -> Int {
    // The result of `index` is never nil here, because the edge mode of a level is always `clamp` or `wrap`.
    edge.index(of: position - stored.lowerBound, count: stored.count) ?? 0
  }

  /// Returns the range of pixels that halving reads to compute the pixels in `range` of the next smaller
  /// level.
  static func read(_ range: Range<Int>, _ filter: DualFilter) -> Range<Int> {
    2 * range.lowerBound - filter.downsamplingRadius..<2 * range.upperBound + filter.downsamplingRadius
  }

  /// Returns the pixels of a level that must be stored so that all pixels in `needed` can be read. The other
  /// pixels in `needed` have the same values as stored pixels, so they need not be stored.
  private static func kept(
    of needed: Range<Int>, level: Int, _ edge: EdgeMode, _ length: Int, _ filter: DualFilter
  ) -> Range<Int> {
    if let period = edge.period(length) {
      let count = period >> min(level, period.trailingZeroBitCount)
      return needed.lowerBound..<min(needed.upperBound, needed.lowerBound + count)
    }
    guard var steady = edge.steady(length) else { return needed }
    for _ in 0..<level {
      let end = (steady.upperBound - 1 + filter.downsamplingRadius + 1) >> 1
      steady = (steady.lowerBound - 1 - filter.downsamplingRadius) >> 1..<end + 1
    }
    return needed.clamped(to: steady)
  }
}
