/// The weights that blur the smallest level of a pyramid along one axis, if the edge mode repeats the image.
/// A pyramid makes smaller and smaller versions of an image, called levels, and blurs only the smallest one.
///
/// If the image is repeated, a long window reads some pixels of the level several times: the pixel itself,
/// and its copies outside the image. Here, the weights of a pixel and of all its copies are added up to a
/// single weight. The blur therefore reads only pixels of the level, and no copies need to be stored. In
/// return, each output pixel needs its own weights.
///
/// The copies need not be a whole number of pixels apart. For example, `wrap` repeats an image of 101 pixels
/// every 101 pixels. If the level has one pixel for every 4 image pixels, the copies of a pixel are 25.25
/// pixels of the level apart. This is no problem, because the weight can be computed for any distance, and
/// not only for whole pixels.
struct PeriodicWeights: Sendable {
  /// The pixels that the blur computes, all on the smallest level of the pyramid. Each of these pixels has
  /// its own weights.
  let outputs: Range<Int>
  private let rows: [Row]

  /// The weights of one output pixel: one weight for each source pixel that the output pixel depends on. The
  /// source pixels form one or two ranges of neighbouring pixels, in ascending order.
  fileprivate struct Row {
    var runs: [Range<Int>]
    var weights: [Double]
    /// Whether the window around this output pixel lies completely inside the image. All such output pixels
    /// have the same weights.
    var isInner = false
  }

  /// Computes the weights of all output pixels.
  ///
  /// - Parameters:
  ///   - outputs: The pixels that the blur computes, all on the smallest level of the pyramid.
  ///   - axis: The axis of the image along which the level is blurred.
  ///   - design: The design of the pyramid, which defines the window.
  ///   - radius: The number of pixels of this level that the window reads on each side of its centre.
  init(_ outputs: Range<Int>, _ axis: PeriodicAxis, _ design: PyramidDesign, radius: Int) {
    self.outputs = outputs
    let (inside, shares) = Self.inside(axis, design.orders)
    func share(_ pixel: Int) -> Double { shares[pixel - inside.lowerBound] }
    if axis.isMean {
      let weight = 1 / shares.reduce(0, +)
      let row = Row(runs: [inside], weights: [Double](repeating: weight, count: inside.count))
      rows = outputs.map { _ in row }
      return
    }
    let copies = Copy.all(of: axis, design, radius: radius, to: outputs)
    var inner: [Double]?
    rows = outputs.map { output in
      let reached = copies.map { (copy: $0, pixels: $0.pixels(around: output).clamped(to: inside)) }
        .filter { !$0.pixels.isEmpty }
      var row = Row(runs: Self.runs(reached.map { $0.pixels }), weights: [])
      if reached.count == 1, let only = reached.first, only.pixels.count == 2 * radius + 1,
        share(only.pixels.lowerBound) == 1, share(only.pixels.upperBound - 1) == 1
      {
        row.isInner = only.copy.isItself
      }
      if row.isInner, let inner {
        row.weights = inner
        return row
      }
      row.weights = [Double](repeating: 0, count: row.runs.reduce(0) { $0 + $1.count })
      for (copy, pixels) in reached {
        for pixel in pixels { row.weights[row.place(of: pixel)] += copy.weight(of: pixel, for: output) }
      }
      // Scale the weights so that a white image stays white. The value of a white pixel in the smallest level
      // is its `share`, which is less than 1 if the pixel lies partly outside the image.
      let sum = zip(row.runs.joined(), row.weights).reduce(0) { $0 + $1.1 * share($1.0) }
      row.weights = row.weights.map { $0 / sum }
      if row.isInner { inner = row.weights }
      return row
    }
  }

  /// The pixels of the smallest level of the pyramid that are read to compute all output pixels, as one range
  /// from the first pixel to the last.
  var sources: Range<Int> {
    let ends = rows.flatMap { $0.runs }
    return (ends.map { $0.lowerBound }.min() ?? 0)..<(ends.map { $0.upperBound }.max() ?? 0)
  }

