/// The weights that blur the smallest level of a pyramid along one axis, if the edge mode repeats the image.
/// A pyramid makes smaller and smaller versions of an image, called levels, and blurs only the smallest one.
///
/// If the image is repeated, a long window reads some pixels of the level several times: the pixel itself,
/// and its copies outside the image. Here, the weights of a pixel and of all its copies are added up into a
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
  /// The weights of all output pixels, one list after the other. Output pixels with equal weights can share a
  /// list.
  private var weights: [Double] = []

  /// The weights of one output pixel: one weight for each source pixel that the output pixel depends on.
  private struct Row {
    let sources: SourcePixels
    /// The index in `weights` of the weight of the first source pixel. The weights of the other source pixels
    /// follow it.
    let start: Int
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
  ///   - room: The largest error that shortening the windows along both axes may cause, as a fraction of full
  ///     scale.
  init(_ outputs: Range<Int>, _ axis: PeriodicAxis, _ design: PyramidDesign, room: Double) {
    self.outputs = outputs
    let (inside, shares) = Self.inside(axis, design)
    if axis.isMean {
      weights = [Double](repeating: 1 / shares.reduce(0, +), count: inside.count)
      rows = [Row](repeating: Row(sources: SourcePixels(inside), start: 0), count: outputs.count)
      return
    }
    let spectrum = WindowSpectrum(design, axis.sigma)
    let half = spectrum.half()
    let radius = design.radius(half, room: room)
    let copies = Copy.all(of: axis, design, spectrum, half, radius: radius, from: inside, to: outputs)
    var (rows, weights, inner): ([Row], [Double], Int?) = ([], [], nil)
    rows.reserveCapacity(outputs.count)
    var (reached, ranges): ([(copy: Int, pixels: Range<Int>)], [Range<Int>]) = ([], [])
    for output in outputs {
      reached.removeAll(keepingCapacity: true)
      ranges.removeAll(keepingCapacity: true)
      for copy in copies.indices {
        let pixels = copies[copy].pixels(around: output).clamped(to: inside)
        if pixels.isEmpty { continue }
        reached.append((copy, pixels))
        ranges.append(pixels)
      }
      let (start, sources) = (weights.count, SourcePixels(joining: &ranges))
      let isInner =
        reached.count == 1 && copies[reached[0].copy].isItself
        && reached[0].pixels == copies[reached[0].copy].pixels(around: output)
        && shares[sources[0] - inside.lowerBound] == 1
        && shares[sources[2 * radius] - inside.lowerBound] == 1
      rows.append(Row(sources: sources, start: isInner ? inner ?? start : start, isInner: isInner))
      if isInner && inner != nil { continue }
      weights.append(contentsOf: repeatElement(0, count: sources.count))
      var span = weights.mutableSpan
      for (copy, pixels) in reached {
        let place = start + sources.place(of: pixels.lowerBound)
        let skipped = pixels.lowerBound - copies[copy].pixels(around: output).lowerBound
        let window = copies[copy].window
        for i in 0..<pixels.count { span[place + i] += window[skipped + i] }
      }
      // Scale the weights so that a white image stays white. In the smallest level of a white image, the
      // value of each pixel is its `share`, which is less than 1 if the pixel lies partly outside the image.
      var sum = 0.0
      for i in 0..<sources.count { sum += span[start + i] * shares[sources[i] - inside.lowerBound] }
      for i in start..<span.count { span[i] /= sum }
      if isInner { inner = start }
    }
    (self.rows, self.weights) = (rows, weights)
  }

  /// The pixels of the smallest level of the pyramid that are read to compute all output pixels, as one range
  /// from the first pixel to the last.
  var sources: Range<Int> {
    let sources = rows.lazy.map { $0.sources }
    return (sources.map { $0.first.lowerBound }.min() ?? 0)..<(sources.map { $0.end }.max() ?? 0)
  }

  /// Returns the pixels of the smallest level of the pyramid that lie at least partly inside the image. Also
  /// returns the share of each pixel: the value from 0 to 1 that it would have if the image were white and
  /// everything around it black.
  private static func inside(
    _ axis: PeriodicAxis, _ design: PyramidDesign
  ) -> (pixels: Range<Int>, shares: [Double]) {
    var pixels = design.shift..<design.shift + axis.count
    var shares = [Double](repeating: 1, count: axis.count)
    if axis.halvesEnds {
      shares[0] = 0.5
      shares[axis.count - 1] = 0.5
    }
    for order in design.orders {
      let filter = binomial(order)
      let coarser = PyramidAxis.coarser(pixels, order)
      shares = coarser.map { pixel in
        let first = PyramidAxis.firstRead(for: pixel, order) - pixels.lowerBound
        var sum = 0.0
        for tap in max(0, -first)...min(order, shares.count - 1 - first) {
          sum += filter[tap] * shares[first + tap]
        }
        return sum
      }
      pixels = coarser
    }
    return (pixels, shares)
  }

  private static func binomial(_ order: Int) -> [Double] {
    var row = [1] + [Double](repeating: 0, count: order)
    for _ in 0..<order {
      for i in row.indices.reversed() { row[i] = (row[i] + (i > 0 ? row[i - 1] : 0)) / 2 }
    }
    return row
  }
}

