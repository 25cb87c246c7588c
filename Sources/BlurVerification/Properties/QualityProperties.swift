import Blur
import Foundation

extension Property {
  private static let images: [TestImage] = [.noise, .deadLeaves, .alphaRamp]

  /// Errors that no single pixel shows.
  static let quality = Property(
    "quality", "no brightness drifts, and errors are as small as the promise lets expect",
    scope: Scope(
      // Constants are left out: what windows leave out there has a sign.
      sigmas: [0.7, 2.5, 10], edges: ["clamp", "wrap"],
      images: images.map { SampleImage(kind: $0, width: 151, height: 113) })
  ) { test in
    guard let sample = test.subject.image else { throw NotApplicable("no image is named") }
    try test.skipDefinition(ifSigmaAbove: 1)
    guard sample.width * sample.height >= 15_000, images.contains(sample.kind) else {
      throw NotApplicable("means say something of large images without patterns")
    }
    let image = try test.image(sample.kind, sample.width, sample.height, seed: SampleImage.seed)
    let result = try test.blurred(image)
    do { return try test.expectQuality(result, of: image, sample.kind) } catch var violation as Violation {
      let judge = test.known.judge(image, test.sigma, test.subject.edge)
      violation.finding.images =
        violation.finding.images ?? judge.failureImages(of: result, by: test.kernel)
      throw violation
    }
  }
}

extension KernelUnderTest {
  /// Means and PSNR of a result, beside its promise.
  fileprivate func expectQuality(_ result: Image, of image: Image, _ kind: TestImage) throws -> Finding {
    try expectMeanKept(result, of: image, kind)
    let finding = try judge(result, of: image, "image \(kind.rawValue)")
    guard kernel.promise.bound(for: format) != nil else { return finding }
    guard kernel.promise.isExact else {
      try expectPSNR(finding, kind)
      return finding
    }
    let truth = known.judge(image, sigma, subject.edge).truth(.gaussian)
    let errors = result.withView { truth.meanErrors(of: $0) }
    try expect(errors.channels, within: allowedBias, "channel", of: kind)
    // Where a pixel is made of many others, its row and column have few errors that differ.
    if sigma.x <= 2.5, kind == .noise {
      try expect(errors.columns, within: 6 * allowedBias, "column", of: kind)
      try expect(errors.rows, within: 6 * allowedBias, "row", of: kind)
    }
    try expectPSNR(finding, kind)
    return finding
  }

  /// The promised share of full scale.
  private var share: Double { (kernel.promise.bound(for: format) ?? 0) / 255 }

  /// In levels: a twentieth of a code, or a tenth of what is promised where that is more.
  private var allowedBias: Double { max(0.05 * format.codeInLevels, 0.1 * finePromise) }

  /// What is promised in formats finer than 8 bits, where it is many codes.
  private var finePromise: Double { format.component == .uint8 ? 0 : 255 * share }

  private func expect(
    _ means: [Double], within allowed: Double, _ what: String, of kind: TestImage
  ) throws {
    for (place, mean) in means.enumerated() where !(abs(mean) <= allowed) {
      throw Violation(
        String(
          format: "image %@: %@ %d is %+.3g levels off on average; allowed: %.3g", kind.rawValue, what, place,
          mean, allowed))
    }
  }

  /// Where the image is continued by itself, its mean is that of the result, whatever kernels promise.
  private func expectMeanKept(_ result: Image, of image: Image, _ kind: TestImage) throws {
    guard case .wrap = subject.edge, kernel.promise != .nothing, !isOnGrid else { return }
    let (before, after) = (image.channelMeans, result.channelMeans)
    let drift = zip(before, after).map { ($1 - $0) / format.fullScale * 255 }
    try expect(drift, within: allowedDrift, "channel", of: kind)
  }

  /// In levels: what the promise allows, or a tenth of a code of 16 bits, a twentieth of one of 8; of floats
  /// what rounding each of them may come to.
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
        format: "image %@: PSNR %.1f dB; at least %.1f is expected", kind.rawValue, psnr, psnrFloor),
      finding.deviation)
  }

  /// The PSNR of rounding once, and of errors spread evenly over half of what is promised.
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
  /// The mean differences of each channel, column and row from the rounded truth, in levels.
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
