import Blur
import Foundation
import Synchronization

@testable import BlurVerification

/// One channel of an image as numbers, which the edge mode continues beyond the image.
struct Plane {
  let channel: Int
  fileprivate let values: [Double]
  fileprivate let width: Int, height: Int
  fileprivate let edge: EdgeMode

  subscript(x: Int, y: Int) -> Double {
    guard let x = edge.index(of: x, count: width), let y = edge.index(of: y, count: height) else { return 0 }
    return values[y * width + x]
  }

  /// Returns the plane after a Gaussian blur by definition, first along rows and then along columns.
  func blurred(_ sigma: Sigma) -> Plane {
    filtered(Truth.gaussian(sigma.x)) { plane, x, y, k in plane[x + k, y] }
      .filtered(Truth.gaussian(sigma.y)) { plane, x, y, k in plane[x, y + k] }
  }

  private func filtered(_ weights: [Double], _ value: (Plane, Int, Int, Int) -> Double) -> Plane {
    map { x, y in
      weights.indices.reduce(0) { $0 + weights[$1] * value(self, x, y, $1 - weights.count / 2) }
    }
  }

  /// Returns a plane with the values that `value` returns.
  func map(_ value: (_ x: Int, _ y: Int) -> Double) -> Plane {
    Plane(
      channel: channel, values: (0..<width * height).map { value($0 % width, $0 / width) }, width: width,
      height: height,
      edge: edge)
  }
}

/// A plan that computes each channel of the result as a plane. Its kernel promises an exact Gaussian.
private final class PlanePlan: Plan {
  typealias Body = @Sendable (Plane, Sigma) -> Plane

  let facts = PlanFacts(phases: [Phase(units: 1)])
  private let problem: BlurProblem
  private let body: Body

  init(_ problem: BlurProblem, _ body: @escaping Body) { (self.problem, self.body) = (problem, body) }

  func run(_ phase: Int, _ units: Range<Int>, _ buffers: PhaseContext) {
    let blur = PlainBlur(problem)
    let (width, height) = (blur.width, blur.height)
    for c in 0..<blur.format.channels {
      let values = (0..<width * height).map { blur.read(buffers.source, $0 % width, $0 / width, c) }
      let source = Plane(
        channel: c, values: values, width: width, height: height, edge: problem.edge)
      let result = body(source, problem.sigma)
      for y in 0..<height { for x in 0..<width { blur.write(buffers.destination, x, y, c, result[x, y]) } }
    }
  }

  static func kernel(_ name: String, _ body: @escaping Body) -> Kernel {
    Kernel(name: name, summary: "for tests", promise: .exact()) {
      (problem) throws(BlurError) in PlanePlan(problem, body)
    }
  }
}

/// Kernels whose certificates are tested.
enum CertifiedKernels {
  /// Returns a kernel whose result is a tenth darker in the last of every `period` columns.
  static func phased(period: Int) -> Kernel {
    PlanePlan.kernel("phased") { plane, sigma in
      let blurred = plane.blurred(sigma)
      return blurred.map { x, y in blurred[x, y] * (x % period == period - 1 ? 0.9 : 1) }
    }
  }

  /// A kernel that computes the median of nine pixels.
  static let median = PlanePlan.kernel("median") { plane, _ in
    plane.map { x, y in (0..<9).map { plane[x + $0 % 3 - 1, y + $0 / 3 - 1] }.sorted()[4] }
  }

  /// A kernel that computes the mean of each blurred pixel and the blurred pixel above and to the left of it.
  static let diagonal = PlanePlan.kernel("diagonal") { plane, sigma in
    let blurred = plane.blurred(sigma)
    return blurred.map { x, y in (blurred[x, y] + blurred[x - 1, y - 1]) / 2 }
  }

  /// A kernel that blurs exactly, except that alpha is 20 levels too low.
  static let offAlpha = PlanePlan.kernel("off-alpha") { plane, sigma in
    let blurred = plane.blurred(sigma)
    return plane.channel < 3 ? blurred : blurred.map { x, y in blurred[x, y] - 20 }
  }

  /// A kernel whose result is NaN everywhere.
  static let spoiled = PlanePlan.kernel("spoiled") { plane, _ in plane.map { _, _ in .nan } }

  private static let turns = Atomic(0)

  /// A kernel whose result is a little brighter each time it runs.
  static let drifting = PlanePlan.kernel("drifting") { plane, _ in
    let gain = 1 + 0.001 * Double(turns.add(1, ordering: .relaxed).newValue)
    return plane.map { x, y in plane[x, y] * gain }
  }
}
