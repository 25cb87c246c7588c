import Blur
import Testing

@testable import BlurFiles

@Suite("PNG files")
struct PNGTests {
  @Test(
    "Gray, RGB and alpha images of every depth are read, interlaced or not",
    arguments: [
      (PlainPNG.ColourType.gray, 1), (.gray, 2), (.gray, 4), (.gray, 8), (.gray, 16), (.grayAlpha, 8),
      (.grayAlpha, 16), (.rgb, 8), (.rgb, 16), (.rgba, 8), (.rgba, 16),
    ], [false, true])
  func types(kind: (type: PlainPNG.ColourType, depth: Int), interlaced: Bool) throws {
    let most = 1 << kind.depth - 1
    let sample = { (x: Int, y: Int, c: Int) in (x &* 31 &+ y &* 57 &+ c &* 101) % (most + 1) }
    let file = PlainPNG(
      width: 13, height: 9, depth: kind.depth, type: kind.type, interlaced: interlaced, sample: sample)
    let samples = try ImageFile.decode(file.bytes)
    #expect(samples.depth == (kind.depth == 16 ? .bits16 : .bits8))
    for y in 0..<9 {
      for x in 0..<13 {
        for c in 0..<samples.channels {
          let expected = Double(sample(x, y, c)) / Double(most)
          let found = samples.share((y * 13 + x) * samples.channels + c)
          #expect(abs(found - expected) < 0.5 / 65535, "(\(x), \(y)) channel \(c)")
        }
      }
    }
  }

  @Test(
    "Palette images of every depth are read, with and without transparent entries",
    arguments: [1, 2, 4, 8], [false, true])
  func palettes(depth: Int, transparent: Bool) throws {
    let count = 1 << depth
    var palette: [UInt8] = []
    for entry in 0..<count { palette += [UInt8(entry), UInt8(255 - entry), UInt8(entry * 7 % 256)] }
    let alphas = (0..<count).map { (entry: Int) -> UInt8 in entry == 0 ? 0 : UInt8(255 - entry / 2) }
    let alpha = transparent ? alphas : []
    let index = { (x: Int, y: Int, _: Int) in (x + 5 * y) % count }
    let file = PlainPNG(
      width: 7, height: 5, depth: depth, type: .palette, palette: palette, transparency: alpha, sample: index)
    let samples = try ImageFile.decode(file.bytes)
    #expect(samples.channels == (transparent ? 4 : 3))
    let expected = (0..<35).flatMap { i -> [UInt8] in
      let entry = index(i % 7, i / 7, 0)
      return Array(palette[3 * entry..<3 * entry + 3]) + (transparent ? [alpha[entry]] : [])
    }
    #expect(samples.bytes == expected)
  }

  @Test("The colour that a file declares transparent gets alpha 0, and other colours stay opaque")
  func colourKey() throws {
    let file = PlainPNG(width: 4, height: 1, depth: 8, type: .gray, transparency: [0, 2]) { x, _, _ in x }
    let samples = try ImageFile.decode(file.bytes)
    #expect(samples.bytes == [0, 255, 1, 255, 2, 0, 3, 255])
  }

  @Test("Every 8-bit colour and alpha survives reading and writing, except where alpha is 0")
  func everyAlpha() throws {
    let file = PlainPNG(width: 256, height: 256, depth: 8, type: .rgba) { x, y, c in
      [x, 255 - x, (x * 7 + 3) & 255, y][c]
    }
    let before = try ImageFile.decode(file.bytes)
    let picture = try Picture(before)
    #expect(picture.image.layout.format == .rgba16)
    let after = try ImageFile.decode(ImageFile.encode(picture, ending: "png"))
    for pixel in 0..<65536 where before.bytes[4 * pixel + 3] > 0 {
      let range = 4 * pixel..<4 * pixel + 4
      #expect(after.bytes[range] == before.bytes[range])
    }
    #expect((0..<256).allSatisfy { after.bytes[4 * $0 + 3] == 0 })
  }

  @Test(
    "Opaque images keep 8 bits in memory and survive writing and reading unchanged", arguments: [1, 2, 3, 4])
  func opaque(channels: Int) throws {
    var samples = Samples(width: 16, height: 16, channels: channels, depth: .bits8)
    for i in samples.bytes.indices {
      samples.bytes[i] = samples.hasAlpha && i % channels == channels - 1 ? 255 : UInt8(i & 255)
    }
    let picture = try Picture(samples)
    #expect(picture.image.layout.format == [.gray8, .rgba8, .rgb8, .rgba8][channels - 1])
    #expect(try ImageFile.decode(ImageFile.encode(picture, ending: "png")) == samples)
  }

