import Blur
import BlurVerification
import Testing

@testable import BlurReport

@Suite("Strips of pictures")
struct PictureStripTests {
  /// A kernel that returns the image unchanged, which is wrong at every edge in the image.
  private static let copy = Kernel(name: "copy", summary: "wrong", promise: .exact()) {
    (problem) throws(BlurError) in
    var problem = problem
    problem.sigma = try Sigma(0)
    return try Registry.kernel(named: "separable").plan(problem)
  }

  private static func strip(_ kernels: [Kernel]) throws -> PictureStrip {
    let source = try TestImage.deadLeaves.image(ImageLayout(.gray8, width: 160, height: 120), seed: 3)
    return PictureStrip(source, sigma: try Sigma(4), kernels: kernels)
  }

  @Test("A difference is amplified until its largest value is bright")
  func amplification() throws {
    let near = try #require(try Self.strip([Registry.kernel(named: "box-triple")]).tiles().first)
    let far = try #require(try Self.strip([Self.copy]).tiles().first)
    #expect((2...20).contains(near.difference.colourLevels) && far.difference.colourLevels > 100)
    for difference in [near.difference, far.difference] {
      let (levels, factor) = (Int(difference.colourLevels), Int(difference.amplification))
      let largest = try #require(Self.values(of: difference.picture).max())
      #expect(Int(largest) == levels * factor && largest > 127)
      #expect(difference.caption == "x\(factor), error up to \(levels) levels")
    }
  }

  @Test("If every pixel is right, the strip has blank paper with a caption instead of a difference")
  func kinds() throws {
    let right = Kernel(name: "right", summary: "right", promise: .exact()) { (problem) throws(BlurError) in
      try Registry.kernel(named: "fft").plan(problem)
    }
    let strip = try Self.strip([right, Self.copy])
    try #require(try strip.tiles()[0].difference.isNone)
    let image = try strip.drawn().image
    let below = { (column: Int) in Self.values(of: image, x: 166 * column, y: 138, width: 160, height: 120) }
    #expect(below(2).allSatisfy { $0 == StripSheet.paper })
    #expect(below(3).contains(0) && below(3).contains { $0 > 127 })
    // Each image has a caption, so there are dark pixels below it.
    let captions = [(0, 0), (1, 0), (2, 0), (3, 0), (2, 138), (3, 138)].map { column, y in
      Self.values(of: image, x: 166 * column, y: y + 121, width: 160, height: 10).count { $0 < 128 }
    }
    #expect(captions.allSatisfy { $0 > 30 }, "\(captions)")
  }

  /// The kernel loses the alpha of one pixel, but all colours are right.
  @Test("A wrong alpha is counted, and drawn in gray")
  func alpha() throws {
    let layout = try ImageLayout(.rgba8, width: 9, height: 7)
    let source = try TestImage.alphaRamp.image(layout, seed: 3)
    let wrong = Kernel(name: "wrong-alpha", summary: "wrong", promise: .exact()) { (_) throws(BlurError) in
      WrongAlpha()
    }
    let strip = PictureStrip(source, sigma: try Sigma(0), kernels: [wrong])
    let difference = try #require(strip.tiles().first).difference
    let lost = source.withView { view in
      // SAFETY: the image has 9 × 7 pixels of four bytes, so it has a pixel 4 in row 3.
      Double(view.unsafeRow(3).load(fromByteOffset: 4 * 4 + 3, as: UInt8.self))
    }
    try #require(lost > 0)
    #expect(difference.colourLevels == 0 && difference.alphaLevels == lost)
    #expect(try strip.drawn().captions == ["wrong-alpha: \(difference.caption)"])
    #expect(difference.caption.hasSuffix(", alpha error \(Int(lost)) levels"))
    let shown = difference.picture.bytes
    let bright = UInt8(lost * difference.amplification)
    for pixel in 0..<63 {
      let gray: UInt8 = pixel == 3 * 9 + 4 ? bright : 0
      #expect(Array(shown[4 * pixel..<4 * pixel + 4]) == [gray, gray, gray, 255])
    }
  }

  @Test("A difference above 255 levels, which a float image can have, is drawn white and not black")
  func beyondFullScale() throws {
    let layout = try ImageLayout(.gray8, width: 3, height: 1)
    let difference = try PictureDifference([1020, 510, 0], 1, layout)
    #expect(difference.picture.bytes == [255, 127, 0])
    #expect(difference.caption == "x0.25, error up to 1020 levels")
  }

  @Test("A strip of many kernels has several lines")
  func lines() throws {
    let image = try Self.strip(Array(repeating: Self.copy, count: 7)).drawn().image
    #expect(image.layout.width == 8 * 166 - 6 && image.layout.height == 4 * 138 - 6)
  }

  @Test("The pixels of a tiny image are enlarged until they can be told apart")
  func tiny() throws {
    let source = try TestImage.noise.image(ImageLayout(.gray8, width: 9, height: 17), seed: 3)
    let image = try PictureStrip(source, sigma: try Sigma(1), kernels: []).drawn().image
    let pixels = Self.values(of: source)
    let drawn = Self.values(of: image, width: 9 * 9, height: 9 * 17)
    #expect(drawn.indices.allSatisfy { drawn[$0] == pixels[$0 / 81 / 9 * 9 + $0 % 81 / 9] })
  }

  /// Returns the values of a part of a gray image, or by default of the whole image.
  private static func values(
    of image: Image, x: Int = 0, y: Int = 0, width: Int? = nil, height: Int? = nil
  ) -> [UInt8] {
    image.withView { view in
      (0..<(height ?? image.layout.height)).flatMap { row in
        // SAFETY: callers pass a part that lies inside the gray image, which has one byte for each pixel.
        (0..<(width ?? image.layout.width)).map {
          view.unsafeRow(y + row).load(fromByteOffset: x + $0, as: UInt8.self)
        }
      }
    }
  }
}

/// A plan that copies the image, but sets the alpha of one pixel to 0.
private final class WrongAlpha: Plan {
  let facts = PlanFacts(phases: [Phase(units: 1)])

  func run(_ phase: Int, _ units: Range<Int>, _ buffers: PhaseContext) {
    let layout = buffers.source.layout
    for y in 0..<layout.height {
      // SAFETY: both images have the same format and size, so each row has `rowBytes` bytes.
      buffers.destination.unsafeRow(y).copyMemory(
        from: buffers.source.unsafeRow(y), byteCount: layout.rowBytes)
    }
    // SAFETY: the image has 9 × 7 pixels of four bytes, so it has a pixel 4 in row 3.
    buffers.destination.unsafeRow(3).storeBytes(of: 0, toByteOffset: 4 * 4 + 3, as: UInt8.self)
  }
}