/// The source pixels that one or more output pixels depend on: one or two ranges of neighbouring pixels, in
/// ascending order.
private struct SourcePixels {
  private(set) var first: Range<Int>
  /// The second range, which is empty if there is only one.
  private(set) var second = 0..<0

  init(_ pixels: Range<Int>) { first = pixels }

  /// Joins ranges that overlap or touch, and sorts `ranges` for this purpose. If there are still more than
  /// two ranges, all except the first are joined into a single range, which then also contains the gaps
  /// between them. No range may be empty.
  init(joining ranges: inout [Range<Int>]) {
    ranges.sort { $0.lowerBound < $1.lowerBound }
    first = ranges[0]
    for range in ranges.dropFirst() {
      if !second.isEmpty {
        second = second.lowerBound..<max(second.upperBound, range.upperBound)
      } else if range.lowerBound <= first.upperBound {
        first = first.lowerBound..<max(first.upperBound, range.upperBound)
      } else {
        second = range
      }
    }
  }

  var count: Int { first.count + second.count }

  /// The index of the pixel that follows the last source pixel.
  var end: Int { second.isEmpty ? first.upperBound : second.upperBound }

  /// Returns the pixel index of the source pixel with the number `place`, counted from 0.
  subscript(place: Int) -> Int {
    place < first.count ? first.lowerBound + place : second.lowerBound + place - first.count
  }

