import Foundation
import Testing
import Tiers

/// The Swift programs of docs/Examples, built as their reader builds them.
@Suite("The Swift examples", .tags(.packages), .onlyInAll)
struct ExampleTests {
  @Test(
    "They build; one prints a soft edge, the other blurs a video without an allocation",
    .timeLimit(.minutes(30)))
  func examples() throws {
    let folder = Program.package.appending(path: "docs/Examples/Swift")
    // Kept from one run of the tests to the next, for the library is compiled anew in it.
    let scratch = Program.package.appending(path: ".build/examples").path
    let build = try Program(
      ["swift", "build", "-c", "release", "--scratch-path", scratch], in: folder)
    try #require(build.code == 0, "\(build.output)")

    let soften = try Program(["\(scratch)/release/soften"])
    let row = soften.output.split { "[], \n".contains($0) }.compactMap { Double($0) }
    let expected = Edge.blurred(between: 15, and: 16, sigma: 4, at: (0..<32).map(Double.init))
    try #require(row.count == expected.count, "\(soften.output)")
    #expect(zip(row, expected).allSatisfy { abs($0 - $1) <= 1.5 })

    for threads in ["1", "2"] {
      // Dispatch may start a thread in the middle, once; what a blur allocates it allocates each time.
      let videos = try (0..<3).map { _ in try Program(["\(scratch)/release/video", threads]) }
      #expect(videos.allSatisfy { $0.code == 0 })
      #if os(Linux)
        #expect(
          videos.contains { $0.output.hasSuffix("allocations: 0\n") }, "\(videos.map(\.output))")
      #endif
      print(videos[0].output)
    }
  }
}

/// The edge between black and white, blurred by theory.
enum Edge {
  /// The integral of the Gaussian from the middle between two columns, in levels.
  static func blurred(between black: Double, and white: Double, sigma: Double, at columns: [Double])
    -> [Double]
  {
    columns.map { column in
      let distance = column - (black + white) / 2
      let share: Double = (1 + erf(distance / (sigma * 2.0.squareRoot()))) / 2
      return 255 * share
    }
  }
}
