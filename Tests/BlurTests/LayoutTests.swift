import Blur
import Testing

@Suite("Layouts and edges")
struct LayoutTests {
  @Test("A layout that no image can have is rejected", arguments: [(0, 1), (1, 0), (-3, 4), (1 << 25, 1)])
  func impossibleSizes(width: Int, height: Int) {
    #expect(throws: BlurError.self) { try ImageLayout(.gray8, width: width, height: height) }
  }

  @Test("A stride that is shorter than a row, or that overflows, is rejected")
  func impossibleStrides() {
    #expect(throws: BlurError.self) { try ImageLayout(.rgba16, width: 10, height: 2, stride: 79) }
    #expect(throws: BlurError.self) { try ImageLayout(.gray8, width: 10, height: 3, stride: .max / 2) }
  }

  @Test(
    "A format is identified by its channels and component type, and by its number in C",
    arguments: PixelFormat.allCases
  )
  func formats(format: PixelFormat) {
    #expect(PixelFormat(channels: format.channels, format.component) == format)
    #expect(PixelFormat.allCases[format.code] == format)
    #expect(PixelFormat(channels: 2, format.component) == nil)
    for component in [PixelFormat.Component.uint8, .uint16, .float32] {
      let other = format.with(component)
      #expect(other.channels == format.channels && other.component == component)
    }
  }

  @Test("The last row needs no padding")
  func byteCount() throws {
    let layout = try ImageLayout(.rgba8, width: 3, height: 4, stride: 17)
    #expect(layout.rowBytes == 12)
    #expect(layout.byteCount == 3 * 17 + 12)
  }

  @Test("An image copies the first bytes of its source, including padding, and returns them")
  func bytes() throws {
    let layout = try ImageLayout(.rgb8, width: 3, height: 4, stride: 13)
    let given = (0..<100).map { UInt8($0) }
    let image = try Image(layout, copying: given.span.bytes)
    #expect(image.bytes == Array(given.prefix(3 * 13 + 9)))
    #expect(throws: BlurError.bufferTooSmall(of: "source", needed: 48, found: 47)) {
      try Image(layout, copying: Array(given.prefix(47)).span.bytes)
    }
  }

  @Test("A blurred image has the layout of its source, with one sigma and with a mask")
  func stride() throws {
    let image = try Image(ImageLayout(.rgba8, width: 9, height: 5, stride: 50))
    let mask = try Image(.gray8, width: 9, height: 5)
    #expect(try image.blurred(sigma: 2).layout == image.layout)
    #expect(try image.blurred(sigma: 2, mask: mask).layout == image.layout)
  }

  /// The diagrams of the edge modes in the documentation, continued by hand: the pixels at positions −7 to 10
  /// of the line `abcd`.
  @Test(
    "Edge modes give the right pixel at any distance",
    arguments: [
      (EdgeMode.clamp, "aaaaaaa|abcd|ddddddd"),
      (EdgeMode.mirror, "babcdcb|abcd|cbabcdc"),
      (EdgeMode.reflect, "bcddcba|abcd|dcbaabc"),
      (EdgeMode.wrap, "bcdabcd|abcd|abcdabc"),
      (EdgeMode.transparent, "kkkkkkk|abcd|kkkkkkk"),
    ])
  func edges(mode: EdgeMode, picture: String) {
    let letters = Array("abcd")
    let drawn = (-7...10).map { mode.index(of: $0, count: 4).map { String(letters[$0]) } ?? "k" }.joined()
    #expect(drawn == picture.replacing("|", with: ""))
  }

  @Test("The only pixel of a line is repeated everywhere, in every mode but the constant one")
  func singlePixel() {
    for mode in EdgeMode.allCases where mode != .transparent {
      #expect((-9...9).allSatisfy { mode.index(of: $0, count: 1) == 0 })
    }
  }
}