  /// Returns the number of source pixels before the pixel with the index `pixel`, which must itself be a
  /// source pixel.
  func place(of pixel: Int) -> Int {
    pixel < first.upperBound ? pixel - first.lowerBound : first.count + pixel - second.lowerBound
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
  /// The additional shift φ, in pixels of the image. It is less than the size of a pixel of the level.
  let phase: Int
  /// The radius of the window in pixels. The window around an output pixel contains `radius` + 1 pixels of
  /// this copy that lie at or after the output pixel.
  let radius: Int
  /// The weights of this copy's pixels in the window of an output pixel, in the order of the level's pixels.
  var window: [Double] = []

  /// The number of pixels of this copy that lie before an output pixel and inside its window.
  private var farthest: Int { radius + min(phase, 1) }

  /// Returns the smallest level itself, and all its copies that a window around an output pixel can reach.
  ///
  /// - Parameters:
  ///   - spectrum: The spectrum of the window.
  ///   - half: The weights of the window from its centre to one side, before the window is shortened.
  ///   - radius: The number of pixels that the window reads on each side of its centre.
  ///   - inside: The pixels of the smallest level that lie at least partly inside the image.
  static func all(
    of axis: PeriodicAxis, _ design: PyramidDesign, _ spectrum: WindowSpectrum, _ half: [Double],
    radius: Int, from inside: Range<Int>, to outputs: Range<Int>
  ) -> [Copy] {
    let (scale, period) = (1 << design.levels, axis.edge.period(axis.count) ?? axis.count)
    // If the window is longer than the image, a pixel has many copies inside the window. It is then easier to
    // repeat the window than the level: each weight becomes the sum of the weights of all repetitions.
    let repeatsWindow = (2 * radius + 1) * scale >= period
    let outermost = max(outputs.upperBound, inside.upperBound, -outputs.lowerBound, -inside.lowerBound)
    let most = repeatsWindow ? 0 : ((outermost + radius + 2) * scale + axis.count) / period + 1
    // Filters of odd order move each level a little towards the start of the axis. A mirrored copy of the
    // level moves in the opposite direction. `nearer` is the sum of the two movements, in pixels of the
    // image.
    let nearer = design.orders.enumerated().reduce(0) { $0 + ($1.element & 1) << $1.offset }
    // The position of the mirrored copy of the level's pixel 0, in pixels of the image. `axis.turned` counts
    // positions from the first pixel of the image, which has the index `shift` here, not 0.
    let turned = axis.turned.map { $0 + 2 * design.shift + nearer }
    // A repeated window must be long enough to contain all pixels of the level.
    let radius = repeatsWindow ? 2 * outermost + abs(turned ?? 0) >> design.levels + 2 : radius
    var copies: [Copy] = []
    func add(_ sign: Int, _ position: Int) {
      let (shift, phase) = (position >> design.levels, position & (scale - 1))
      let copy = Copy(sign: sign, shift: shift, phase: phase, radius: radius)
      let ends = [outputs.lowerBound, outputs.upperBound - 1].map { copy.pixels(around: $0) }
      let (lower, upper) = sign > 0 ? (ends[0], ends[1]) : (ends[1], ends[0])
      if (lower.lowerBound..<upper.upperBound).overlaps(inside) { copies.append(copy) }
    }
    for number in -most...most {
      add(1, number * period)
      if let turned { add(-1, number * period + turned) }
    }
    // For φ = 0.25, the first pixel of a copy after the output pixel is 0.25 pixels away. The window then has
    // the weights for the distances 0.25, 1.25, … after the output pixel, and for the distances 0.75, 1.75, …
    // before it. It is the mirror image of the window for φ = 0.75, so only one of the two is computed.
    let phases = (0...scale / 2).filter { phase in
      copies.contains { min($0.phase, scale - $0.phase) == phase }
    }
    let repeated =
      repeatsWindow
      ? WindowSpectrum(
        design, axis.sigma, repeated: (Double(period) / Double(scale), count: radius + 1)) : nil
    for phase in phases {
      let (near, far) =
        phase == 0 && !repeatsWindow
        ? (half, Array(half.dropFirst()))
        : (repeated ?? spectrum).sides(offset: Double(phase) / Double(scale))
      let before = PyramidDesign.shortened(far, to: radius + min(phase, 1))
      let window = before.reversed() + PyramidDesign.shortened(near, to: radius + 1)
      let mirrored = Array(window.reversed())
      for i in copies.indices where min(copies[i].phase, scale - copies[i].phase) == phase {
        copies[i].window = (copies[i].sign > 0) == (copies[i].phase == phase) ? window : mirrored
      }
    }
    return copies
  }

  /// Whether this copy is the smallest level itself, which is neither shifted nor mirrored.
  var isItself: Bool { sign > 0 && shift == 0 && phase == 0 }

  /// Returns the pixels of this copy that are inside the window around an output pixel. The range may go
  /// beyond the ends of the level.
  func pixels(around output: Int) -> Range<Int> {
    sign > 0
      ? output - shift - farthest..<output - shift + radius + 1
      : shift - output - radius..<shift - output + farthest + 1
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
  ///   - size: The number of neighbouring output pixels in a group. The loops compute one group at a time.
  ///   - channels: The number of channels. All channels of a pixel have the same weight, so a vector contains
  ///     each weight `channels` times.
  ///   - lanes: The number of weights in a vector.
  ///   - first: The source pixel that gets the index 0 in the result.
  func packed(groupsOf size: Int, channels: Int, lanes: Int, from first: Int) -> BandMatrix {
    var band = BandMatrix()
    var (vectors, ranges): ([Float], [Range<Int>]) = ([], [])
    var wasInner = false
    for start in stride(from: 0, to: rows.count, by: size) {
      let members = rows[start..<min(start + size, rows.count)]
      ranges.removeAll(keepingCapacity: true)
      for member in members {
        ranges.append(member.sources.first)
        if !member.sources.second.isEmpty { ranges.append(member.sources.second) }
      }
      let sources = SourcePixels(joining: &ranges)
      let isInner = members.count == size && members.allSatisfy { $0.isInner }
      defer { wasInner = isInner }
      if isInner && wasInner {
        band.repeatLast(from: sources.first.lowerBound - first)
        continue
      }
      vectors.removeAll(keepingCapacity: true)
      vectors.append(contentsOf: repeatElement(0, count: sources.count * lanes))
      var span = vectors.mutableSpan
      for (number, member) in members.enumerated() {
        var place = member.start
        for range in [member.sources.first, member.sources.second] where !range.isEmpty {
          var vector = sources.place(of: range.lowerBound) * lanes + number * channels
          for _ in range {
            let weight = Float(weights[place])
            for lane in 0..<channels { span[vector + lane] = weight }
            (place, vector) = (place + 1, vector + lanes)
          }
        }
      }
      band.add(sources, from: first, vectors, lanes: lanes)
    }
    return band
  }
}

extension BandMatrix {
  /// Adds a group of output pixels with the same weights as the previous group. The new group reads the same
  /// number of source pixels, beginning with `source`.
  fileprivate mutating func repeatLast(from source: Int) {
    groups += [source] + groups.suffix(Self.numbers - 1)
  }

  /// Adds a group of output pixels, which reads the pixels `sources` with the weights in `vectors`. If the
  /// previous group has the same weights, they are not stored again.
  ///
  /// - Parameter first: The source pixel that gets the index 0.
  fileprivate mutating func add(_ sources: SourcePixels, from first: Int, _ vectors: [Float], lanes: Int) {
    if weights.suffix(vectors.count) != vectors[...] { weights += vectors }
    groups += [
      sources.first.lowerBound - first, sources.first.count,
      sources.second.isEmpty ? 0 : sources.second.lowerBound - first, sources.second.count,
      (weights.count - vectors.count) / lanes,
    ]
    taps = max(taps, sources.count)
  }
}
