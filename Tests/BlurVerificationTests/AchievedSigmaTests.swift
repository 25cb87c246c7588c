import Blur
import Testing

@testable import BlurVerification

@Suite struct AchievedSigmaTests {
  private static let exact = Registry.kernels.filter { if case .exact = $0.promise { true } else { false } }

  @Test(
    "Exact kernels achieve the requested sigma in float formats",
    arguments: [1.0, 2.5, 5, 12])
  func exactKernelsAchieveWhatIsAskedInFloat(_ sigma: Double) throws {
    for kernel in Self.exact {
      let achieved = try #require(achievedSigma(of: kernel, format: .grayf32, sigma: try Sigma(sigma)))
      // Along each axis, a kernel may leave out weights that sum to half of its promised error, at distances
      // of up to four sigma. This reduces the variance by a fraction of up to 4² times this sum, and sigma by
      // half of that fraction.
      let share = try #require(kernel.promise.bound(for: .grayf32)) / 255
      #expect(abs(achieved - sigma) < max(1e-3, share / 2 * 16 / 2 * sigma), "\(kernel.name)")
    }
  }

  /// In 8-bit formats, small values in the tails of the blurred impulse are rounded to 0. So the measured
  /// sigma is a little smaller than the requested one.
  @Test(
    "Exact kernels achieve nearly the requested sigma in 8 bits",
    arguments: [PixelFormat.gray8, .rgba8])
  func eightBitsAreNearIt(_ format: PixelFormat) throws {
    for kernel in Self.exact {
      let achieved = try #require(achievedSigma(of: kernel, format: format, sigma: try Sigma(5)))
      #expect((0.97...1.005).contains(achieved / 5), "\(kernel.name) \(achieved)")
    }
  }

  /// A box of d samples has the variance (d² − 1)/12, and the variances of successive boxes add up.
  @Test(
    "The sigma of a triple box follows from the variances of its boxes",
    arguments: [(1.0, 2.0, 3.0), (2.5, 5, 5), (10, 19, 19), (12, 23, 23)])
  func threeBoxesAchieveTheirOwnSigma(_ sigma: Double, _ twice: Double, _ once: Double) throws {
    let expected = ((2 * (twice * twice - 1) + once * once - 1) / 12).squareRoot()
    for kernel in Registry.kernels where kernel.promise == .specification("W3C triple box") {
      let achieved = try #require(achievedSigma(of: kernel, format: .grayf32, sigma: try Sigma(sigma)))
      #expect(abs(achieved - expected) < 1e-3)
    }
  }

  @Test("A kernel that blurs with a wrong sigma is measured with that sigma")
  func aWrongSigmaShows() throws {
    let achieved = achievedSigma(
      of: Kernel(MutantKernel<WrongSigma>()), format: .rgbaf32, sigma: try Sigma(3))
    #expect(abs(try #require(achieved) - 3.12) < 1e-3)
  }

  @Test("No sigma is measured if an axis is not blurred, the format is rejected, or light is lost")
  func thereIsNoneWhereNothingIsBlurredOrRefused() throws {
    #expect(achievedSigma(of: Registry.kernels[0], format: .gray8, sigma: try Sigma(x: 0, y: 3)) == nil)
    #expect(achievedSigma(of: Kernel(NoFloat()), format: .grayf32, sigma: try Sigma(3)) == nil)
    #expect(
      achievedSigma(of: Kernel(MutantKernel<DarkenedMuch>()), format: .grayf32, sigma: try Sigma(3)) == nil)
  }
}

/// A kernel that loses half of the light, so its response says nothing about sigma.
enum DarkenedMuch: Mutant {
  static func mutate(_ blur: inout PlainBlur) { blur.finish = { $0 / 2 } }
}

/// A kernel that rejects float formats, with an error that names the format.
struct NoFloat: BlurKernel {
  let name = "no-float"
  let summary = "refuses float formats"
  let promise = Promise.exact()

  func plan(_ problem: BlurProblem) throws(BlurError) -> any Plan {
    guard problem.layout.format.component != .float32 else {
      throw .unsupported(kernel: name, reason: "format \(problem.layout.format)")
    }
    return WholePlan(PlainBlur(problem))
  }

  /// A plan that does not declare which pixels it reads.
  private final class WholePlan: Plan {
    private let blur: PlainBlur

    init(_ blur: PlainBlur) { self.blur = blur }

    var facts: PlanFacts { PlanFacts(phases: [Phase(units: blur.region.height)]) }

    func run(_ phase: Int, _ units: Range<Int>, _ buffers: PhaseContext) { blur.run(units, buffers) }
  }
}
