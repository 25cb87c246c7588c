/// The windows of a pyramid's coarsest level along an axis that repeats beyond its ends, folded into the
/// pixels inside: each output has weights of its own.
///
/// The level holds the image alone, zero outside. A copy of the image beyond an end, mirrored or not, is
/// downsampled to a copy of the level: at the same distances from its own pixels, but between the pixels of
/// the level's grid, for a period is no multiple of their distance. The window is a function that can be
/// taken between pixels, too. So a copy's weights are the window at the distances from it, those of all
/// copies are added up, and no copy is ever computed. The error is that of a pyramid all the same: aliasing
/// does not ask at which phase the grids of levels stand.
struct PeriodicWeights: Sendable {
  /// Pixels of the blurred level.
  let outputs: Range<Int>
  private let rows: [Row]

  /// The weights of an output: those of one or two runs of pixels that rise, one after the other.
  fileprivate struct Row {
    var runs: [Range<Int>]
    var weights: [Double]
    /// Whether all of them are the window's own, as far from the ends.
    var isInner = false
  }

  /// An axis as an edge mode repeats it.
  struct Axis {
    let count: Int
    let edge: EdgeMode
    let sigma: Double
    /// Whether the blur is the mean of a period.
    let isMean: Bool

    /// Whether pixels at the ends stand in two copies of the image, one half in each.
    var halvesEnds: Bool { edge == .mirror && count > 1 }

    /// By how much windows enlarge errors of the levels: the coarsest level's pixels, of which those at the
    /// ends hold only a share of the image, to what they hold of a white one in all.
    func gain(_ orders: [Int]) -> Double {
      let pixels = orders.reduce(0..<count) { PeriodicWeights.coarser($0, $1) }
      return Double(pixels.count << orders.count) / Double(halvesEnds ? count - 1 : count)
    }
  }

  /// - Parameters:
  ///   - outputs: pixels of the blurred level that are wanted.
  ///   - radius: of the window.
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
      // Of a white image all is white.
      let sum = zip(row.runs.joined(), row.weights).reduce(0) { $0 + $1.1 * share($1.0) }
      row.weights = row.weights.map { $0 / sum }
      if row.isInner { inner = row.weights }
      return row
    }
  }

  /// Pixels of the level that any output reads, from the first to the last.
  var sources: Range<Int> {
    let ends = rows.flatMap { $0.runs }
    return (ends.map { $0.lowerBound }.min() ?? 0)..<(ends.map { $0.upperBound }.max() ?? 0)
  }

  /// The pixels of the coarsest level that an image touches, and how much of each is in the image: what
  /// becomes of a white one.
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

  /// The pixels of the next level that `pixels` touch.
  private static func coarser(_ pixels: Range<Int>, _ order: Int) -> Range<Int> {
    -((order / 2 - pixels.lowerBound) >> 1)..<(pixels.upperBound - 1 + (order + 1) / 2) >> 1 + 1
  }

  private static func binomial(_ order: Int) -> [Double] {
    (0..<order).reduce([1]) { row, _ in zip(row + [0], [0] + row).map { ($0 + $1) / 2 } }
  }

  /// The runs that hold all of `ranges`: at most two.
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
  /// Where the weight of a pixel stands that is in one of the runs.
  fileprivate func place(of pixel: Int) -> Int {
    runs[0].contains(pixel) ? pixel - runs[0].lowerBound : runs[0].count + pixel - runs[1].lowerBound
  }

  /// The weight of any pixel.
  fileprivate func weight(of pixel: Int) -> Double {
    runs.contains { $0.contains(pixel) } ? weights[place(of: pixel)] : 0
  }
}

// MARK: Copies

/// A copy of the level beyond an end, or the level itself: pixel i stands at sign · i + shift + phase, where
/// the phase is part of a pixel.
private struct Copy {
  let sign: Int
  let shift: Int
  /// The window's radius, and how far it reaches where it falls between pixels.
  let radius: Int, farthest: Int
  /// The window at the distances phase, phase + 1 and so on, and 1 − phase, 2 − phase and so on.
  let near: [Double], far: [Double]

  /// All that the windows of `outputs` reach, and some more.
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
    // Filters of odd order put pixels half a pixel of their level nearer to the start.
    let nearer = design.orders.enumerated().reduce(0) { $0 + ($1.element & 1) << $1.offset }
    var copies: [Copy] = []
    for number in -most...most {
      copies.append(copy(1, number * period))
      if let turned = axis.turned { copies.append(copy(-1, number * period + turned + nearer)) }
    }
    return copies
  }

  /// Whether it is the level, no copy of it.
  var isItself: Bool { sign > 0 && shift == 0 && farthest == radius }

  /// The pixels that the window of an output holds.
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
  /// Where pixel 0 stands in a copy that is mirrored; nil where none is.
  fileprivate var turned: Int? {
    switch edge {
    case .mirror: count > 1 ? 0 : nil
    case .reflect: -1
    case .wrap, .clamp, .constant: nil
    }
  }
}

// MARK: For the loops

/// Weights in the order in which loops read them, for groups of neighbouring outputs.
struct BandMatrix: Sendable {
  /// Five numbers for each group: the first and the number of sources in two runs, and where weights begin,
  /// in vectors.
  private(set) var groups: [Int] = []
  /// A vector for each source of a group's runs.
  private(set) var weights: [Float] = []
  /// The most sources of a group.
  private(set) var taps = 0

  static let numbers = 5
}

extension PeriodicWeights {
  /// - Parameters:
  ///   - size: outputs of a group.
  ///   - channels: weights for each of them, all the same.
  ///   - lanes: values of a vector.
  ///   - first: the source that is number 0.
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
  /// Adds a group with the weights of the last one, of one run.
  fileprivate mutating func repeatLast(from source: Int) {
    groups += [source] + groups.suffix(Self.numbers - 1)
  }

  /// Adds a group. Between the ends of an axis all have the same weights, which are kept once.
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
