import Foundation
import TestSupport
import Testing

/// Tests of the Swift programs in docs/Examples. The programs are built the way a reader of the examples
/// would build them.
@Suite("The Swift examples", .tags(.packages), .slow)
struct ExampleTests {
  @Test("The examples build and do what their first lines say", .timeLimit(.minutes(30)))
  func examples() throws {
    let folder = Program.package.appending(path: "docs/Examples/Swift")
    // The build folder of the examples is kept between test runs, because a fresh folder would compile the
    // library again.
    let scratch = Program.package.appending(path: ".build/examples").path
    let build = try Program(
      Tiers.buildOfPackages + ["swift", "build", "-c", "release", "--scratch-path", scratch], in: folder)
    try #require(build.code == 0, "\(build.printed)")

    let soften = try Program(["\(scratch)/release/soften"])
    let row = soften.printed.split { "[], \n".contains($0) }.compactMap { Double($0) }
    expectEdge(row, "\(soften.printed)")
    try photo("\(scratch)/release/photo")

    // Each blur of the server runs in a Swift task and occupies the task's thread until the blur ends. Swift
    // runs tasks on only as many threads as there are CPUs, so the server never needs more plans than CPUs.
    let server = try Program(["\(scratch)/release/server"])
    let plans = try #require(server.printed.firstMatch(of: /plans: (\d+), scratch of each: [1-9]/))
    #expect((1...ProcessInfo.processInfo.activeProcessorCount).contains(try #require(Int(plans.1))))

    for threads in ["1", "2"] {
      // Dispatch may start a thread in the middle of a run, which allocates memory once. An allocation by the
      // blur itself would show up in all three runs.
      let videos = try (0..<3).map { _ in try Program(["\(scratch)/release/video", threads]) }
      #expect(videos.allSatisfy { $0.code == 0 })
      #if os(Linux)
        #expect(
          videos.contains { $0.output.hasSuffix("allocations: 0\n") }, "\(videos.map(\.output))")
      #endif
      print(videos[0].output)
    }
  }

  /// Runs the photo example on an image of a single row, whose left part is black and whose right part is
  /// white. Checks that the edge between the two parts is blurred correctly.
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

  /// Expects that `row` contains a black-to-white edge that was blurred with sigma 4. The row begins at
  /// column 0 and has 32 columns, and the edge lies between columns 15 and 16.
  private func expectEdge(_ row: [Double], _ comment: Comment) {
    let expected = Edge.blurred(between: 15, and: 16, sigma: 4, at: (0..<32).map(Double.init))
    #expect(row.count == 32 && zip(row, expected).allSatisfy { abs($0 - $1) <= 1.5 }, comment)
  }
}

/// The exact values of a blurred edge between black and white.
enum Edge {
  /// Returns the levels (0 to 255) at `columns` of a black-to-white step after a Gaussian blur. The step lies
  /// halfway between the columns `black` and `white`.
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
