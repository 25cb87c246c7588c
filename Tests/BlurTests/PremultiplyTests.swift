import Blur
import Testing

@Suite("Premultiplied alpha")
struct PremultiplyTests {
  @Test("Colours are multiplied by alpha and rounded, and alpha and padding stay")
  func known() throws {
    let layout = try ImageLayout(.rgba8, width: 1, height: 2, stride: 6)
    // 200 · 128 / 255 = 100.4, and 99 · 128 / 255 = 49.7. With alpha 0, nothing of the colour is left.
    let straight: [UInt8] = [200, 99, 255, 128, 7, 7, 50, 60, 70, 0]
    var image = try Image(layout, copying: straight.span.bytes)
    image.premultiply()
    #expect(image.bytes == [100, 50, 128, 128, 7, 7, 0, 0, 0, 0])
    image.unpremultiply()
    // 100 · 255 / 128 = 199.2. The difference from 200 is what 8 bits cannot preserve.
    #expect(image.bytes == [199, 100, 255, 128, 7, 7, 0, 0, 0, 0])
  }

  /// Returns whether `value` is the fraction `over`/`under`, rounded to the nearest whole number, with ties
  /// rounded up. The distance of `value` from the fraction is then at most one half.
  private func isNearest(_ value: Int, _ over: Int, _ under: Int) -> Bool {
    (-under..<under).contains(2 * (over - value * under))
  }

  /// Checks the four components of each pixel by the definition, in whole numbers.
  private func check<C: FixedWidthInteger & BitwiseCopyable>(
    _ pixels: [C], _ format: PixelFormat, width: Int, divides: Bool
  ) throws {
    let layout = try ImageLayout(format, width: width, height: pixels.count / 4 / width)
    var image = try Image(layout, copying: pixels.span.bytes)
    if divides { image.unpremultiply() } else { image.premultiply() }
    let found = image.bytes.withUnsafeBytes { Array($0.bindMemory(to: C.self)) }
    let full = Int(C.max)
    let wrong = pixels.indices.first { index in
      let (value, alpha) = (Int(pixels[index]), Int(pixels[index | 3]))
      if index & 3 == 3 { return found[index] != pixels[index] }
      if !divides { return !isNearest(Int(found[index]), value * alpha, full) }
      if alpha == 0 { return found[index] != 0 }
      return !isNearest(Int(found[index]), min(value, alpha) * full, alpha)
    }
    #expect(wrong == nil, "\(wrong.map { "\(pixels[$0]) with alpha \(pixels[$0 | 3]): \(found[$0])" } ?? "")")
  }

  @Test(
    "Every 8-bit colour with every alpha is rounded to the nearest value, and ties are rounded up",
    arguments: [false, true])
  func everyByte(divides: Bool) throws {
    let pixels = (0..<256 * 256).flatMap { number in
      let colour = UInt8(number & 255)
      return [colour, 255 - colour, colour ^ 0x55, UInt8(number >> 8)]
    }
    try check(pixels, .rgba8, width: 256, divides: divides)
  }

  @Test(
    "16-bit colours are rounded to the nearest value: all with some alphas, and some with all alphas",
    arguments: [false, true])
  func manyWords(divides: Bool) throws {
    let pixels = [0x00FF, 0xABCD].flatMap { (one: UInt16) in
      (0...UInt16.max).flatMap { (all: UInt16) -> [UInt16] in
        [all, 0xFFFF - all, all ^ 0x5555, one, one, one ^ 1, ~one, all]
      }
    }
    try check(pixels, .rgba16, width: 512, divides: divides)
  }

  @Test("16 bits preserve every 8-bit colour with every alpha above 0")
  func sixteenBits() throws {
    let layout = try ImageLayout(.rgba16, width: 256, height: 255)
    let straight = (1...255).flatMap { alpha in
      (0..<256).flatMap { colour in [colour, 255 - colour, 77, alpha].map { UInt16($0 * 257) } }
    }
    var image = try Image(layout, copying: straight.span.bytes)
    image.premultiply()
    image.unpremultiply()
    let back = image.bytes.withUnsafeBytes { Array($0.bindMemory(to: UInt16.self)) }
    #expect(zip(straight, back).allSatisfy { (Int($0) + 128) / 257 == (Int($1) + 128) / 257 })
  }

  @Test("Gray images are left alone, and opaque ones do not change")
  func untouched() throws {
    let gray: [UInt8] = [1, 2, 3, 4]
    var image = try Image(ImageLayout(.gray8, width: 4, height: 1), copying: gray.span.bytes)
    image.premultiply()
    #expect(image.bytes == gray)
    let opaque: [UInt8] = [9, 99, 199, 255]
    image = try Image(ImageLayout(.rgba8, width: 1, height: 1), copying: opaque.span.bytes)
    image.premultiply()
    image.unpremultiply()
    #expect(image.bytes == opaque)
  }
}
