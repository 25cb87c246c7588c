import Blur
import Foundation

extension Property {
  /// Checks that the rounding errors of an exact kernel cancel out on average.
  static let bias = Property(
    "bias",
    "exact kernels have a mean error of at most 0.1 code values (more if a 16-bit promise allows it)",
    scope: Scope(
      formats: PixelFormat.allCases.filter { $0.component != .float32 }, sigmas: [0.8, 2.5, 7, 25],
      // Edge mode `constant` is left out, because truncated windows then cause errors near the edges of the
      // image. These errors have the same sign in all pixels, so they do not cancel out.
      edges: ["clamp", "mirror", "wrap"])
  ) { test in
    guard test.kernel.promise.isExact else {
      throw NotApplicable("kernel \(test.kernel.name) does not promise the Gaussian")
    }
    guard test.format.component != .float32 else {
      throw NotApplicable("format \(test.format) has no code values")
    }
    try test.skipDefinition(ifSigmaAbove: 1)
    try test.expectUnbiased()
    return nil
  }
}

extension KernelUnderTest {
  /// Blurs many images of different brightness and contrast, and throws a violation if the errors of a
  /// channel do not cancel out.
  fileprivate func expectUnbiased() throws {
    let layout = try layout(31, 23)
    let plan = try plan(layout)
    var random = SplitMix64(seed: 11)
    var result = try Image(layout)
    var (sums, count) = ([Double](repeating: 0, count: format.channels), 0.0)
    for _ in 0..<24 {
      let base = random.nextShare()
      let contrast = random.nextShare() * (1 - base)
      let image = try Image.painted(layout) { _, _, _ in
        (base + contrast * random.nextShare()) * format.fullScale
      }
      try plan.blur(image, into: &result)
      let truth = known.judge(image, sigma, subject.edge).truth(.gaussian)
      let errors = result.withView { truth.meanErrors(of: $0).channels }
      for (channel, error) in errors.enumerated() { sums[channel] += error }
      count += 1
    }
    // `promised` is the largest error that the kernel promises, in code values. In 16-bit formats, it can be
    // several code values. In that case, the mean error may be up to (`promised` − 1.01) / 5 instead of 0.1.
    let promised = (kernel.promise.bound(for: format) ?? 0) / format.codeInLevels
    let allowed = format.component == .uint8 ? 0.1 : max(0.1, (promised - 1.01) / 5)
    for (channel, sum) in sums.enumerated() {
      let mean = sum / count / format.codeInLevels
      guard !(abs(mean) <= allowed) else { continue }
      throw Violation(
        "channel \(channel): over \(Int(count)) images of noise, the mean error is "
          + String(format: "%+.3f code values; allowed: at most %.3g", mean, allowed))
    }
  }
}
