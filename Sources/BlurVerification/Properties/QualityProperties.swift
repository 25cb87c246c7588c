import Blur
import Foundation

extension Property {
  private static let images: [TestImage] = [.noise, .deadLeaves, .alphaRamp]

  /// Checks for errors that are invisible in single pixels, such as a systematic change of the brightness.
  static let quality = Property(
    "quality", "the mean brightness does not change, and mean errors and PSNR are as good as promised",
    scope: Scope(
      // Edge mode `constant` is left out, because even a correct blur then changes the mean of the image.
      // Besides, near an edge with a constant colour, the truncated ends of the windows cause errors that
      // have the same sign in all pixels.
      sigmas: [0.7, 2.5, 10], edges: ["clamp", "wrap"],
      images: images.map { SampleImage(kind: $0, width: 151, height: 113) })
  ) { test in
    let sample = try test.sample
    try test.skipDefinition(ifSigmaAbove: 1)
    guard sample.width * sample.height >= 15_000, images.contains(sample.kind) else {
      throw NotApplicable(
        "mean errors are only checked on noise, dead-leaves and alpha-ramp images of at least 15,000 pixels")
    }
    let image = try test.image(sample.kind, sample.width, sample.height, seed: SampleImage.seed)
    let result = try test.blurred(image)
    do {
      let finding = try test.expectQuality(result, of: image, sample.kind)
      try test.skipWithoutPromise(finding)
      return finding
    } catch var violation as Violation {
      let judge = test.known.judge(image, test.sigma, test.subject.edge)
      violation.finding.images =
        violation.finding.images ?? judge.failureImages(of: result, by: test.kernel)
      throw violation
    }
  }
}

extension KernelUnderTest {
  /// Checks that a result is as accurate as the kernel promises, that its mean errors are small enough, and
  /// that its PSNR is high enough.
  fileprivate func expectQuality(_ result: Image, of image: Image, _ kind: TestImage) throws -> Finding {
    // The pixels are judged first, because wrong pixels usually change the mean, too.
    let finding = try judge(result, of: image, "image \(kind.rawValue)")
    try expectMeanKept(result, of: image, kind)
    guard kernel.promise.bound(for: format) != nil else { return finding }
    guard kernel.promise.isExact else {
      try expectPSNR(finding, kind)
      return finding
    }
    let truth = known.judge(image, sigma, subject.edge).truth(.gaussian)
    let errors = result.withView { truth.meanErrors(of: $0) }
    try expect(errors.channels, within: allowedBias, "channel", of: kind)
    // At large sigmas, neighbouring pixels share most of their inputs, so their errors do not cancel out in
    // the mean of a row or column.
    if sigma.x <= 2.5, kind == .noise {
      try expect(errors.columns, within: 6 * allowedBias, "column", of: kind)
      try expect(errors.rows, within: 6 * allowedBias, "row", of: kind)
    }
    try expectPSNR(finding, kind)
    return finding
  }

  /// The largest error that the kernel promises, as a fraction of full scale.
  private var share: Double { (kernel.promise.bound(for: format) ?? 0) / 255 }

  /// The largest allowed mean error, in levels. It is 1/20 of the step between two code values, or 1/10 of
  /// the promised error if that is more.
  private var allowedBias: Double { max(0.05 * format.codeInLevels, 0.1 * finePromise) }

  /// The largest error, in levels, that the kernel promises for 16-bit and float formats. It is 0 for 8-bit
  /// formats. In 16-bit formats, the promised error can be much larger than the step between two code values.
  private var finePromise: Double { format.component == .uint8 ? 0 : 255 * share }

  private func expect(
    _ means: [Double], within allowed: Double, _ what: String, of kind: TestImage
  ) throws {
    for (place, mean) in means.enumerated() where !(abs(mean) <= allowed) {
      throw Violation(
        String(
          format: "image %@: %@ %d has a mean error of %+.3g levels; allowed: at most %.3g", kind.rawValue,
          what, place, mean, allowed), cause: what == "channel" ? Property.bias.fault : nil)
    }
  }

  /// Throws a violation if the blur changes the mean of the image. With wrapped edges, every blur must keep
  /// the mean, whatever the kernel promises about single pixels.
  private func expectMeanKept(_ result: Image, of image: Image, _ kind: TestImage) throws {
    guard case .wrap = subject.edge, !kernel.promise.isEmpty, !isOnGrid else { return }
    let (before, after) = (image.channelMeans, result.channelMeans)
    let drift = zip(before, after).map { ($1 - $0) / format.fullScale * 255 }
    try expect(drift, within: allowedDrift, "channel", of: kind)
  }

  /// The largest allowed change of the mean, in levels.
  private var allowedDrift: Double {
    if kernel.promise.isExact { return allowedBias }
    return switch format.component {
    case .uint8: 0.05
    case .uint16: 0.1 * format.codeInLevels
    case .float32: 1e-6 * 255
    }
  }

  private func expectPSNR(_ finding: Finding, _ kind: TestImage) throws {
    let psnr = finding.deviation?.psnr ?? .infinity
    guard psnr < psnrFloor else { return }
    throw Violation(
      String(
        format: "image %@: the PSNR is %.1f dB; allowed: at least %.1f dB", kind.rawValue, psnr, psnrFloor),
      finding.deviation)
  }

  /// The lowest allowed PSNR in dB. Its value is based on the assumption that each pixel has two independent
  /// errors: one from rounding to code values, and one that is uniformly distributed over a range as wide as
  /// the promised error.
  private var psnrFloor: Double {
    let rounding = format.component == .float32 ? 0 : 1 / format.fullScale
    let meanSquare = rounding * rounding / 12 + share * share / 12
    return -10 * log10(meanSquare)
  }
}

extension Image {
  /// The mean of each channel, in the format's own units.
  fileprivate var channelMeans: [Double] {
    withView { view in
      var sums = [Double](repeating: 0, count: layout.format.channels)
      for y in 0..<layout.height {
        for (i, value) in view.values(ofRow: y).enumerated() { sums[i % sums.count] += value }
      }
      return sums.map { $0 / Double(layout.pixelCount) }
    }
  }
}

extension Truth {
  /// Returns the mean error of `result`, in levels, for each channel, each column and each row. The errors
  /// are the differences from the correct values, which are first rounded to values that the format can hold.
  func meanErrors(of result: ImageView) -> (channels: [Double], columns: [Double], rows: [Double]) {
    let (channels, width, height) = (layout.format.channels, layout.width, rows.count)
    var sums = [Double](repeating: 0, count: channels)
    var columns = [Double](repeating: 0, count: width)
    var lines = [Double](repeating: 0, count: height)
    for (row, y) in rows.enumerated() {
      for (i, value) in result.values(ofRow: y).enumerated() {
        let error = (value - layout.format.stored(values[row * layout.rowComponents + i]))
        let levels = error / layout.format.fullScale * 255
        sums[i % channels] += levels / Double(width * height)
        columns[i / channels] += levels / Double(height * channels)
        lines[row] += levels / Double(width * channels)
      }
    }
    return (sums, columns, lines)
  }
}