  /// Returns the pixels of the smallest level of the pyramid that lie at least partly inside the image. Also
  /// returns the share of each pixel: the value from 0 to 1 that it would have if the image were white and
  /// everything around it black.
  ///
  /// - Parameter orders: The orders of the binomial filters that halve the image.
  private static func inside(
    _ axis: PeriodicAxis, _ orders: [Int]
  ) -> (pixels: Range<Int>, shares: [Double]) {
    var (pixels, shares) = (0..<axis.count, [Double](repeating: 1, count: axis.count))
    if axis.halvesEnds {
      shares[0] = 0.5
      shares[axis.count - 1] = 0.5
    }
    for order in orders {
      let filter = binomial(order)
      let coarser = PyramidAxis.coarser(pixels, order)
      shares = coarser.map { pixel in
        (0...order).reduce(0) { sum, tap in
          let finer = PyramidAxis.firstRead(for: pixel, order) + tap
          return pixels.contains(finer) ? sum + filter[tap] * shares[finer - pixels.lowerBound] : sum
        }
      }
      pixels = coarser
    }
    return (pixels, shares)
  }

  private static func binomial(_ order: Int) -> [Double] {
    (0..<order).reduce([1]) { row, _ in zip(row + [0], [0] + row).map { ($0 + $1) / 2 } }
  }

  /// Joins ranges that overlap or touch. If there are still more than two ranges, all except the first are
  /// joined into a single range, which then also contains the gaps between them.
  private static func runs(_ ranges: [Range<Int>]) -> [Range<Int>] {
    var runs: [Range<Int>] = []
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = runs.last, range.lowerBound <= last.upperBound || runs.count == 2 {
        runs[runs.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
      } else {
        runs.append(range)
      }
    }
    return runs
  }
}

extension PeriodicWeights.Row {
  /// Returns the index in `weights` of the weight for a source pixel, which must be in one of the ranges in
  /// `runs`. The weights for the second range are stored after the weights for the first range.
  fileprivate func place(of pixel: Int) -> Int {
    runs[0].contains(pixel) ? pixel - runs[0].lowerBound : runs[0].count + pixel - runs[1].lowerBound
  }

  /// Returns the weight of a source pixel for this output pixel. It is 0 if the source pixel is in none of
  /// the ranges in `runs`.
  fileprivate func weight(of pixel: Int) -> Double {
    runs.contains { $0.contains(pixel) } ? weights[place(of: pixel)] : 0
  }
}

// MARK: Copies of the smallest level

/// One copy of the smallest level of a pyramid. An edge mode that repeats the image also repeats this level,
/// so copies of the level lie side by side. Each copy is shifted, and it can be mirrored. The level itself is
/// counted as one of the copies.
///
/// Pixel i of a copy is at the position i + shift + φ, or at −i + shift + φ if the copy is mirrored.
/// Positions are in pixels of the level. The shift is a whole number of pixels, and φ is an additional shift
/// by a fraction of a pixel.
private struct Copy {
  let sign: Int
  let shift: Int
  /// The reach of the window around an output pixel, in pixels of this copy. The window contains `farthest`
  /// pixels before the output pixel, and `radius + 1` pixels at or after it.
  let radius: Int, farthest: Int
  /// The weights of this copy's pixels in the window of an output pixel. `near` holds the weights of the
  /// pixels at or after the output pixel, and `far` holds the weights of the pixels before it. Both arrays
  /// begin with the pixel that is nearest to the output pixel. For example, if the next pixel is 0.25 pixels
  /// after the output pixel (φ = 0.25), `near` has the weights for the distances 0.25, 1.25, 2.25, …, and
  /// `far` has the weights for the distances 0.75, 1.75, 2.75, …
  let near: [Double], far: [Double]

  /// Returns the smallest level itself, and all its copies that a window around an output pixel can reach.
  /// The result may contain a few additional copies.
  static func all(
    of axis: PeriodicAxis, _ design: PyramidDesign, radius: Int, to outputs: Range<Int>
  ) -> [Copy] {
    let (scale, period) = (1 << design.levels, axis.edge.period(axis.count) ?? axis.count)
    var windows: [Int: [Double]] = [:]
    func window(_ offset: Int) -> [Double] {
      let window =
        windows[offset] ?? design.window(sigma: axis.sigma, offset: Double(offset) / Double(scale))
      windows[offset] = window
      return window
    }
    func copy(_ sign: Int, _ position: Int) -> Copy {
      let phase = position & (scale - 1)
      let farthest = radius + min(phase, 1)
      return Copy(
        sign: sign, shift: position >> design.levels, radius: radius, farthest: farthest,
        near: PyramidDesign.shortened(window(phase), to: radius + 1),
        far: PyramidDesign.shortened(window(scale - phase), to: farthest))
    }
    let most = ((max(outputs.upperBound, -outputs.lowerBound) + radius + 2) * scale + axis.count) / period + 1
    // Filters of odd order move each level a little towards the start of the axis. A mirrored copy of the
    // level moves in the opposite direction. `nearer` is the sum of the two movements, in pixels of the
    // image.
    let nearer = design.orders.enumerated().reduce(0) { $0 + ($1.element & 1) << $1.offset }
    var copies: [Copy] = []
    for number in -most...most {
      copies.append(copy(1, number * period))
      if let turned = axis.turned { copies.append(copy(-1, number * period + turned + nearer)) }
    }
    return copies
  }

