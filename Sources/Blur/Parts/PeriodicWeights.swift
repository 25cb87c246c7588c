/// The weights with which a pyramid blurs its coarsest level along one axis, if the edge mode repeats the
/// image along this axis.
///
/// Each repetition of the image would continue the level with a copy of itself. If the window around an
/// output pixel reaches several copies of a pixel, the weights of all copies are added up, and the sum is the
/// weight of the original pixel. This is called folding. The blur then reads only pixels of the level itself,
/// but each output pixel needs its own weights.
///
/// The level is computed as if the image were surrounded by zeros. A copy of it is usually shifted by a
/// fraction of a pixel, because the period of the image is rarely a multiple of the distance between two
/// pixels of the level. The shift does no harm: the window is a function that can be evaluated at any
/// distance, and the aliasing error does not depend on the shift. So the weight of a copied pixel is the
/// value of the window at its distance from the output pixel. The copies are never stored.
struct PeriodicWeights: Sendable {
  /// The output pixels, which are pixels of the blurred coarsest level.
  let outputs: Range<Int>
  private let rows: [Row]

  /// The weights of one output pixel. The source pixels to which they apply are one or two ranges of
  /// neighbouring pixels, in ascending order.
  fileprivate struct Row {
    var runs: [Range<Int>]
    var weights: [Double]
    /// Whether the window around this output pixel lies completely inside the image, so that no repetition of
    /// the image contributes to it. All such output pixels have the same weights.
    var isInner = false
  }

  /// An axis along which the edge mode repeats the image.
  struct Axis {
    let count: Int
    let edge: EdgeMode
    let sigma: Double
    /// Whether sigma is so large that every output pixel is the mean over one whole period of the image.
    let isMean: Bool

    /// Whether the first and the last pixel each belong to two neighbouring repetitions of the image, so that
    /// they count half in each of them. This is the case in the edge mode `mirror`.
    var halvesEnds: Bool { edge == .mirror && count > 1 }

    /// Returns the factor by which the weights for the coarsest level amplify errors in the levels of the
    /// pyramid.
    ///
    /// At the ends of the coarsest level, some pixels lie partly outside the image. They represent fewer
    /// image pixels than the other pixels of the level, but their errors are just as large. The factor is the
    /// length of the coarsest level, measured in image pixels, divided by the number of image pixels that the
    /// level represents.
    func gain(_ orders: [Int]) -> Double {
      let pixels = orders.reduce(0..<count) { PeriodicWeights.coarser($0, $1) }
      return Double(pixels.count << orders.count) / Double(halvesEnds ? count - 1 : count)
    }
  }

  /// Computes the weights of all output pixels.
  ///
  /// - Parameters:
  ///   - outputs: The output pixels, which are pixels of the blurred coarsest level.
  ///   - axis: The axis of the image along which the level is blurred.
  ///   - design: The design of the pyramid.
  ///   - radius: The radius of the window in pixels of the coarsest level.
  init(_ outputs: Range<Int>, _ axis: Axis, _ design: PyramidDesign, radius: Int) {
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
      // The weights are scaled so that a white image stays white.
      let sum = zip(row.runs.joined(), row.weights).reduce(0) { $0 + $1.1 * share($1.0) }
      row.weights = row.weights.map { $0 / sum }
      if row.isInner { inner = row.weights }
      return row
    }
  }

  /// The range of source pixels on the coarsest level that the output pixels read, from the first to the
  /// last.
  var sources: Range<Int> {
    let ends = rows.flatMap { $0.runs }
    return (ends.map { $0.lowerBound }.min() ?? 0)..<(ends.map { $0.upperBound }.max() ?? 0)
  }

  /// Returns the pixels of the coarsest level that the image covers at least in part, and how much of each
  /// pixel it covers. This share is the value that the pixel would have if the image were white and its
  /// surroundings were black.
  private static func inside(_ axis: Axis, _ orders: [Int]) -> (pixels: Range<Int>, shares: [Double]) {
    var (pixels, shares) = (0..<axis.count, [Double](repeating: 1, count: axis.count))
    if axis.halvesEnds {
      shares[0] = 0.5
      shares[axis.count - 1] = 0.5
    }
    for order in orders {
      let filter = binomial(order)
      let coarser = coarser(pixels, order)
      shares = coarser.map { pixel in
        (0...order).reduce(0) { sum, tap in
          let finer = 2 * pixel - (order + 1) / 2 + tap
          return pixels.contains(finer) ? sum + filter[tap] * shares[finer - pixels.lowerBound] : sum
        }
      }
      pixels = coarser
    }
    return (pixels, shares)
  }

  /// Returns the pixels of the next coarser level that depend on at least one of `pixels`.
  private static func coarser(_ pixels: Range<Int>, _ order: Int) -> Range<Int> {
    -((order / 2 - pixels.lowerBound) >> 1)..<(pixels.upperBound - 1 + (order + 1) / 2) >> 1 + 1
  }

  private static func binomial(_ order: Int) -> [Double] {
    (0..<order).reduce([1]) { row, _ in zip(row + [0], [0] + row).map { ($0 + $1) / 2 } }
  }

  /// Combines the ranges into at most two ranges that contain all of them.
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
  /// Returns the index in `weights` at which the weight of the given source pixel is stored. The pixel must
  /// lie in one of the ranges in `runs`. The array holds the weights of the first range, followed by those of
  /// the second range.
  fileprivate func place(of pixel: Int) -> Int {
    runs[0].contains(pixel) ? pixel - runs[0].lowerBound : runs[0].count + pixel - runs[1].lowerBound
  }

  /// Returns the weight of the given source pixel. It is 0 if the pixel lies in none of the ranges in `runs`.
  fileprivate func weight(of pixel: Int) -> Double {
    runs.contains { $0.contains(pixel) } ? weights[place(of: pixel)] : 0
  }
}

