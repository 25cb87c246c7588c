import Blur
import Foundation

/// The formats, edge modes and sigmas that a kernel supports, determined by asking the kernel for plans.
///
/// The random test cases of a kernel are drawn only from these values. Otherwise, a kernel that supports few
/// formats would refuse most of its test cases and would be tested on few images.
public struct KernelSupport: Codable, Sendable {
  /// The supported formats, each with the names of the edge modes that it is supported with.
  var formats: [Format]
  /// The supported standard deviations in pixels, in ascending order.
  var sigmas: [Double]
  /// A Boolean value that indicates whether the kernel only supports equal sigmas for both axes.
  var isSquare: Bool

  /// A format and the edge modes that a kernel supports with it.
  struct Format: Codable {
    var name: PixelFormat.RawValue
    var edges: [String]
  }

  /// Finds out what a kernel supports by asking it for plans of a small image. If the kernel refuses every
  /// plan, everything counts as supported. The kernel is then tested anyway, so that the reason for its
  /// error is reported.
  init(of kernel: Kernel, _ formats: [PixelFormat], _ edges: [String], _ sigmas: [Double]) {
    func takes(_ format: PixelFormat, _ edgeName: String, _ sigma: Sigma?) -> Bool {
      guard let sigma, let edge = Subject.edge(named: edgeName, for: format),
        let layout = try? ImageLayout(format, width: 64, height: 48)
      else { return false }
      let error = kernel.planningError(of: BlurParameters(sigma: sigma, edge: edge), for: layout)
      if case .unsupported = error { return false }
      return true
    }
    let everything = formats.map { Format(name: $0.rawValue, edges: edges) }
    (self.formats, self.sigmas, isSquare) = (everything, sigmas, false)
    // The search for a supported sigma tries sigmas near 3 first. Some kernels support only a few sigmas, and
    // rarely the smallest ones.
    let steps = Self.steps(sigmas)
    let fromMiddle = steps.sorted { abs(Foundation.log($0 / 3)) < abs(Foundation.log($1 / 3)) }
    let first = fromMiddle.lazy.compactMap { sigma in
      formats.lazy.compactMap { format in
        edges.first { takes(format, $0, try? Sigma(sigma)) }.map { (format: format, edge: $0, sigma: sigma) }
      }.first
    }.first
    guard let first else { return }
    let taken = steps.filter { takes(first.format, first.edge, try? Sigma($0)) }
    // A kernel that supports all of the given sigmas is tested with exactly these sigmas. Any other kernel is
    // tested with every sigma that it supports, either one of the given sigmas or one of the additional
    // values between them.
    self.sigmas = sigmas.allSatisfy { $0 == 0 || taken.contains($0) } ? sigmas : taken
    let other = taken.last { $0 != first.sigma } ?? 1.2 * first.sigma
    isSquare = !takes(first.format, first.edge, try? Sigma(x: first.sigma, y: other))
    let some = fromMiddle.filter(taken.contains).prefix(4)
    self.formats = formats.compactMap { format in
      let own = edges.filter { edge in some.contains { takes(format, edge, try? Sigma($0)) } }
      return own.isEmpty ? nil : Format(name: format.rawValue, edges: own)
    }
  }

  /// Returns the positive sigmas, with three additional values between each pair of neighbours.
  private static func steps(_ sigmas: [Double]) -> [Double] {
    let positive = sigmas.filter { $0 > 0 }.sorted()
    var steps: [Double] = []
    for (low, high) in zip(positive, positive.dropFirst()) {
      steps.append(low)
      for i in 1..<4 { steps.append(low * Foundation.pow(high / low, Double(i) / 4)) }
    }
    return steps + positive.suffix(1)
  }
}

/// A generator of sigmas for random test cases. About half of the sigmas are taken at random from
/// ``KernelSupport/sigmas``. The others cover the whole range from the smallest to the largest of these
/// sigmas without large gaps.
struct SigmaSequence {
  private let named: [Double]
  private let isSquare: Bool
  private let range: (low: Double, high: Double)
  private var share = 0.5

  /// The smallest sigma at which an 8-bit blur differs from a copy.
  private static let leastVisible = 0.2

  init(_ support: KernelSupport) {
    (named, isSquare) = (support.sigmas, support.isSquare)
    let low = named.filter { $0 >= Self.leastVisible }.min() ?? named.max() ?? 0
    range = (low, named.max() ?? 0)
  }

  /// Returns the next sigma. In a quarter of the cases, the two axes differ: either slightly or by any
  /// amount. They never differ if the kernel only supports equal sigmas.
  mutating func next(_ random: inout SplitMix64) throws(BlurError) -> Sigma {
    // Half of the sigmas are taken from the list. The other half come from a low-discrepancy sequence: each
    // time, the position in the range advances by the golden ratio, modulo 1, so that every new position
    // falls into one of the largest gaps between the previous positions.
    let isNamed = random.next(below: 2) == 0
    if !isNamed { share = (share + 0.618_033_988_749_895).truncatingRemainder(dividingBy: 1) }
    let x = isNamed ? named[random.next(below: named.count)] : sigma(at: share)
    let near = min(Self.rounded(x * Foundation.pow(1.25, 2 * random.nextShare() - 1)), range.high)
    return switch isSquare ? 2 : random.next(below: 8) {
    case 0: try Sigma(x: x, y: sigma(at: random.nextShare()))
    case 1: try Sigma(x: x, y: near)
    default: try Sigma(x)
    }
  }

  /// Returns a sigma between the smallest and the largest sigma of the sequence. A `share` of 0 gives the
  /// smallest, and 1 gives the largest. The scale in between is logarithmic.
  private func sigma(at share: Double) -> Double {
    range.low > 0 ? Self.rounded(range.low * Foundation.pow(range.high / range.low, share)) : 0
  }

  private static func rounded(_ sigma: Double) -> Double { (sigma * 1000).rounded() / 1000 }
}
