import Blur
import Foundation
import TestSupport
import Testing

@testable import BlurVerification

/// Tests of our reference and our kernels against Gaussian blurs that SciPy computed. SciPy's results were
/// confirmed by padding the images and adding up the weighted pixels in NumPy.
///
/// The stored blurs are of small images, and their windows are up to 1,561 times as wide. If SciPy is
/// installed, it computes these blurs again, and also blurs of larger images.
@Suite struct OutsideTruthTests {
  private static let needsSciPy = ConditionTrait.enabled(
    if: OutsideTruth.isInstalled, "SciPy is not installed (package python3-scipy)")
  private static let kernels = ["separable", "simd-fine", "pyramid-fine"]

  @Test("The reference gives the stored blurs by SciPy", arguments: try OutsideTruth.stored.get())
  func theReferenceGivesTheStoredBlurs(_ outside: OutsideBlur) throws {
    #expect(outside.isNear(try outside.reference()) { 1e-12 * $0 })
  }

  @Test("The reference gives the same blurs as SciPy", needsSciPy, arguments: try OutsideTruth.live.get())
  func theReferenceGivesWhatSciPyGives(_ outside: OutsideBlur) throws {
    #expect(outside.isNear(try outside.reference()) { 1e-12 * $0 })
  }

  @Test(
    "Kernels keep their promises, compared with the stored blurs by SciPy",
    arguments: kernels, try OutsideTruth.stored.get())
  func kernelsKeepTheirPromiseOnTheStoredBlurs(_ kernel: String, _ outside: OutsideBlur) throws {
    try expectPromiseKept(kernel, outside)
  }

  @Test(
    "Kernels keep their promises, compared with SciPy",
    needsSciPy, arguments: kernels, try OutsideTruth.live.get().filter(\.isFloat))
  func kernelsKeepTheirPromiseAgainstSciPy(_ kernel: String, _ outside: OutsideBlur) throws {
    try expectPromiseKept(kernel, outside)
  }

  @Test("SciPy still gives the stored blurs", needsSciPy)
  func sciPyStillGivesTheStoredBlurs() throws {
    let (stored, live) = (try OutsideTruth.stored.get(), try OutsideTruth.live.get())
    try #require(stored.count < live.count)
    for (old, new) in zip(stored, live) {
      #expect(old.isNear(new.blurred) { 1e-13 * $0 }, "\(old)")
      var inputs = new
      inputs.blurred = old.blurred
      #expect(inputs == old)
    }
  }

  @Test("The stored blurs include every edge mode")
  func theStoredBlursAreOfAllEdgeModes() throws {
    let stored = try OutsideTruth.stored.get()
    #expect(Set(stored.map(\.edge)) == Set(EdgeMode.allCases.map(\.name)))
  }

  private func expectPromiseKept(_ name: String, _ outside: OutsideBlur) throws {
    let kernel = try Registry.kernel(named: name)
    let image = try outside.image()
    let bound = try #require(kernel.promise.bound(for: image.layout.format)) / 255
    for set in kernel.instructionSets where set.isAvailable {
      let parameters = BlurParameters(
        sigma: try outside.sigma, edge: try outside.edgeMode, instructionSet: set)
      var result = try Image(image.layout)
      try BlurPlan(kernel, for: image.layout, parameters).blur(image, into: &result)
      let values = result.withView { view in (0..<outside.height).flatMap(view.values(ofRow:)) }
      #expect(outside.isNear(values) { _ in bound }, "\(set.name)")
    }
  }
}

/// An image and its blur, as Fixtures/gaussian.py prints them.
struct OutsideBlur: Decodable, Equatable, Sendable, CustomTestStringConvertible {
  let format: String
  let width: Int, height: Int
  let sigmaX: Double, sigmaY: Double
  let edge: String
  /// The value of pixels outside the image with the edge mode `constant`.
  let constant: SIMD4<Float>
  let source: [Double]
  var blurred: [Double]

  var testDescription: String {
    "\(format) \(width)x\(height), sigma \(sigmaX)x\(sigmaY), \(edge)"
      + (edge == "constant" ? " \(constant.x)" : "")
  }
  var isFloat: Bool { format.hasSuffix("f32") }
  var sigma: Sigma { get throws { try Sigma(x: sigmaX, y: sigmaY) } }
  var edgeMode: EdgeMode { get throws { try #require(EdgeMode(name: edge)).ifConstant(constant) } }

  func image() throws -> Image {
    let layout = try ImageLayout(try #require(PixelFormat(rawValue: format)), width: width, height: height)
    try #require(source.count == layout.rowComponents * height)
    return try Image.painted(layout) { x, y, c in
      source[y * layout.rowComponents + x * layout.format.channels + c]
    }
  }

  func reference() throws -> [Double] { Truth.of(try image(), sigma: try sigma, edge: try edgeMode).values }

  /// Returns whether each of `values` differs from the expected value by at most the tolerance for that
  /// value.
  func isNear(_ values: [Double], tolerance: (_ expected: Double) -> Double) -> Bool {
    values.count == blurred.count
      && zip(values, blurred).allSatisfy { abs($0 - $1) <= tolerance($1) }
  }
}

enum OutsideTruth {
  static let isInstalled = (try? Program.output(["python3", "-c", "import scipy.ndimage"])) != nil
  /// Blurs that SciPy computed once, and that are committed.
  static let stored = Result { try decoded(Data(contentsOf: fixture("scipy.json"))) }
  /// Blurs that SciPy computes now: the stored ones again, and then those of larger images.
  static let live = Result {
    try decoded(Data(Program.output(["python3", fixture("gaussian.py").path, "--all"]).utf8))
  }

  private static func decoded(_ json: Data) throws -> [OutsideBlur] {
    struct File: Decodable { let cases: [OutsideBlur] }
    return try JSONDecoder().decode(File.self, from: json).cases
  }

  private static func fixture(_ name: String) -> URL {
    URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures/\(name)")
  }
}
