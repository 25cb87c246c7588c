import Blur
import Foundation

/// A plain blur in which each step can be replaced. Unchanged, the blur is right. Each wrong kernel changes
/// one thing.
struct PlainBlur: Sendable {
  var format: PixelFormat
  var width: Int, height: Int
  var region: Region
  var edge: EdgeMode
  var sigma: Sigma
  /// Returns the column or row that is read at a position, from (position, count, edge mode).
  var index: @Sendable (Int, Int, EdgeMode) -> Int? = { $2.index(of: $0, count: $1) }
  /// Returns the weight of a pixel before normalising, from (distance, sigma).
  var weight: @Sendable (Int, Double) -> Double = { exp(-pow(Double($0) / $1, 2) / 2) }
  /// Whether pixels outside the image get values as the edge mode requires. If false, they count as 0 and
  /// their weights are lost, so the result is too dark near the edges.
  var normalises = true
  /// Changes the sums of the vertical pass, before the horizontal pass adds them up. The closure `finish`
  /// below changes the final sums.
  var afterDown: @Sendable (Double) -> Double = { $0 }
  var finish: @Sendable (Double) -> Double = { $0 }
  /// Returns the channel that is read for channel c.
  var channel: @Sendable (Int) -> Int = { $0 }
  /// Returns the value to blur, from (value, channel, alpha as a fraction of full scale).
  var before: @Sendable (Double, Int, Double) -> Double = { value, _, _ in value }
  /// Returns the stride with which the source is read.
  var sourceStride: @Sendable (ImageLayout) -> Int = { $0.stride }

  init(_ problem: BlurProblem) {
    format = problem.layout.format
    (width, height) = (problem.layout.width, problem.layout.height)
    region = problem.region
    (edge, sigma) = (problem.edge, problem.sigma)
  }

  /// The number of taps on each side that the blur claims to read, or nil if it claims what it really reads.
  var claimedReach: (x: Int, y: Int)?

  /// The part of the source that the blur claims to read. With the edge modes mirror, reflect and wrap, a
  /// window that crosses an edge may read any column or row. The part then has the full width or height of
  /// the image.
  var reads: Region {
    let reach = claimedReach ?? (radius(sigma.x), radius(sigma.y))
    let columns = span(region.x - reach.x, region.x + region.width + reach.x, width)
    let rows = span(region.y - reach.y, region.y + region.height + reach.y, height)
    return Region(x: columns.lowerBound, y: rows.lowerBound, width: columns.count, height: rows.count)
  }

  private func span(_ first: Int, _ end: Int, _ count: Int) -> Range<Int> {
    switch edge {
    case .clamp, .constant: (first..<end).clamped(to: 0..<count)
    case .mirror, .reflect, .wrap: first >= 0 && end <= count ? first..<end : 0..<count
    }
  }

  /// Blurs the rows `units` of the region.
  func run(_ units: Range<Int>, _ buffers: PhaseContext) {
    let (across, down) = (weights(sigma.x), weights(sigma.y))
    let needed = span(region.x - across.count / 2, region.x + region.width + across.count / 2, width)
    let columns = places(of: across, at: region.x..<region.x + region.width, width)
    for y in units {
      let rows = places(of: down, at: y + region.y..<y + region.y + 1, height)[...]
      for c in 0..<format.channels {
        let line = (0..<width).map { x -> Double in
          guard needed.contains(x) else { return 0 }
          return afterDown(sum(down, rows, c) { row in colour(buffers.source, x, row, channel(c)) })
        }
        for x in 0..<region.width {
          let window = columns[x..<x + across.count]
          write(buffers.destination, x, y, c, finish(sum(across, window, c) { line[$0] }))
        }
      }
    }
  }

  private func radius(_ sigma: Double) -> Int { Int((6 * sigma).rounded(.up)) }

  private func weights(_ sigma: Double) -> [Double] {
    guard sigma > 0 else { return [1] }
    let radius = radius(sigma)
    let samples = (-radius...radius).map { weight($0, sigma) }
    let sum = samples.reduce(0, +)
    return samples.map { $0 / sum }
  }

