import Foundation
import TestSupport
import Testing

/// The Swift programs of docs/Examples, built as their reader builds them.
@Suite("The Swift examples", .tags(.packages), .slow)
struct ExampleTests {
  @Test(
    "They build, and do what their first lines say",
    .timeLimit(.minutes(30)))
  func examples() throws {
    let folder = Program.package.appending(path: "docs/Examples/Swift")
    // Kept from one run of the tests to the next, for the library is compiled anew in it.
    let scratch = Program.package.appending(path: ".build/examples").path
    let build = try Program(
      ["swift", "build", "-c", "release", "--scratch-path", scratch], in: folder,
      environment: Tiers.buildEnvironment)
    try #require(build.code == 0, "\(build.printed)")

    let soften = try Program(["\(scratch)/release/soften"])
    let row = soften.printed.split { "[], \n".contains($0) }.compactMap { Double($0) }
    expectEdge(row, "\(soften.printed)")
    try photo("\(scratch)/release/photo")

    // Blurs hold the threads of tasks, of which there are as many as CPUs.
    let server = try Program(["\(scratch)/release/server"])
    let plans = try #require(server.printed.firstMatch(of: /plans: (\d+), scratch of each: [1-9]/))
    #expect((1...ProcessInfo.processInfo.activeProcessorCount).contains(try #require(Int(plans.1))))

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

  /// Blurs a file of one row, black and then white.
  private func photo(_ program: String) throws {
    try Scratch.folder { folder in
      let (sharp, soft) = (folder.appending(path: "sharp.pgm"), folder.appending(path: "soft.pgm"))
      let header = Data("P5\n48 1\n255\n".utf8)
      try (header + Data((0..<48).map { $0 < 16 ? 0 : 255 })).write(to: sharp)
      let run = try Program([program, sharp.path, soft.path, "4"])
      try #require(run.code == 0, "\(run.printed)")
      expectEdge(try Data(contentsOf: soft).suffix(48).prefix(32).map { Double($0) }, "\(soft)")
    }
  }

  /// Expects the columns from 0 on of an edge between columns 15 and 16, blurred by sigma 4.
  private func expectEdge(_ row: [Double], _ comment: Comment) {
    let expected = Edge.blurred(between: 15, and: 16, sigma: 4, at: (0..<32).map(Double.init))
    #expect(row.count == 32 && zip(row, expected).allSatisfy { abs($0 - $1) <= 1.5 }, comment)
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
