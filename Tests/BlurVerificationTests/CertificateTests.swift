import Foundation
import TestSupport
import Testing

@testable import Blur
@testable import BlurVerification

/// Tests of certificates. A certificate is the computed worst error of a kernel over all images. These tests
/// use kernels with known weights, so the expected worst error can be computed independently.
@Suite("Certificates")
struct CertificateTests {
  private static func certificate<B: Mutant>(
    _ mutant: B.Type, _ format: PixelFormat = .grayf32, sigma: Double = 2, edge: EdgeMode = .clamp
  ) throws -> Certificate {
    try Certificate.of(Kernel(MutantKernel<B>()), Subject(format, sigma: Sigma(sigma), edge: edge))
  }

  @Test(
    "The plain blur has no error at any pixel", arguments: Tiers.isAll ? EdgeMode.allCases : [.clamp, .wrap])
  func honest(edge: EdgeMode) throws {
    let certificate = try Self.certificate(Honest.self, edge: edge)
    let worst = try #require(certificate.worst)
    #expect(worst.levels < 1e-3 && certificate.linearity == .separable && certificate.violation == nil)
    #expect(certificate.across.period == 1 && abs(certificate.across.sigmaRatio! - 1) < 1e-4)
    #expect(certificate.adversary?.agrees == true)
  }

