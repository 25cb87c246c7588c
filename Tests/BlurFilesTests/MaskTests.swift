import Blur
import Foundation
import TestSupport
import Testing

@testable import BlurFiles

@Suite("Masks from files")
struct MaskTests {
  private func mask(_ png: PlainPNG) throws -> [UInt8] {
    try Scratch.path(".png") { path in
      try Data(png.bytes).write(to: path)
      return try ImageFile.readMask(path.path).image.bytes
    }
  }

  @Test("A palette of grays, 1 to 16 bits and any channels are read as a gray mask of 8 bits")
  func grays() throws {
    let palette: [UInt8] = [255, 255, 255, 0, 0, 0, 77, 77, 77]
    let order = PlainPNG(width: 3, height: 1, depth: 8, type: .palette, palette: palette) { x, _, _ in
      [2, 0, 1][x]
    }
    #expect(try mask(order) == [77, 255, 0])
    let wide = PlainPNG(width: 3, height: 1, depth: 16, type: .gray) { x, _, _ in
      [0, 257 * 100 + 128, 65535][x]
    }
    #expect(try mask(wide) == [0, 100, 255], "25828 of 65535 is 100.498 of 255")
    #expect(try mask(PlainPNG(width: 2, height: 1, depth: 1, type: .gray) { x, _, _ in x }) == [0, 255])
    let colours = PlainPNG(width: 2, height: 1, depth: 8, type: .rgba) { x, _, c in c == 3 ? 255 : 40 * x }
    #expect(try mask(colours) == [0, 40])
    let both = PlainPNG(width: 2, height: 1, depth: 16, type: .grayAlpha) { x, _, c in
      c == 1 ? 65535 : 257 * x
    }
    #expect(try mask(both) == [0, 1])
    let linear = PlainPNG(
      width: 2, height: 1, depth: 8, type: .gray, before: [("gAMA", [0, 1, 134, 160])]
    ) { x, _, _ in 90 * x }
    #expect(try mask(linear) == [0, 90], "the stored values count")
  }

  @Test("Colours and transparent pixels in a mask are errors that say so")
  func refused() throws {
    let colour = PlainPNG(
      width: 2, height: 1, depth: 8, type: .palette, palette: [1, 2, 3, 4, 4, 4]
    ) { x, _, _ in x }
    var clear = PlainPNG(width: 2, height: 1, depth: 8, type: .palette, palette: [1, 1, 1, 4, 4, 4]) {
      x, _, _ in x
    }
    clear.transparency = [255, 9]
    for (png, words) in [(colour, "has colours"), (clear, "has transparent pixels")] {
      let error = #expect(throws: ImageFileError.self) { try mask(png) }
      #expect(error?.description.contains(words) == true, "\(error as Any)")
    }
  }

  @Test("Floats outside 0…1 and NaN are clamped, and a warning counts the pixels", arguments: [1, 3])
  func clamped(channels: Int) throws {
    let values: [Float] = [1.5, -2, .nan, 0.5, 1.000_000_1, .infinity]
    let bytes = values.flatMap { value in
      Array(repeating: withUnsafeBytes(of: value.bitPattern.littleEndian) { Array($0) }, count: channels)
    }.joined()
    try Scratch.path(".pfm") { path in
      try (Data("P\(channels == 1 ? "f" : "F") 6 1 -1\n".utf8) + Data(bytes)).write(to: path)
      let mask = try ImageFile.readMask(path.path)
      #expect(mask.image.bytes == [255, 0, 0, 128, 255, 255])
      let warning = "2 pixels are above 1 (now 1), 1 are below 0 (now 0), and 1 are not a number (now 0)"
      #expect(mask.metadata.warnings.count == 1 && mask.metadata.warnings[0].hasSuffix(warning))
    }
  }

  @Test("A mask keeps the warnings about its file")
  func warnings() throws {
    try Scratch.path(".pgm") { path in
      try (Data("P5 1 1 65535\n".utf8) + Data([255, 255, 7])).write(to: path)
      let mask = try ImageFile.readMask(path.path)
      #expect(mask.image.bytes == [255] && mask.metadata.warnings.count == 1, "\(mask.metadata.warnings)")
    }
  }

  @Test("An opaque picture loses its alpha in a PPM file, but not in a PFM file, which can hold it")
  func alpha() throws {
    let samples = Samples(
      width: 2, height: 1, channels: 4, depth: .bits8, bytes: [9, 8, 7, 255, 6, 5, 4, 255])
    let picture = try Picture(samples)
    #expect(try ImageFile.decode(ImageFile.encode(picture, ending: "ppm")).bytes == [9, 8, 7, 6, 5, 4])
    #expect(try ImageFile.decode(ImageFile.encode(picture, ending: "pfm")).channels == 4)
    let gray = try Picture(Samples(width: 1, height: 1, channels: 2, depth: .bits8, bytes: [9, 255]))
    #expect(try ImageFile.decode(ImageFile.encode(gray, ending: "pnm")).bytes == [9])
    #expect(try ImageFile.decode(ImageFile.encode(gray, ending: "pfm")).channels == 4)
  }

  @Test("A picture that is opaque but for rounding errors counts as opaque")
  func opaque() throws {
    var picture = Picture(try Image(.rgbaf32, width: 1, height: 1))
    #expect(!picture.isOpaque)
    for (alpha, isOpaque) in [(Float(1), true), (0.999_999, true), (0.999_9, false), (0, false)] {
      picture.image.withMutableView { view in
        // SAFETY: the row holds four floats, of which the last one is alpha.
        view.unsafeRow(0).storeBytes(of: alpha, toByteOffset: 12, as: Float.self)
      }
      #expect(picture.isOpaque == isOpaque, "\(alpha)")
    }
  }
}
