import Blur
import Foundation

/// The formats, edge modes and sigmas that a kernel supports. To find out, the kernel is asked for plans.
///
/// The random test cases of a kernel use only these values. Otherwise, a kernel that supports only a few
/// formats would refuse most of its test cases, and would therefore be tested on only a few images.
public struct KernelSupport: Codable, Sendable {
  /// The supported formats, each with the names of the edge modes that the kernel supports in this format.
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
  /// plan, everything counts as supported, so that the checks are made and report why the kernel refuses.
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
    // The search for a supported sigma begins with sigmas near 3, because kernels that support only a few
    // sigmas rarely support the smallest ones.
    let steps = Self.steps(sigmas)
    let fromMiddle = steps.sorted { abs(Foundation.log($0 / 3)) < abs(Foundation.log($1 / 3)) }
    let first = fromMiddle.lazy.compactMap { sigma in
      formats.lazy.compactMap { format in
        edges.first { takes(format, $0, try? Sigma(sigma)) }.map { (format: format, edge: $0, sigma: sigma) }
      }.first
    }.first
    guard let first else { return }
    let taken = steps.filter { takes(first.format, first.edge, try? Sigma($0)) }
    // If the kernel does not support all of the given sigmas, it is also tested with supported values between
    // them.
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
