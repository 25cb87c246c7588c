import Blur
import BlurFiles
import Foundation
import TestSupport
import Testing

@testable import BlurScenes

/// Tests that compare frames with the images in Tests/Goldens/scenes, which were made with the kernel
/// `separable` in double precision.
@Suite("Golden images of scenes")
struct SceneGoldenTests {
  private static let folder = Program.package.appending(path: "Tests/Goldens/scenes")
  private static let kept: [String: [Int]] = [
    "modal-over-split-view": [0, 15, 45, 66, 75, 120], "custom-transition": [0, 8, 15, 30, 45],
    "live-status-bar": [0, 75, 100, 190, 270, 330], "static-against-live": [8, 50, 75, 98, 150, 230],
    "reveal": [0, 6, 12, 36, 70, 83, 157], "many-cards": [20, 80], "rounded-card": [10, 50],
    "glass": [0, 40],
    "acrylic": [6, 60], "progressive-bar": [10, 70],
  ]
  static let all = kept.keys.sorted().flatMap { scene in kept[scene]!.map { Golden(scene: scene, frame: $0) }
  }

  struct Golden: CustomTestStringConvertible {
    let scene: String
    let frame: Int

    var file: String { "\(scene)-\(frame).png" }
    var testDescription: String { file }

    func shown(by kernel: Kernel?, seed: UInt64 = 1) throws -> Image {
      try ScenePlayer(#require(Scene.named(scene)), kernel: kernel, seed: seed).shown(frame)
    }

    func stored() throws -> Image {
      // Opaque images are stored without alpha.
      let kept = try ImageFile.read(SceneGoldenTests.folder.appending(path: file).path).image
      let (width, height) = (kept.layout.width, kept.layout.height)
      let bytes = kept.bytes
      let pixels = stride(from: 0, to: bytes.count, by: 3).flatMap { bytes[$0..<$0 + 3] + [255] }
      return try Image(ImageLayout(.rgba8, width: width, height: height), copying: pixels.span.bytes)
    }
  }

  /// Writes the golden images again if an environment variable asks for it, but never if CI is set.
  @Test(
    "Regenerating the golden images, only on request",
    .enabled(if: ProcessInfo.processInfo.environment["BLURBENCH_REGENERATE_SCENES"] != nil),
    .disabled(if: ProcessInfo.processInfo.environment["CI"] != nil), arguments: all)
  func regenerate(_ golden: Golden) throws {
    let image = try golden.shown(by: Registry.kernel(named: "separable"))
    try FileManager.default.createDirectory(at: Self.folder, withIntermediateDirectories: true)
    try ImageFile.write(BlurFiles.Picture(image), to: Self.folder.appending(path: golden.file).path)
  }

  /// Kernels may differ by one level before colours are saturated. A saturation of 1.8 multiplies errors of
  /// the channels by up to 2.5, and two roundings follow.
  @Test(
    "Frames match the golden images", arguments: all,
    Tiers.isAll ? ["separable", "simd", "pyramid", "dct", "fft"] : ["separable", "pyramid"])
  func frames(_ golden: Golden, kernel: String) throws {
    let found = try golden.shown(by: Registry.kernel(named: kernel))
    let difference = try found.largestDifference(from: golden.stored())
    #expect(difference <= (kernel == "separable" ? 1 : 4), "\(golden.file): \(difference) levels")
  }

  @Test("Frames with another seed differ from the golden images", arguments: all)
  func others(_ golden: Golden) throws {
    #expect(try golden.shown(by: nil, seed: 2).largestDifference(from: golden.stored()) > 20)
  }

  @Test("The folder contains the golden images, their description and nothing else")
  func folder() throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
    #expect(Set(files) == Set(Self.all.map(\.file) + ["README.md"]))
  }
}
