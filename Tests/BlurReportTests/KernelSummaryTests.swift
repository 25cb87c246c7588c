import Blur
import Foundation
import Testing

@testable import BlurReport

@Suite("Summaries of kernels")
struct KernelSummaryTests {
  private static let sigma = KernelSummary.sigma

  @Test("The Gaussian has the spectrum exp(−2π²σ²f²) and the variance σ²")
  func gaussian() throws {
    let response = try KernelSummary.original().response
    for (step, gain) in response.spectrum.enumerated() {
      let frequency = 0.5 * Double(step) / Double(KernelSummary.Response.steps)
      let expected = exp(-2 * pow(Double.pi * Self.sigma * frequency, 2))
      #expect(abs(gain - expected) < 1e-4, "\(frequency)")
    }
    #expect(abs(variance(response.weights) - Self.sigma * Self.sigma) < 1e-2)
  }

  @Test("Three boxes of 8, 8 and 9 pixels have the zeros and the variance of such boxes")
  func boxes() throws {
    let summary = try #require(KernelSummary(Registry.kernel(named: "box-triple")))
    let steps = KernelSummary.Response.steps
    for zero in 1...3 { #expect(summary.response.spectrum[zero * 2 * steps / 8] < 1e-6) }
    // A box of n pixels has the variance (n² − 1)/12. The two boxes of 8 pixels are shifted by half a pixel
    // in opposite directions.
    #expect(abs(variance(summary.response.weights) - (63.0 + 63 + 80) / 12) < 1e-3)
    #expect(summary.picture != summary.difference)
    #expect(summary.picture.hasPrefix("data:image/png;base64,iVBORw0KGgo"))
  }

  @Test("The image is so large that pyramid halves it, instead of filtering it like dct")
  func halving() throws {
    let weights = try ["pyramid", "dct"].map { name in
      try #require(KernelSummary(Registry.kernel(named: name))).response.weights
    }
    #expect(weights[0] != weights[1])
  }

  private func variance(_ weights: [Double]) -> Double {
    let sum = weights.reduce(0, +)
    return weights.enumerated().reduce(0) { total, weight in
      let distance = Double(weight.offset - KernelSummary.Response.reach)
      return total + weight.element * distance * distance / sum
    }
  }
}
