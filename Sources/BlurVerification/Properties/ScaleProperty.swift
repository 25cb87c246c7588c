import Blur
import BlurText

extension Property {
  /// Checks that the blurred values are proportional to the values of the image. If the image is multiplied
  /// by a power of two, the result must be multiplied by the same power.
  static let scale = Property(
    "scale",
    "multiplying an image by a power of two multiplies its blur by the same power (float formats)",
    scope: Scope(
      formats: PixelFormat.allCases.filter { $0.component == .float32 }, sigmas: [0.7, 2.5, 20],
      edges: ["clamp", "mirror", "constant-colour"])
  ) { test in
    guard test.format.component == .float32 else {
      throw NotApplicable("values of format \(test.format) are limited to its code values")
    }
    try test.skipDefinition(ifSigmaAbove: 2.5)
    let mostThreads = (try? test.threadCounts())?.max()
    for (width, height) in [(61, 37), (19, 5)] {
      let image = try test.image(.noise, width, height)
      let expected = try test.blurred(image)
      for power in [-140, -130, -60, -1, 3, 40, 100] {
        try test.expectScaled(image, expected, by: power)
      }
      // A kernel may change the floating-point mode of the CPU in its own threads, for example so that
      // denormals become 0. The blur is therefore also checked with as many threads as possible.
      if let mostThreads { try test.expectScaled(image, expected, by: -130, threads: mostThreads) }
    }
    return nil
  }
}

extension KernelUnderTest {
  /// Multiplies an image by a power of two, and checks its blur. The result must have the same bits as the
  /// blur of the original image, multiplied by the same power of two. Very small results, for which single
  /// precision has fewer bits, may differ slightly.
  fileprivate func expectScaled(
    _ image: Image, _ expected: Image, by power: Int, threads: Int? = nil
  ) throws {
    let factor = Double(sign: .plus, exponent: power, significand: 1)
    let scaled = try image.scaled(by: factor)
    let edge = subject.edge.scaled(by: factor)
    let result = try blurredOnAll(scaled, edge: edge, threads: threads ?? subject.threads)
    let correct = try expected.scaled(by: factor)
    // Below 2⁻¹²⁶, single-precision numbers are 2⁻¹⁴⁹ apart. Each product that is added to a sum may then be
    // wrong by up to half of this step, so a result may be wrong by several steps. The allowed error of 64
    // steps is still small enough to reveal a kernel that replaces denormals by 0, because the mean of the
    // darkest image is 256 steps.
    let step = Double(Float.leastNonzeroMagnitude)
    let allowed = power < -100 ? 64 * step : 0
    for y in 0..<image.layout.height {
      let found = result.withView { $0.values(ofRow: y) }
      for (i, value) in correct.withView({ $0.values(ofRow: y) }).enumerated() {
        guard !(abs(found[i] - value) <= allowed) else { continue }
        let place = Deviation(x: i / format.channels, y: y, channel: i % format.channels)
        let threads = threads.map { " on \($0.of("thread"))" } ?? ""
        throw Violation(
          "image · 2^\(power)\(threads): the result is \(found[i]) instead of \(value) "
            + "at x \(place.x), y \(place.y), channel \(place.channel)", nil,
          FailureImages(source: scaled, result: result, expected: correct, around: place))
      }
    }
  }
}

extension Image {
  /// Returns a copy of the image in which all values are multiplied by `factor`.
  fileprivate func scaled(by factor: Double) throws -> Image {
    try withView { view in
      try Image.painted(layout) { x, y, c in factor * view.value(x * layout.format.channels + c, y) }
    }
  }
}

extension EdgeMode {
  /// Returns this edge mode. If it is `constant`, its colour is multiplied by `factor`.
  fileprivate func scaled(by factor: Double) -> EdgeMode {
    guard case .constant(let pixel) = self else { return self }
    return .constant(SIMD4<Float>(SIMD4<Double>(pixel) * factor))
  }
}
