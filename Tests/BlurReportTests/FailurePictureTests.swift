import Blur
import BlurFiles
import BlurVerification
import Foundation
import TestSupport
import Testing

@testable import BlurReport

@Suite("Pictures of failures")
struct FailurePictureTests {
  /// Makes a kernel that blurs like `separable` with twice the sigma, except for problems that `isRight`
  /// accepts.
  private static func wrong(_ isRight: @escaping @Sendable (BlurProblem) -> Bool = { _ in false }) -> Kernel {
    Kernel(name: "wrong/sigma", summary: "wrong", promise: .exact()) { (problem) throws(BlurError) in
      var problem = problem
      if !isRight(problem) { problem.sigma = try Sigma(x: 2 * problem.sigma.x, y: 2 * problem.sigma.y) }
      return try Registry.kernel(named: "separable").plan(problem)
    }
  }

  private static func failure(
    of kernel: Kernel, _ property: String, _ format: PixelFormat, sigma: Double = 3, size: (Int, Int)? = nil,
    image: TestImage = .noise
  ) throws -> Check {
    var run = VerificationRun(kernels: [kernel], properties: Property.all.filter { $0.name == property })
    (run.formats, run.sigmas, run.edgeNames) = ([format], [try Sigma(sigma)], ["clamp"])
    run.images = size.map { [SampleImage(kind: image, width: $0.0, height: $0.1)] }
    let checks = try run.checks(kernel, run.properties[0])
    return try #require(checks.first { if case .failed = $0.outcome { true } else { false } })
  }

