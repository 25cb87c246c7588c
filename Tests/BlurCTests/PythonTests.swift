import Blur
import BlurVerification
import Foundation
import TestSupport
import Testing

@Suite("The library from Python")
struct PythonTests {
  /// A blur that check.py performs. The script reads a list of these from cases.json.
  private struct Request: Codable {
    let name: String, dtype: String, edge: String
    let shape: [Int]
    let sigma: Double
    let constant: [Float]
    let threads: Int
  }

  @Test(
    "numpy arrays are blurred exactly as by the Swift library, also in any view that C can address",
    .enabled(if: Program.hasNumpy, "numpy is not installed (package python3-numpy)"))
  func numpy() throws {
    try Self.givesTheBytes(["python3", "-B"], environment: Self.environment)
  }

  /// Runs check.py with a Python that can import the package. The script checks these formats with all edge
  /// modes, and that bad input is rejected.
  static func givesTheBytes(
    _ python: [String], formats: [PixelFormat] = PixelFormat.allCases, environment: [String: String] = [:]
  ) throws {
    try Scratch.folder { folder in
      var requests: [Request] = []
      for (number, format) in formats.enumerated() {
        for (turn, edge) in EdgeMode.allCases.enumerated() {
          let constant: [Float] = [0.25, 0.5, 0.125, 1].map { $0 * Float(format.fullScale) }
          let mode = edge == .transparent ? .constant(SIMD4(constant)) : edge
          let (width, height) = (53 + number, 41 + turn)
          let layout = try ImageLayout(format, width: width, height: height)
          let image = try TestImage.noise.image(layout, seed: UInt64(number * 8 + turn))
          let request = Request(
            name: "\(format)-\(edge.name)",
            dtype: ["uint8", "uint16", "", "float32"][format.component.bytes - 1], edge: edge.name,
            shape: [height, width] + (format.channels > 1 ? [format.channels] : []),
            sigma: [0.7, 3, 11][turn % 3],
            constant: Array(constant.prefix(format.channels)), threads: 1 + turn % 2)
          requests.append(request)
          try image.pixels.write(to: folder.appending(path: request.name + ".source"))
          // The expected result uses the same number of threads as the Python call, because the choice of the
          // kernel depends on it.
          try image.blurred(sigma: request.sigma, edge: mode, threads: request.threads).pixels
            .write(to: folder.appending(path: request.name + ".expected"))
        }
      }
      try JSONEncoder().encode(requests).write(to: folder.appending(path: "cases.json"))
      let script = Program.fixtures.appending(path: "check.py").path
      let run = try Program(python + [script, folder.path], environment: environment)
      #expect(run.code == 0 && run.printed == "all the same\n", "\(run.printed)")
    }
  }

  @Test(
    "The Python example blurs the edge of a square, and names the library if it is missing",
    .enabled(if: Program.hasNumpy, "numpy is not installed (package python3-numpy)"))
  func example() throws {
    let script = Program.package.appending(path: "docs/Examples/Python/soften.py").path
    try Self.blursTheEdge(["python3", "-B", script], environment: Self.environment)
    let missing = Self.environment.merging(["BLUR_LIBRARY": "nowhere.so"]) { $1 }
    let without = try Program(["python3", "-B", script], environment: missing)
    #expect(without.code == 1 && without.printed.contains("there is no nowhere.so"), "\(without.printed)")
  }

  /// Environment variables that let Python find the package's sources and the built library.
  private static let environment = [
    "BLUR_LIBRARY": Program.library,
    "PYTHONPATH": Program.package.appending(path: "Sources/BlurPython").path,
  ]

  static func blursTheEdge(
    _ command: [String], in folder: URL = Program.package, environment: [String: String] = [:]
  ) throws {
    let run = try Program(command, in: folder, environment: environment)
    let columns = Array(stride(from: 560.0, to: 640, by: 8))
    let expected = Edge.blurred(between: 599, and: 600, sigma: 12, at: columns)
    let found = run.printed.split { "[] \n".contains($0) }.compactMap { Double($0) }
    try #require(found.count == expected.count, "\(run.printed)")
    // The kernel may be off by one level, and rounding adds half a level.
    #expect(zip(found, expected).allSatisfy { abs($0 - $1) <= 1.5 }, "\(found) \(expected)")
  }
}