  /// The tested kernel blurs with 1.04 times the requested sigma. In the worst image, every pixel whose
  /// weight is too large is white, and all others are black. The expected error is therefore the sum of the
  /// positive differences between the weights of the kernel and the right weights.
  @Test(
    "The worst case of a wrong sigma follows from its weights",
    arguments: [PixelFormat.grayf32, .rgba16] + (Tiers.isAll ? [.gray8] : []))
  func known(format: PixelFormat) throws {
    let (found, wanted) = (Self.window(2 * 1.04, radius: 12), Self.window(2, radius: 12))
    var positive = 0.0
    for i in found.indices {
      for j in found.indices { positive += max(0, found[i] * found[j] - wanted[i] * wanted[j]) }
    }
    let certificate = try Self.certificate(WrongSigma.self, format)
    let worst = try #require(certificate.worst)
    #expect(abs(worst.levels - 255 * positive) < 1e-3 + worst.uncertainty)
    #expect(worst.uncertainty < 0.2)
    #expect(abs(certificate.down.sigmaRatio! - 1.04) < 2e-3)
    #expect(
      certificate.violation?.contains("; along columns, the kernel blurs with sigma 2.08 instead of 2")
        == true)
  }

  private static func window(_ sigma: Double, radius: Int) -> [Double] {
    let samples = (-radius...radius).map { exp(-pow(Double($0) / sigma, 2) / 2) }
    return samples.map { $0 / samples.reduce(0, +) }
  }

  @Test("An error at the edges only is found there, with its distance from the edge")
  func edges() throws {
    let certificate = try Self.certificate(ClampOffByOne.self)
    let worst = try #require(certificate.worst)
    #expect(worst.x >= certificate.side - 13 || worst.y >= certificate.side - 13)
    #expect(certificate.place?.contains("edge") == true && worst.levels > 1)
  }

  @Test(
    "The period and the worst phase of a kernel that changes from column to column are found",
    arguments: [3, 8])
  func phases(period: Int) throws {
    let certificate = try Certificate.of(
      CertifiedKernels.phased(period: period), Subject(.grayf32, sigma: Sigma(2)))
    #expect(certificate.across.period == period && certificate.down.period == 1)
    #expect(certificate.worst!.x % period == period - 1)
    // The kernel's result is darker by a tenth in one of every `period` columns. A white image is therefore
    // 25.5 levels too dark in these columns, which is the worst error.
    #expect(abs(certificate.worst!.levels - 25.5) < 0.01 && certificate.worst?.isBright == false)
    #expect(abs(certificate.across.shiftVariance - 255 * 0.05) < 0.01)
  }

  @Test("Asymmetry is half of the difference between a window and its mirror image")
  func asymmetry() throws {
    let samples = (-12...12).map { exp(-pow((Double($0) - 0.5) / 2, 2) / 2) }
    let sum = samples.reduce(0, +)
    let mirrored = zip(samples, samples.reversed()).map { abs($0 - $1) / sum }
    let certificate = try Self.certificate(OffCentre.self)
    #expect(abs(certificate.across.asymmetry - 255 / 2 * mirrored.reduce(0, +)) < 0.01)
  }

  @Test(
    "A median is reported as nonlinear, and a kernel that remembers is reported as stateful", .tags(.long),
    .slow)
  func named() throws {
    let median = try Certificate.of(CertifiedKernels.median, Subject(.gray8, sigma: Sigma(2)))
    #expect(
      median.linearity == .nonlinear && median.worst == nil && median.note?.contains("nonlinear") == true)
    #expect(median.violation?.contains("not linear") == true)
    let drifting = try Certificate.of(CertifiedKernels.drifting, Subject(.grayf32, sigma: Sigma(2)))
    #expect(drifting.linearity == .stateful && drifting.violation?.contains("different results") == true)
  }

  @Test("A case that was not certified is skipped, but a kernel that crashed has failed")
  func uncertified() throws {
    let (kernel, subject) = (Kernel(Naive()), Subject(.gray8, sigma: try Sigma(1)))
    let skipped = CertificateRow(kernel, subject, skipped: "takes too long")
    #expect(skipped.text.hasPrefix("SKIPPED(takes too long) naive") && !skipped.isFailure)
    let dead = CertificateRow(kernel, subject, failure: "crashed")
    #expect(dead.text.hasPrefix("FAILED(crashed) naive") && dead.isFailure)
    let lines = [skipped, dead].csv.split(separator: "\n")
    #expect(lines[0].hasSuffix(",promise,violation,skipped,note"))
    #expect(lines[1].hasSuffix(",,takes too long,") && lines[2].hasSuffix(",crashed,,"))
  }

  @Test("The worst case of a linear kernel that is not separable is found from impulses")
  func planar() throws {
    let certificate = try Certificate.of(CertifiedKernels.diagonal, Subject(.grayf32, sigma: Sigma(1)))
    #expect(certificate.linearity == .planar)
    // The result is the mean of the blurred image and a copy of it that is moved one pixel down and to the
    // right.
    let half = Self.window(1, radius: 6)
    var absolute = 0.0
    for i in -1...13 {
      for j in -1...13 {
        let at = { (k: Int) in half.indices.contains(k) ? half[k] : 0 }
        absolute += abs(at(i) * at(j) + at(i - 1) * at(j - 1) - 2 * at(i) * at(j)) / 2
      }
    }
    #expect(abs(certificate.worst!.levels - 255 / 2 * absolute) < 0.01)
    #expect(certificate.adversary?.agrees == true)
    // In 8 bits, rounding hides the response to a single impulse. So the weights are measured with floats,
    // and predict the result for the worst 8-bit image.
    let coarse = try Certificate.of(
      CertifiedKernels.diagonal, Subject(.gray8, sigma: Sigma(1)), isPrecise: false)
    #expect(coarse.linearity == .planar && coarse.note?.contains("grayf32") == true)
    #expect(abs(coarse.worst!.levels - certificate.worst!.levels) < 0.01)
    #expect(coarse.adversary?.predicted != nil && coarse.adversary?.agrees == true)
  }

  @Test(
    "Weights are measured in one channel, and the worst image is checked in all channels",
    .tags(.long), .slow)
  func channels() throws {
    let subject = Subject(.rgba8, sigma: try Sigma(1))
    #expect(try Certificate.of(CertifiedKernels.offAlpha, subject).adversary?.agrees == false)
    let colours = Subject(.rgb8, sigma: try Sigma(1))
    #expect(try Certificate.of(CertifiedKernels.offAlpha, colours).adversary?.agrees == true)
  }

  @Test("With straight alpha, the certificate is for the format with more bits that kernels blur")
  func alpha() throws {
    #expect(try PixelFormat.rgba8.blurred(.straight) == .rgba16)
    #expect(try PixelFormat.rgba16.blurred(.straight) == .rgbaf32)
    #expect(try PixelFormat.rgbaf32.blurred(.straight) == .rgbaf32)
    for alpha in [ImageLayout.Alpha.premultiplied, .opaque] {
      #expect(try PixelFormat.rgba8.blurred(alpha) == .rgba8)
    }
    #expect(throws: BlurError.self) { try PixelFormat.rgb8.blurred(.straight) }
    // Three roundings to 16 bits, of half a step each.
    #expect(abs(PixelFormat.rgba16.straightRounding - 1.5 / 257) < 1e-12)
    #expect(PixelFormat.rgbaf32.straightRounding == 0)
  }

  @Test("Cases that cannot be certified are errors")
  func refusals() throws {
    let huge = Subject(.gray8, sigma: try Sigma(400))
    #expect(throws: Certificate.Obstacle.self) { try Certificate.of(Registry.kernels[0], huge) }
    let slow = Subject(.gray8, sigma: try Sigma(20))
    #expect(throws: Certificate.Obstacle.self) {
      try Certificate.of(Registry.kernel(named: "naive"), slow, limit: 0.001)
    }
    let tiny = Subject(.gray8, sigma: try Sigma(0.2))
    #expect(throws: Certificate.Obstacle.self) {
      try Certificate.of(Registry.kernel(named: "separable"), tiny)
    }
  }

  @Test("The transform of a Walsh function has a single coefficient that is not 0")
  func transform() {
    for k in 0..<16 {
      let walsh = (0..<16).map { (k & $0).nonzeroBitCount & 1 == 1 ? -1.0 : 1 }
      #expect(walshTransform(walsh) == (0..<16).map { $0 == k ? 16 : 0 })
    }
  }
}