  @Test("The picture shows the failing image, the right result and the kernel's result")
  func strip() throws {
    let check = try Self.failure(of: Self.wrong(), "shapes", .gray8, size: (40, 30))
    let layout = try ImageLayout(.gray8, width: 40, height: 30)
    let source = try TestImage.noise.image(layout, seed: 3)
    let images = try #require(check.images)
    #expect(images.source == Self.values(source))
    let truth = Truth.of(source, sigma: try Sigma(3), edge: .clamp).values
    #expect(images.expected == truth.map { $0.rounded() })
    #expect(images.result == Self.values(try Self.blurred(source, sigma: 6)))
    let folder = Scratch.unused()
    defer { try? FileManager.default.removeItem(at: folder) }
    let picture = try #require(FailurePicture(check))
    let path = try picture.write(to: folder.path)
    #expect(
      URL(filePath: path).lastPathComponent
        == "wrong_sigma-shapes-gray8-sigma3.0x3.0-clamp-baseline-threads1-40x30-noise.png")
    #expect(picture.note == "the whole 40x30 image")
    let strip = try ImageFile.read(path).image
    // The picture shows three columns of images, each up to 156 pixels wide, with a gap of 6 pixels between
    // the columns. The small images are enlarged three times, and each has a caption of 12 pixels.
    #expect(strip.layout.width == 3 * 162 - 6 && strip.layout.height == 2 * (90 + 18) - 6)
    for (column, values) in [images.source, images.expected, images.result].enumerated() {
      #expect(Self.tile(of: strip, x: 162 * column, y: 0, layout) == values)
    }
    let errors = zip(try #require(images.result), try #require(images.expected)).map { abs($0 - $1) }
    let factor = (255 / (try #require(errors.max()))).rounded(.down)
    #expect(Self.tile(of: strip, x: 324, y: 108, layout) == errors.map { $0 * factor })
  }

  @Test("If a property makes its own image, the picture shows that image")
  func ownImage() throws {
    // The kernel is right only for images that are not 37 pixels wide. The picture must therefore show the
    // property's own image, which has this width.
    let check = try Self.failure(of: Self.wrong { $0.layout.width != 37 }, "symmetries", .rgba16)
    let images = try #require(check.images)
    #expect((images.width, images.height) == (37, 29) && images.format == .rgba16)
    #expect(images.errors?.contains { $0 > 0 } == true)
    let note = try #require(FailurePicture(check)).note
    #expect(note == "the whole 37x29 image, black is 0, white is 65535")
    // Two plug-ins may have kernels with the same name. The pictures of their failures must then have
    // different file names.
    let folder = Scratch.unused()
    defer { try? FileManager.default.removeItem(at: folder) }
    let paths = try ["a.so", "b.so"].map {
      try #require(FailurePicture.written(check, to: folder.path, origin: $0).path)
    }
    #expect(Set(paths).count == 2)
  }

  @Test("Of an image that is too large, the picture shows the pixels around the worst one")
  func crop() throws {
    let check = try Self.failure(
      of: Self.wrong { $0.layout.width < 3000 }, "large", .gray8, sigma: 2, size: (4001, 5))
    let images = try #require(check.images)
    #expect((images.width, images.height) == (4001, 5) && images.region.width == 160)
    let source = try TestImage.noise.image(ImageLayout(.gray8, width: 4001, height: 5), seed: 3)
    let all = Self.values(source)
    let part = (0..<5).flatMap { y in all[4001 * y + images.region.x..<4001 * y + images.region.x + 160] }
    #expect(images.source == part)
    #expect(images.errors?.max() == images.errors.flatMap { _ in Self.deviation(check) })
    #expect(
      try #require(FailurePicture(check)).note
        == "the 160x5 pixels at x \(images.region.x), y 0 of a 4001x5 image")
  }

  @Test("NaN pixels are marked, and the note says so")
  func notANumber() throws {
    // A kernel that blurs with three times the requested sigma. A NaN pixel therefore also affects pixels
    // that are farther away than a correct window reaches, which the property `nan-local` must detect.
    let wide = Kernel(name: "wide", summary: "wrong", promise: .exact()) { (problem) throws(BlurError) in
      var problem = problem
      problem.sigma = try Sigma(x: 3 * problem.sigma.x, y: 3 * problem.sigma.y)
      return try Registry.kernel(named: "separable").plan(problem)
    }
    let check = try Self.failure(of: wide, "nan-local", .grayf32, sigma: 1)
    let picture = try #require(FailurePicture(check))
    #expect(picture.note.hasSuffix("NaN and infinity in magenta"))
    let strip = try picture.drawn()
    #expect(strip.withView { view in Self.pixels(view).contains([255, 0, 255]) })
  }

  @Test("If a kernel crashes, the picture shows at most the source, and the kernel does not run again")
  func crash() throws {
    let crashing = Kernel(name: "crashing", summary: "crashes", promise: .exact()) {
      (_) throws(BlurError) in fatalError("is run")
    }
    var subject = Subject(.gray8, sigma: try Sigma(3))
    let property = try #require(Property.all.first)
    let unknown = Check(crashing, property, subject, failure: "signal 4")
    let none = try FailurePicture.written(unknown, to: "/nowhere", origin: "")
    #expect(none.path == nil && none.note == "no wrong pixel is known")
    subject.image = SampleImage(kind: .noise, width: 20, height: 10)
    let picture = try #require(FailurePicture(Check(crashing, property, subject, failure: "signal 4")))
    #expect(picture.note == "the whole 20x10 image, without a result")
    let layout = try ImageLayout(.gray8, width: 20, height: 10)
    let source = Self.values(try TestImage.noise.image(layout, seed: 3))
    #expect(Self.tile(of: try picture.drawn(), x: 0, y: 0, layout) == source)
  }

  @Test("If the property chooses the number of threads, file name and command do not contain it")
  func chosenThreads() throws {
    var subject = Subject(.gray8, sigma: try Sigma(3))
    subject.image = SampleImage(kind: .noise, width: 20, height: 10)
    let property = try #require(Property.all.first { $0.name == "threads" })
    let check = Check(Self.wrong(), property, subject, failure: "7 threads and 1")
    let folder = Scratch.unused()
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = try #require(FailurePicture(check)).write(to: folder.path)
    let name = URL(filePath: path).lastPathComponent
    #expect(name == "wrong_sigma-threads-gray8-sigma3.0x3.0-clamp-baseline-20x10-noise.png")
    var row = VerificationSummary([check])
    #expect(row.command?.contains("--threads") == false)
    row.dependsOnOthers("blurbench verify --property threads --threads 1,all --seconds 3.0")
    #expect(row.command == "blurbench verify --property threads --seconds 3.0")
  }

  private static func deviation(_ check: Check) -> Double? {
    if case .failed(let finding) = check.outcome { finding.deviation?.maxLevels } else { nil }
  }

  private static func blurred(_ source: Image, sigma: Double) throws -> Image {
    var result = try Image(source.layout)
    let parameters = BlurParameters(sigma: try Sigma(sigma), edge: .clamp)
    try BlurPlan(Registry.kernel(named: "separable"), for: source.layout, parameters)
      .blur(source, into: &result)
    return result
  }

  /// Returns the values of a gray image.
  private static func values(_ image: Image) -> [Double] { image.bytes.map { Double($0) } }

  private static func pixels(_ view: ImageView) -> Set<[UInt8]> {
    Set(
      (0..<view.layout.height).flatMap { y in
        // SAFETY: the strip has three bytes for each pixel, and `x` is less than its width.
        (0..<view.layout.width).map { x in
          (0..<3).map { view.unsafeRow(y).load(fromByteOffset: 3 * x + $0, as: UInt8.self) }
        }
      })
  }

  /// Returns the pixel values of one small image in the picture. The image has its top-left corner at (x, y)
  /// and was enlarged to at most 156 pixels. Returns nil if one of its pixels is not gray.
  private static func tile(of strip: Image, x: Int, y: Int, _ layout: ImageLayout) -> [Double]? {
    let zoom = 156 / max(layout.width, layout.height)
    let pixels = strip.withView { view in
      (0..<layout.height).flatMap { row in
        (0..<layout.width).map { column in
          // SAFETY: callers pass a place whose enlarged image lies inside the strip, which has three bytes
          // for each pixel.
          (0..<3).map {
            view.unsafeRow(y + zoom * row).load(fromByteOffset: 3 * (x + zoom * column) + $0, as: UInt8.self)
          }
        }
      }
    }
    return pixels.allSatisfy { Set($0).count == 1 } ? pixels.map { Double($0[0]) } : nil
  }
}