  /// Whether this copy is the smallest level itself, which is neither shifted nor mirrored.
  var isItself: Bool { sign > 0 && shift == 0 && farthest == radius }

  /// Returns the pixels of this copy that are inside the window around an output pixel. The range may go
  /// beyond the ends of the level.
  func pixels(around output: Int) -> Range<Int> {
    sign > 0
      ? output - shift - farthest..<output - shift + radius + 1
      : shift - output - radius..<shift - output + farthest + 1
  }

  func weight(of pixel: Int, for output: Int) -> Double {
    let distance = output - sign * pixel - shift
    return distance <= 0 ? near[-distance] : far[distance - 1]
  }
}

// MARK: Weights for the inner loops

/// The weights of all output pixels, in the order in which the inner loops read them. The loops compute
/// several neighbouring output pixels at a time, which are called a group.
struct BandMatrix: Sendable {
  /// Five numbers for each group of output pixels. The source pixels of a group form one or two ranges. The
  /// numbers are:
  ///
  /// 1. the first pixel of the first range,
  /// 2. the number of pixels in the first range,
  /// 3. the first pixel of the second range,
  /// 4. the number of pixels in the second range, or 0 if there is only one range,
  /// 5. the number of vectors in `weights` before the first vector of this group.
  private(set) var groups: [Int] = []
  /// The weights, grouped into vectors. A group of output pixels has one vector for each source pixel that it
  /// reads. The vector holds the weights of this source pixel for all output pixels of the group.
  private(set) var weights: [Float] = []
  /// The largest number of source pixels that any group of output pixels reads.
  private(set) var taps = 0

  static let numbers = 5
}

extension PeriodicWeights {
  /// Returns the weights in the order in which the inner loops read them.
  ///
  /// - Parameters:
  ///   - size: The number of neighbouring output pixels that the loops compute at a time, called a group.
  ///   - channels: The number of channels. Each weight is repeated this number of times in a vector, because
  ///     all channels of a pixel have the same weight.
  ///   - lanes: The number of weights in a vector.
  ///   - first: The source pixel that gets the index 0 in the result.
  func packed(groupsOf size: Int, channels: Int, lanes: Int, from first: Int) -> BandMatrix {
    var band = BandMatrix()
    var wasInner = false
    for start in stride(from: 0, to: rows.count, by: size) {
      let members = rows[start..<min(start + size, rows.count)]
      let runs = Self.runs(members.flatMap { $0.runs })
      let isInner = members.count == size && members.allSatisfy { $0.isInner }
      defer { wasInner = isInner }
      if isInner && wasInner {
        band.repeatLast(from: runs[0].lowerBound - first)
        continue
      }
      var weights: [Float] = []
      weights.reserveCapacity(runs.reduce(0) { $0 + $1.count } * lanes)
      for source in runs.joined() {
        for member in members {
          weights.append(contentsOf: repeatElement(Float(member.weight(of: source)), count: channels))
        }
        weights.append(contentsOf: repeatElement(0, count: lanes - members.count * channels))
      }
      band.add(runs.map { $0.lowerBound - first..<$0.upperBound - first }, weights, lanes: lanes)
    }
    return band
  }
}

extension BandMatrix {
  /// Adds a group of output pixels with the same weights as the group before. The new group reads the same
  /// number of source pixels, beginning with `source`.
  fileprivate mutating func repeatLast(from source: Int) {
    groups += [source] + groups.suffix(Self.numbers - 1)
  }

  /// Adds a group of output pixels, which reads the source pixels in `runs` with the weights in `vectors`. If
  /// the group before has the same weights, they are not stored again.
  fileprivate mutating func add(_ runs: [Range<Int>], _ vectors: [Float], lanes: Int) {
    let second = runs.count > 1 ? runs[1] : 0..<0
    if weights.suffix(vectors.count) != vectors[...] { weights += vectors }
    groups += [
      runs[0].lowerBound, runs[0].count, second.lowerBound, second.count,
      (weights.count - vectors.count) / lanes,
    ]
    taps = max(taps, runs[0].count + second.count)
  }
}