/// Tests of recursive filters in single precision. At a large sigma they are inaccurate, because rounding
/// errors accumulate. Each test kernel promises an error bound that the same filter keeps in double
/// precision, and the certificate must detect that this promise is broken.
@Suite("Certificates of recursions in single precision")
struct FloatCertificateTests {
  @Test(
    "Single precision breaks its bound at a large sigma, where double precision keeps it", .tags(.long),
    .slow)
  func caught() throws {
    let subject = Subject(.grayf32, sigma: try Sigma(16))
    for (wrong, right, levels) in [
      (Kernel(FloatRecursive<FloatVYV>()), "vyv-4", 1.7),
      (Kernel(FloatRecursive<FloatDeriche>()), "deriche-4", 0.15),
    ] {
      // The property `certificate` skips a kernel that would take too long, as can happen on a busy machine.
      // So the certificate is computed directly, without a time limit.
      let strict = try Registry.kernel(named: right).promising(levels)
      #expect(try Certificate.of(strict, subject, isPrecise: false).violation == nil, "\(right)")
      let wrong = wrong.promising(levels)
      #expect(try Certificate.of(wrong, subject, isPrecise: false).violation != nil, "\(wrong.name)")
    }
  }
}

extension Kernel {
  /// Returns this kernel, but with a promise of at most `levels` levels of error.
  fileprivate func promising(_ levels: Double) -> Kernel {
    Kernel(name: name, summary: summary, promise: .approximation(levels: levels)) {
      (problem) throws(BlurError) in try self.plan(problem)
    }
  }
}

/// Tests that the worst image of each kernel is as bad as its weights predict, and that the kernel keeps its
/// promise for all images.
@Suite("Certificates of all kernels")
struct KernelCertificateTests {
  @Test(
    "The worst image is as bad as predicted",
    arguments: Registry.kernels.filter { $0.name != "naive" }.map(\.name),
    Tiers.isAll ? [PixelFormat.gray8, .rgba16, .grayf32] : [.gray8])
  func adversary(kernel: String, format: PixelFormat) throws {
    let kernel = try Registry.kernel(named: kernel)
    let subject = Subject(
      format, sigma: try Sigma(5), edge: .reflect, instructionSet: kernel.instructionSet(upTo: .best))
    let asked = BlurParameters(sigma: subject.sigma, edge: subject.edge)
    guard kernel.planningError(of: asked, for: try ImageLayout(format, width: 9, height: 9)) == nil else {
      return
    }
    let certificate = try Certificate.of(kernel, subject, isPrecise: false)
    #expect(certificate.violation == nil)
    #expect(certificate.linearity == .separable || certificate.linearity == .planar)
    #expect(certificate.adversary?.agrees ?? true, "\(String(describing: certificate.adversary))")
  }

  @Test("A kernel that gives NaN fails, and is not skipped as one that cannot be certified")
  func notFinite() throws {
    let run = CertificateRun(
      kernels: [CertifiedKernels.spoiled], formats: [.grayf32], sigmas: [try Sigma(1)], limit: 60)
    let report = run.report()
    #expect(report.hasFailures && report[0].skipped == nil)
    #expect(report[0].violation?.contains("NaN") == true, "\(report.text)")
    #expect(try report.json().contains("NaN"))
    let outcome = Property.certificate.check(
      CertifiedKernels.spoiled, Subject(.grayf32, sigma: try Sigma(1)))
    guard case .failed = outcome else {
      Issue.record("\(outcome)")
      return
    }
  }
}
