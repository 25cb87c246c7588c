import Blur
import Foundation
import Testing

@testable import BlurVerification

/// Our truth and our kernels against Gaussians that others have written: SciPy's, and padding and sums in NumPy.
@Suite(.enabled(if: OutsideTruth.isInstalled, "SciPy is not installed (package python3-scipy)"))
struct OutsideTruthTests {
  @Test(arguments: OutsideCase.all)
  func theTruthIsThatOfOthers(_ outside: OutsideCase) throws {
    let truth = Truth.of(try outside.image(), sigma: outside.sigma, edge: outside.edge)
    for (name, expected) in try OutsideTruth.of(outside) {
      try #require(truth.values.count == expected.count)
      // All terms are positive: errors are relative to each value.
      let worst = zip(truth.values, expected).map { abs($0 - $1) / $1 }.max()
      #expect(try #require(worst) < 1e-12, "\(name)")
    }
  }

  @Test(arguments: ["separable", "simd-fine", "pyramid-fine"], OutsideCase.all.filter(\.isFloat))
  func kernelsKeepTheirPromiseAgainstOthers(_ name: String, _ outside: OutsideCase) throws {
    let kernel = try Registry.kernel(named: name)
    let image = try outside.image()
    let bound = try #require(kernel.promise.bound(for: outside.format)) / 255
    for set in kernel.instructionSets where set.isAvailable {
      let parameters = BlurParameters(sigma: outside.sigma, edge: outside.edge, instructionSet: set)
      var result = try Image(image.layout)
      try BlurPlan(kernel, for: image.layout, parameters).blur(image, into: &result)
      let found = result.withView { view in (0..<outside.height).flatMap(view.values(ofRow:)) }
      for (other, expected) in try OutsideTruth.of(outside) {
        let worst = zip(found, expected).map { abs($0 - $1) }.max()
        #expect(try #require(worst) <= bound, "\(set.name), \(other)")
      }
    }
  }
}

/// An image of noise and what to do with it.
struct OutsideCase: Hashable, Sendable, CustomTestStringConvertible {
  let format: PixelFormat
  let width: Int, height: Int
  let sigma: Sigma
  let edgeName: String

  var testDescription: String { "\(format) \(width)x\(height), sigma \(sigma.x)x\(sigma.y), \(edgeName)" }
  var isFloat: Bool { format.component == .float32 }
  var edge: EdgeMode { Subject.edge(named: edgeName, for: format)! }

  func image() throws -> Image {
    try TestImage.noise.image(ImageLayout(format, width: width, height: height), seed: 11)
  }

  /// Windows smaller than the image, several times as large, by axis, and lines of one pixel.
  private static let sizes: [(Int, Int, x: Double, y: Double)] = [
    (23, 17, 1, 1), (7, 5, 12, 12), (1, 9, 2, 3), (9, 1, 30, 0.3), (31, 22, 0.4, 7), (20, 31, 0, 2.5),
    (97, 61, 20, 20), (90, 64, 9, 11),
  ]

  static let all = [PixelFormat.gray8, .rgba16, .grayf32, .rgbaf32].flatMap { format in
    sizes.flatMap { width, height, x, y in
      Subject.edgeNames.map { edge in
        OutsideCase(
          format: format, width: width, height: height, sigma: try! Sigma(x: x, y: y), edgeName: edge)
      }
    }
  }
}

/// The blurs of all cases by others, made by one Python process.
enum OutsideTruth {
  static let isInstalled = (try? python(["-c", "import scipy.ndimage"])) == 0

  /// The blurred pixels, in the units of the format, by the name of who blurred them.
  static func of(_ wanted: OutsideCase) throws -> [String: [Double]] { try #require(try blurs.get()[wanted]) }

  private static let blurs = Result { try makeBlurs() }

  /// A case as the script reads it.
  private struct Request: Codable {
    let width: Int, height: Int, channels: Int
    let sigmaX: Double, sigmaY: Double
    let edge: String
    let constant: [Double]
  }

  private static func makeBlurs() throws -> [OutsideCase: [String: [Double]]] {
    let folder = FileManager.default.temporaryDirectory.appending(path: "blurbench-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let images = try OutsideCase.all.map { try $0.image() }
    let requests = zip(OutsideCase.all, images).map { wanted, image in
      Request(
        width: wanted.width, height: wanted.height, channels: wanted.format.channels, sigmaX: wanted.sigma.x,
        sigmaY: wanted.sigma.y, edge: wanted.edge.name,
        constant: Array(wanted.edge.constantRow(image.layout).prefix(wanted.format.channels)))
    }
    try JSONEncoder().encode(requests).write(to: folder.appending(path: "cases.json"))
    let pixels = images.flatMap { image in
      image.withView { view in (0..<view.layout.height).flatMap(view.values(ofRow:)) }
    }
    try pixels.withUnsafeBytes { Data($0) }.write(to: folder.appending(path: "source.f64"))
    let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures/gaussian.py")
    try #require(try python([script.path, folder.path]) == 0, "gaussian.py fails")
    var blurs: [OutsideCase: [String: [Double]]] = [:]
    for name in ["scipy", "numpy"] {
      var values = try doubles(folder.appending(path: "\(name).f64"))[...]
      try #require(values.count == pixels.count)
      for (wanted, image) in zip(OutsideCase.all, images) {
        let count = image.layout.rowComponents * image.layout.height
        blurs[wanted, default: [:]][name] = Array(values.prefix(count))
        values = values.dropFirst(count)
      }
    }
    return blurs
  }

  private static func doubles(_ file: URL) throws -> [Double] {
    try Data(contentsOf: file).withUnsafeBytes { bytes in
      // SAFETY: each index is inside the file's whole doubles; no alignment is assumed.
      (0..<bytes.count / 8).map { bytes.loadUnaligned(fromByteOffset: 8 * $0, as: Double.self) }
    }
  }

  /// The exit code of Python.
  private static func python(_ arguments: [String]) throws -> Int32 {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["python3"] + arguments
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus
  }
}
