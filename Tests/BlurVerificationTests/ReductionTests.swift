import Blur
import Testing

@testable import BlurVerification

@Suite struct ReductionTests {
  /// Failures that occur only at odd sizes, or only at even ones, are reduced to small images, too. Halving a
  /// size does not preserve whether it is odd.
  @Test(
    "Failures that occur only at odd sizes, or only at even ones, are reduced to small images",
    arguments: [(37, 18), (130, 40), (101, 38), (64, 2)])
  func failuresOfOneParityAreReduced(_ width: Int, _ height: Int) throws {
    let isOdd = width % 2 == 1
    let kernel = isOdd ? Kernel(MutantKernel<DarkAtOddWidths>()) : Kernel(MutantKernel<DarkAtEvenWidths>())
    var run = VerificationRun(kernels: [kernel], properties: [.shapes])
    (run.formats, run.edgeNames, run.sigmas) = ([.gray8], ["mirror"], [try Sigma(2)])
    run.images = [SampleImage(kind: .noise, width: width, height: height)]
    let check = try #require(try run.checks().first)
    let image = try #require(check.reduced().subject.image)
    #expect(image.width <= 5 && image.width % 2 == width % 2 && image.height == 1)
    // The reduction also replaces the kind of image by simpler kinds. An impulse (a single bright pixel) is
    // the simplest one.
    #expect(image.kind == .impulse)
    // With few attempts, the reduction must find a small image early. Few attempts are made if each of them
    // starts a process.
    let soon = check.subject.reduced(attempts: 40) { check.property.check(kernel, $0).failure != nil }
    #expect(try #require(soon.image).width <= 5)
  }
}

/// A kernel that returns black for images with an odd width.
private enum DarkAtOddWidths: Mutant {
  static func mutate(_ blur: inout PlainBlur) {
    if blur.width > 1, blur.width % 2 == 1 { blur.finish = { _ in 0 } }
  }
}

/// A kernel that returns black for images with an even width.
private enum DarkAtEvenWidths: Mutant {
  static func mutate(_ blur: inout PlainBlur) { if blur.width % 2 == 0 { blur.finish = { _ in 0 } } }
}
