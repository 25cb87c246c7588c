import Blur
import Foundation
import Synchronization

@testable import BlurVerification

/// One channel of an image as numbers, continued by the edge mode.
struct Plane {
  let channel: Int
  fileprivate let values: [Double]
  fileprivate let width: Int, height: Int
  fileprivate let edge: EdgeMode

  subscript(x: Int, y: Int) -> Double {
    guard let x = edge.index(of: x, count: width), let y = edge.index(of: y, count: height) else { return 0 }
    return values[y * width + x]
  }

  /// The Gaussian by its definition, rows and then columns.
  func blurred(_ sigma: Sigma) -> Plane {
    filtered(Truth.gaussian(sigma.x)) { plane, x, y, k in plane[x + k, y] }
      .filtered(Truth.gaussian(sigma.y)) { plane, x, y, k in plane[x, y + k] }
  }

  private func filtered(_ weights: [Double], _ value: (Plane, Int, Int, Int) -> Double) -> Plane {
    map { x, y in
      weights.indices.reduce(0) { $0 + weights[$1] * value(self, x, y, $1 - weights.count / 2) }
    }
  }

  /// The plane of these values.
  func map(_ value: (_ x: Int, _ y: Int) -> Double) -> Plane {
    Plane(
      channel: channel, values: (0..<width * height).map { value($0 % width, $0 / width) }, width: width,
      height: height,
      edge: edge)
  }
}

/// The plan of a kernel that makes a plane of a plane, and promises the Gaussian.
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

/// Kernels with something to certify.
enum CertifiedKernels {
  /// Darker by a tenth in the last of each `period` columns.
  static func phased(period: Int) -> Kernel {
    PlanePlan.kernel("phased") { plane, sigma in
      let blurred = plane.blurred(sigma)
      return blurred.map { x, y in blurred[x, y] * (x % period == period - 1 ? 0.9 : 1) }
    }
  }

  /// The median of nine pixels.
  static let median = PlanePlan.kernel("median") { plane, _ in
    plane.map { x, y in (0..<9).map { plane[x + $0 % 3 - 1, y + $0 / 3 - 1] }.sorted()[4] }
  }

  /// The mean of the blurred image and of the same one pixel up and to the left.
  static let diagonal = PlanePlan.kernel("diagonal") { plane, sigma in
    let blurred = plane.blurred(sigma)
    return blurred.map { x, y in (blurred[x, y] + blurred[x - 1, y - 1]) / 2 }
  }

  /// The Gaussian, but for alpha that is 20 levels too low.
  static let offAlpha = PlanePlan.kernel("off-alpha") { plane, sigma in
    let blurred = plane.blurred(sigma)
    return plane.channel < 3 ? blurred : blurred.map { x, y in blurred[x, y] - 20 }
  }

  /// No number anywhere.
  static let spoiled = PlanePlan.kernel("spoiled") { plane, _ in plane.map { _, _ in .nan } }

  private static let turns = Atomic(0)

  /// A little brighter each time.
  static let drifting = PlanePlan.kernel("drifting") { plane, _ in
    let gain = 1 + 0.001 * Double(turns.add(1, ordering: .relaxed).newValue)
    return plane.map { x, y in plane[x, y] * gain }
  }
}
