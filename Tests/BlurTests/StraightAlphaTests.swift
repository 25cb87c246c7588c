import Testing

@testable import Blur

@Suite("Straight alpha")
struct StraightAlphaTests {
  /// Converts pixels by `StraightAlpha`, either to premultiplied pixels or back.
  private static func converted<From: BitwiseCopyable, To: BitwiseCopyable & ExpressibleByIntegerLiteral>(
    _ pixels: [From], _ format: PixelFormat, _ order: ImageLayout.ChannelOrder = .rgba, divides: Bool
  ) throws -> [To] {
    let count = pixels.count / 4
    let layout = try ImageLayout(format, width: count, height: 1, order: order, alpha: .straight)
    var result = [To](repeating: 0, count: pixels.count)
    pixels.withUnsafeBytes { source in
      result.withUnsafeMutableBytes { target in
        let (from, to) = (source.start, target.start)
        if divides {
          StraightAlpha.divide(from, into: to, layout, count: count)
        } else {
          StraightAlpha.premultiply(from, into: to, layout, count: count)
        }
      }
    }
    return result
  }

  /// Every 8-bit colour with every alpha, as pixels of four components.
  private static let everyByte = (0..<256 * 256).flatMap { number in
    let colour = UInt8(number & 255)
    return [colour, 255 - colour, colour ^ 0x55, UInt8(number >> 8)]
  }

  @Test("Products of all 8-bit colours and alphas are the nearest 16-bit values")
  func everyProduct() throws {
    let found: [UInt16] = try Self.converted(Self.everyByte, .rgba8, divides: false)
    let wrong = found.indices.first { index in
      let (colour, alpha) = (Int(Self.everyByte[index]), Int(Self.everyByte[index | 3]))
      if index & 3 == 3 { return Int(found[index]) != alpha * 257 }
      // The exact product is colour · alpha · 257 / 255. The distance from it must be below one half.
      return abs(2 * (colour * alpha * 257 - Int(found[index]) * 255)) >= 255
    }
    #expect(wrong == nil, "\(Self.everyByte[wrong ?? 0]): \(found[wrong ?? 0])")
  }

  @Test("Quotients are the nearest 8-bit values, colours above alpha become full scale, and alpha is rounded")
  func quotients() throws {
    let pixels = [0x0000, 0x0101, 0x00FF, 0xABCD].flatMap { (one: UInt16) in
      (0...UInt16.max).flatMap { (all: UInt16) -> [UInt16] in
        [all, 0xFFFF - all, all ^ 0x5555, one, one, one ^ 1, one / 3, all]
      }
    }
    let found: [UInt8] = try Self.converted(pixels, .rgba8, divides: true)
    let wrong = found.indices.first { index in
      let (value, alpha) = (Int(pixels[index]), Int(pixels[index | 3]))
      if index & 3 == 3 { return abs(2 * (value - 257 * Int(found[index]))) > 257 }
      if alpha == 0 { return found[index] != 0 }
      return abs(2 * (min(value, alpha) * 255 - Int(found[index]) * alpha)) > alpha
    }
    #expect(wrong == nil, "\(wrong.map { "\(pixels[$0]) with alpha \(pixels[$0 | 3]): \(found[$0])" } ?? "")")
  }

  @Test(
    "Multiplying and dividing keeps every 8-bit colour with every alpha above 0, in every order of channels",
    arguments: ImageLayout.ChannelOrder.allCases)
  func bytesThereAndBack(order: ImageLayout.ChannelOrder) throws {
    let wide: [UInt16] = try Self.converted(Self.everyByte, .rgba8, order, divides: false)
    let back: [UInt8] = try Self.converted(wide, .rgba8, order, divides: true)
    let alpha = order == .rgba || order == .bgra ? 3 : 0
    let wrong = back.indices.first { index in
      let isTransparent = Self.everyByte[index & ~3 | alpha] == 0
      return back[index] != (isTransparent ? 0 : Self.everyByte[index])
    }
    #expect(wrong == nil, "pixel \((wrong ?? 0) / 4)")
  }

  @Test("Multiplying and dividing keeps 16-bit colours with every alpha above 0")
  func wordsThereAndBack() throws {
    let pixels = (1...UInt16.max).flatMap { (alpha: UInt16) -> [UInt16] in
      [alpha ^ 0x5555, 0xFFFF - alpha, 0xFFFF, alpha]
    }
    let wide: [Float] = try Self.converted(pixels, .rgba16, divides: false)
    let back: [UInt16] = try Self.converted(wide, .rgba16, divides: true)
    #expect(back == pixels)
  }

  @Test("Floats under an alpha of 0 become 0 in both directions, and other floats have no limit")
  func floats() throws {
    let pixels: [Float] = [.nan, .infinity, 3, 0, 0.5, 8, -2, 0.25]
    let wide: [Float] = try Self.converted(pixels, .rgbaf32, divides: false)
    #expect(wide == [0, 0, 0, 0, 0.125, 2, -0.5, 0.25])
    let back: [Float] = try Self.converted(wide, .rgbaf32, divides: true)
    #expect(back == [0, 0, 0, 0, 0.5, 8, -2, 0.25])
    let below: [Float] = try Self.converted([Float](arrayLiteral: 1, 1, 1, -0.001), .rgbaf32, divides: true)
    #expect(below == [0, 0, 0, -0.001])
  }
}
