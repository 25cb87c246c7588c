import Blur
import Foundation

/// A plain blur with places where it can be bent. Unbent, it is right; each wrong kernel bends one thing.
struct PlainBlur: Sendable {
  var format: PixelFormat
  var width: Int, height: Int
  var region: Region
  var edge: EdgeMode
  var sigma: Sigma
  /// Which column or row stands at a position: (position, count, edge mode).
  var index: @Sendable (Int, Int, EdgeMode) -> Int? = { $2.index(of: $0, count: $1) }
  /// The weight of a distance, before normalising: (distance, sigma).
  var weight: @Sendable (Int, Double) -> Double = { exp(-pow(Double($0) / $1, 2) / 2) }
  /// Whether weights that fall outside the image count for the constant, as they should.
  var normalises = true
  /// What becomes of the sum of a column of rows, and of the sum in the end.
  var afterDown: @Sendable (Double) -> Double = { $0 }
  var finish: @Sendable (Double) -> Double = { $0 }
  /// The channel that channel c reads.
  var channel: @Sendable (Int) -> Int = { $0 }
  /// What is blurred of a value, by its channel and by alpha as a share of full scale.
  var before: @Sendable (Double, Int, Double) -> Double = { value, _, _ in value }
  /// The stride to read with.
  var sourceStride: @Sendable (ImageLayout) -> Int = { $0.stride }

  init(_ problem: BlurProblem) {
    format = problem.layout.format
    (width, height) = (problem.layout.width, problem.layout.height)
    region = problem.region
    (edge, sigma) = (problem.edge, problem.sigma)
  }

  /// Taps to each side that the blur says it reads, in place of those it does read.
  var claimedReach: (x: Int, y: Int)?

  /// What the blur says it reads. Where windows cross an edge that repeats pixels of the image, all of the
  /// axis.
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

  /// Which columns or rows the windows of neighbours read, from the left end of the first window to the right
  /// end of the last.
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
      source.base + y * sourceStride(source.layout) + x * format.bytesPerPixel + c * format.component.bytes
    // SAFETY: the tests that mislead the stride keep the memory large enough for it.
    return switch format.component {
    case .uint8: Double(at.load(as: UInt8.self))
    case .uint16: Double(at.loadUnaligned(as: UInt16.self))
    case .float32: Double(at.loadUnaligned(as: Float.self))
    }
  }

  func write(_ target: MutableImageView, _ x: Int, _ y: Int, _ c: Int, _ value: Double) {
    let at = target.row(y) + x * format.bytesPerPixel + c * format.component.bytes
    // SAFETY: the pixel is inside the destination, or in the padding of a row that has some.
    switch format.component {
    case .uint8: at.storeBytes(of: UInt8(max(0, min(255, value)) + 0.5), as: UInt8.self)
    case .uint16: at.storeBytes(of: UInt16(max(0, min(65535, value)) + 0.5), as: UInt16.self)
    case .float32: at.storeBytes(of: Float(value), as: Float.self)
    }
  }
}

/// One way to be wrong, as a type, so that it can be listed as a kernel.
protocol Mutant: Sendable {
  static var promise: Promise { get }
  static var worksInPlace: Bool { get }
  static func mutate(_ blur: inout PlainBlur)
  /// Does the units; by default as the bent blur does.
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

/// The kernel that is wrong in the way `B`.
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

/// A plain blur, or what a mutant makes of it, row by row.
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