  @Test("16-bit images survive reading and writing unchanged, also with alpha")
  func deep() throws {
    let file = PlainPNG(width: 64, height: 64, depth: 16, type: .rgba) { x, y, c in
      c == 3 ? 1 + (x * 1021 + y) % 65535 : (x * 997 + y * 4099 + c * 31) % 65536
    }
    let before = try ImageFile.decode(file.bytes)
    #expect(try ImageFile.decode(ImageFile.encode(Picture(before), ending: "png")) == before)
  }

  @Test("A picture gets an alpha channel when its new image has a transparent pixel")
  func newAlpha() throws {
    let pixels = [UInt8](repeating: 255, count: 4 * 20 * 20)
    let opaque = try Image(ImageLayout(.rgba8, width: 20, height: 20), copying: pixels.span.bytes)
    var picture = Picture(opaque)
    #expect(picture.channels == 3)
    picture.image = try opaque.blurred(sigma: 1)
    #expect(picture.channels == 3)
    picture.image = try opaque.blurred(sigma: 4, edge: .transparent)
    #expect(picture.channels == 4 && picture.shape.hasAlpha)
  }

  @Test("An image of any order and alpha is written as the straight RGBA samples that it shows")
  func layouts() throws {
    let shown: [UInt8] = [240, 128, 16, 2, 10, 20, 30, 255, 1, 2, 3, 77]
    let orders: [(ImageLayout.ChannelOrder, [Int])] = [
      (.rgba, [0, 1, 2, 3]), (.bgra, [2, 1, 0, 3]), (.argb, [3, 0, 1, 2]), (.abgr, [3, 2, 1, 0]),
    ]
    for (order, stored) in orders {
      let bytes = (0..<12).map { shown[$0 / 4 * 4 + stored[$0 % 4]] }
      let straight = try ImageLayout(.rgba8, width: 3, height: 1, order: order, alpha: .straight)
      var picture = Picture(try Image(straight, copying: bytes.span.bytes))
      #expect(try ImageFile.decode(ImageFile.encode(picture, ending: "png")).bytes == shown)
      picture = try picture.linearLight()
      #expect(try ImageFile.decode(ImageFile.encode(picture, ending: "png")).bytes == shown)

      let opaque = try ImageLayout(.rgba8, width: 3, height: 1, order: order, alpha: .opaque)
      let samples = try ImageFile.decode(
        ImageFile.encode(Picture(Image(opaque, copying: bytes.span.bytes)), ending: "ppm"))
      #expect(samples.channels == 3 && samples.bytes == [240, 128, 16, 10, 20, 30, 1, 2, 3])
    }
    let bgr = try ImageLayout(.rgb8, width: 1, height: 1, order: .bgra)
    let pixel: [UInt8] = [7, 8, 9]
    let samples = try ImageFile.decode(
      ImageFile.encode(Picture(Image(bgr, copying: pixel.span.bytes)), ending: "png"))
    #expect(samples.bytes == [9, 8, 7])
  }

  /// Premultiplication exists for this case: red next to transparent pixels stays red, although the hidden
  /// colour of those pixels is black.
  @Test("Blurring leaves no dark halo at transparent edges")
  func halo() throws {
    let file = PlainPNG(width: 40, height: 8, depth: 8, type: .rgba) { x, _, c in
      x < 20 ? [200, 40, 10, 255][c] : 0
    }
    var picture = try Picture(ImageFile.decode(file.bytes))
    let plan = try BlurPlan(
      Registry.kernel(named: "simd"), for: picture.image.layout, BlurParameters(sigma: Sigma(3)))
    var result = try Image(picture.image.layout)
    try plan.blur(picture.image, into: &result)
    picture.image = result
    let samples = try ImageFile.decode(ImageFile.encode(picture, ending: "png"))
    let row = (0..<40).map { Array(samples.bytes[4 * $0..<4 * $0 + 4]) }
    #expect(Set(row.map { $0[3] }).count > 8, "alpha is blurred")
    for pixel in row where pixel[3] > 2 {
      #expect(abs(Int(pixel[0]) - 200) <= 2 && abs(Int(pixel[1]) - 40) <= 2 && abs(Int(pixel[2]) - 10) <= 2)
    }
  }
}