// MARK: Copies of the coarsest level

/// A copy of the coarsest level. If the edge mode repeats the image, the coarsest level is repeated as well.
/// The level itself and each of its repetitions are called copies.
///
/// Pixel i of a copy lies at the position sign · i + shift + phase, in pixels of the level. The sign is −1 if
/// the copy is mirrored. The shift is a whole number of pixels, and the phase is a fraction of a pixel, which
/// is at least 0 and less than 1.
private struct Copy {
  let sign: Int
  let shift: Int
  /// The numbers that say which pixels of this copy lie in the window around an output pixel. The window
  /// contains `farthest` pixels of the copy before the output pixel, and `radius + 1` pixels at or after the
  /// output pixel. If one pixel of the copy lies exactly at the output pixel, `farthest` equals `radius`.
  /// Otherwise, `farthest` is `radius + 1`.
  let radius: Int, farthest: Int
  /// The weights for the pixels of this copy that lie in the window around an output pixel, from the centre
  /// of the window outwards. `near` holds the weights of the pixels at or after the output pixel, at the
  /// distances φ, φ + 1, …, where φ is the fraction of a pixel by which the copy is shifted. `far` holds the
  /// weights of the pixels before it, at the distances 1 − φ, 2 − φ, ….
  let near: [Double], far: [Double]

  /// Returns all copies of the coarsest level that the windows around the output pixels may reach: the level
  /// itself, and the copies of the level that continue it beyond its ends because the edge mode repeats the
  /// image. The result may also contain a few copies that no window reaches.
  static func all(
    of axis: PeriodicWeights.Axis, _ design: PyramidDesign, radius: Int, to outputs: Range<Int>
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
    // A filter of odd order shifts the pixels of the coarser level by half a pixel of the finer level,
    // towards the start of the axis. A mirrored copy is shifted towards the end of the axis instead, so its
    // distance from the level changes by one whole pixel of the finer level. `nearer` is the sum of these
    // changes over all levels, in pixels of the image.
    let nearer = design.orders.enumerated().reduce(0) { $0 + ($1.element & 1) << $1.offset }
    var copies: [Copy] = []
    for number in -most...most {
      copies.append(copy(1, number * period))
      if let turned = axis.turned { copies.append(copy(-1, number * period + turned + nearer)) }
    }
    return copies
  }

  /// Whether this copy is the coarsest level itself, which belongs to the image and not to a repetition of
  /// it.
  var isItself: Bool { sign > 0 && shift == 0 && farthest == radius }

  /// Returns the pixels of this copy of the coarsest level that lie in the window around an output pixel.
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

extension PeriodicWeights.Axis {
  /// The position at which pixel 0 of the image appears in its mirror image. A mirrored repetition of the
  /// image shows pixel i at this position minus i, plus a multiple of the period. The property is nil if the
  /// edge mode does not mirror the image, and for `mirror` if the axis has only one pixel.
  fileprivate var turned: Int? {
    switch edge {
    case .mirror: count > 1 ? 0 : nil
    case .reflect: -1
    case .wrap, .clamp, .constant: nil
    }
  }
}

// MARK: Weights for the inner loops

/// The weights of all output pixels, arranged as the inner loops read them. The loops compute a group of
/// neighbouring output pixels at a time.
struct BandMatrix: Sendable {
  /// Five numbers for each group of output pixels. A group reads up to two ranges of source pixels. The first
  /// two numbers are the first pixel and the number of pixels of the first range. The next two numbers
  /// describe the second range in the same way. The fifth number is the index of the group's first vector in
  /// `weights`.
  private(set) var groups: [Int] = []
  /// The weight vectors. For each source pixel that a group reads, there is one vector with its weights for
  /// all output pixels of the group.
  private(set) var weights: [Float] = []
  /// The largest number of source pixels that a group of output pixels reads.
  private(set) var taps = 0

  static let numbers = 5
}

extension PeriodicWeights {
  /// Returns the weights, arranged as the inner loops read them.
  ///
  /// - Parameters:
  ///   - size: The number of output pixels in a group, which the loops compute together.
  ///   - channels: The number of times that each weight is repeated, so that all channels of a pixel have the
  ///     same weight.
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
  /// Adds a group of output pixels whose weights are those of the group before. The group reads a single
  /// range of source pixels, which begins with `source`.
  fileprivate mutating func repeatLast(from source: Int) {
    groups += [source] + groups.suffix(Self.numbers - 1)
  }

  /// Adds the weights of a group of output pixels, which reads the source pixels in `runs`. If the group
  /// before has the same weights, they are not stored again. This is common, because all groups far from the
  /// ends of the axis have the same weights.
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