  /// Returns the columns or rows that the windows of neighbouring pixels read, from the left end of the first
  /// window to the right end of the last one.
  private func places(of weights: [Double], at positions: Range<Int>, _ count: Int) -> [Int?] {
    let reach = weights.count / 2
    return (positions.lowerBound - reach..<positions.upperBound + reach).map { at in
      normalises || (0..<count).contains(at) ? index(at, count, edge) : nil
    }
  }

  private func sum(
    _ weights: [Double], _ places: ArraySlice<Int?>, _ c: Int, _ value: (Int) -> Double
  ) -> Double {
    let constant = normalises ? Double(edge.constant(c, in: format)) : 0
    return zip(weights, places).reduce(0) { $0 + $1.0 * ($1.1.map(value) ?? constant) }
  }

  private func colour(_ source: ImageView, _ x: Int, _ y: Int, _ c: Int) -> Double {
    before(read(source, x, y, c), c, format.channels == 4 ? read(source, x, y, 3) / format.fullScale : 1)
  }

  func read(_ source: ImageView, _ x: Int, _ y: Int, _ c: Int) -> Double {
    let at =
      source.unsafeBase + y * sourceStride(source.layout) + x * format.bytesPerPixel + c
      * format.component.bytes
    // SAFETY: `x`, `y` and `c` are inside the image, and tests that use a wrong stride allocate enough memory
    // for it.
    return switch format.component {
    case .uint8: Double(at.load(as: UInt8.self))
    case .uint16: Double(at.loadUnaligned(as: UInt16.self))
    case .float32: Double(at.loadUnaligned(as: Float.self))
    }
  }

  func write(_ target: MutableImageView, _ x: Int, _ y: Int, _ c: Int, _ value: Double) {
    let at = target.unsafeRow(y) + x * format.bytesPerPixel + c * format.component.bytes
    // SAFETY: the pixel is inside the destination, or in the padding of a row that has padding.
    switch format.component {
    case .uint8: at.storeBytes(of: UInt8(max(0, min(255, value)) + 0.5), as: UInt8.self)
    case .uint16: at.storeBytes(of: UInt16(max(0, min(65535, value)) + 0.5), as: UInt16.self)
    case .float32: at.storeBytes(of: Float(value), as: Float.self)
    }
  }
}

/// A mistake, represented by a type so that kernels with mistakes can be listed.
protocol Mutant: Sendable {
  static var promise: Promise { get }
  static var worksInPlace: Bool { get }
  static func mutate(_ blur: inout PlainBlur)
  /// Runs the units. By default, this runs the blur that `mutate` has changed.
  static func run(_ blur: PlainBlur, _ units: Range<Int>, _ buffers: PhaseContext)
}

extension Mutant {
  static var promise: Promise { .exact() }
  static var worksInPlace: Bool { false }
  static func mutate(_ blur: inout PlainBlur) {}
  static func run(_ blur: PlainBlur, _ units: Range<Int>, _ buffers: PhaseContext) {
    blur.run(units, buffers)
  }
}

/// A kernel with the mistake `B`.
struct MutantKernel<B: Mutant>: BlurKernel {
  var name: String { "\(B.self)" }
  let summary = "deliberately wrong"
  var promise: Promise { B.promise }
  var worksInPlace: Bool { B.worksInPlace }

  func plan(_ problem: BlurProblem) -> any Plan {
    var blur = PlainBlur(problem)
    B.mutate(&blur)
    return PlainPlan(blur) { B.run($0, $1, $2) }
  }
}

/// A plan that runs a plain blur row by row, or whatever a mutant runs instead.
final class PlainPlan: Plan {
  typealias Run = @Sendable (PlainBlur, Range<Int>, PhaseContext) -> Void

  static let scratchBytes = 60

  let facts: PlanFacts
  private let blur: PlainBlur
  private let run: Run

  init(_ blur: PlainBlur, run: @escaping Run) {
    self.blur = blur
    self.run = run
    facts = PlanFacts(
      phases: [Phase(units: blur.region.height)], scratchBytes: Self.scratchBytes, reads: blur.reads)
  }

  func run(_ phase: Int, _ units: Range<Int>, _ buffers: PhaseContext) { run(blur, units, buffers) }
}
