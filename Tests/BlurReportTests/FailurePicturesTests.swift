import Blur
import BlurImageIO
import BlurVerification
import Foundation
import Testing

@testable import BlurReport

@Suite("Pictures of failures")
struct FailurePicturesTests {
  /// `separable` at twice the sigma.
  private static let wrong = Kernel(name: "wrong/sigma", summary: "wrong", promise: .exact()) {
    (problem) throws(BlurError) in
    var problem = problem
    problem.sigma = try Sigma(x: 2 * problem.sigma.x, y: 2 * problem.sigma.y)
    return try Registry.kernel(named: "separable").plan(problem)
  }

  private static func checks(_ kernel: Kernel) throws -> [Check] {
    let truth = Property.all.filter { $0.name == "truth" }
    var run = VerificationRun(kernels: [kernel], properties: truth)
    run.formats = [.grayf32]
    run.sigmas = [try Sigma(3)]
    run.edgeNames = ["mirror"]
    return try run.checks()
  }

  @Test("show what the kernel made of the case that failed, one for each property")
  func strip() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "pictures-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    let paths = try FailurePictures(Self.checks(Self.wrong)).write(to: folder.path)
    #expect(
      paths.map { URL(filePath: $0).lastPathComponent } == [
        "wrong_sigma-truth-grayf32-sigma3.0x3.0-mirror-baseline.png"
      ])
    let strip = try ImageFile.read(try #require(paths.first)).image
    // Three tiles of 160×120 in two rows, 6 pixels apart: source, truth, result; below it the difference.
    // Each has a caption of 12 pixels.
    #expect(strip.layout.width == 492)
    #expect(strip.layout.height == 270)
    let source = try TestImage.deadLeaves.image(ImageLayout(.gray8, width: 160, height: 120), seed: 3)
    var expected = try Image(source.layout)
    try BlurPlan(
      Registry.kernel(named: "separable"), for: source.layout,
      BlurParameters(sigma: try Sigma(6), edge: .mirror)
    ).blur(source, into: &expected)
    let tile = try tile(of: strip, x: 332, y: 0)
    #expect(tile == (try self.tile(of: expected, x: 0, y: 0)))
    #expect(try self.tile(of: strip, x: 332, y: 138).contains { $0 > 0 })
  }

  @Test("show the source and the truth alone of what ends a process, and do not run it")
  func crash() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "pictures-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    let crashing = Kernel(name: "crashing", summary: "crashes", promise: .exact()) {
      (_) throws(BlurError) in fatalError("is run")
    }
    let subject = Subject(.gray8, sigma: try Sigma(3))
    let check = Check(crashing, try #require(Property.all.first), subject, failure: "signal 4")
    let paths = try FailurePictures([check]).write(to: folder.path, runsKernels: false)
    let strip = try ImageFile.read(try #require(paths.first)).image
    #expect(strip.layout.width == 492)
    #expect(try Set(tile(of: strip, x: 166, y: 0)).count > 10)
    #expect(try tile(of: strip, x: 332, y: 0).allSatisfy { $0 == 255 })
  }

  @Test("are none where nothing fails")
  func nothing() throws {
    let right = try FailurePictures(Self.checks(Registry.kernel(named: "separable")))
    #expect(try right.write(to: "/nowhere/at/all").isEmpty)
  }

  private func tile(of image: Image, x: Int, y: Int) throws -> [UInt8] {
    image.withView { view in
      (0..<120).flatMap { row in
        // SAFETY: the tile lies inside the gray image.
        (0..<160).map { view.row(y + row).load(fromByteOffset: x + $0, as: UInt8.self) }
      }
    }
  }
}
