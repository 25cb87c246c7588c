import Testing

@testable import Blur

@Suite("Straight alpha")
struct StraightAlphaTests {
  /// Converts pixels by `StraightAlpha`, either to premultiplied pixels or back. All instruction sets must
  /// give the same bits, and must write no value after the last pixel.
  private static func converted<
    From: BitwiseCopyable, To: BitwiseCopyable & ExpressibleByIntegerLiteral & Equatable
  >(
    _ pixels: [From], _ format: PixelFormat, _ order: ImageLayout.ChannelOrder = .rgba, divides: Bool
  ) throws -> [To] {
    let layout = try ImageLayout(
      format, width: pixels.count / 4, height: 1, order: order, alpha: .straight)
    let wide = try layout.forKernels(Sigma(1))
    let results = InstructionSet.available.map { set in
      var result = [To](repeating: 77, count: pixels.count + 64)
      pixels.withUnsafeBytes { source in
        result.withUnsafeMutableBytes { target in
          let alpha = StraightAlpha(layout, set)
          let source = ImageView(source.start, divides ? wide : layout)
          let target = MutableImageView(target.start, divides ? layout : wide)
          if divides {
            alpha.divide(0..<1, of: source, into: target)
          } else {
            alpha.multiply(0..<1, of: source, into: target)
          }
        }
      }
      return result
    }
    #expect(results.allSatisfy { $0 == results[0] })
    #expect(results[0].suffix(64).allSatisfy { $0 == 77 })
    return results[0].dropLast(64)
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
    // The first two colours with each alpha lie on both sides of the middle between two quotients, or on it.
    // Of all quotients, these are the hardest to round.
    let pixels = (0...0xFFFF).flatMap { (number: Int) -> [UInt16] in
      let middle = UInt16((2 * (number * 40503 / 256 % 255) + 1) * number / 510)
      let all = UInt16(number)
      return [middle, min(middle, 0xFFFE) + 1, all ^ 0x5555, all, all, 0xFFFF - all, all ^ 0x5555, 0xABCD]
    }
    let found: [UInt8] = try Self.converted(pixels, .rgba8, divides: true)
    let wrong = found.indices.first { index in
      let (value, alpha) = (Int(pixels[index]), Int(pixels[index | 3]))
      if index & 3 == 3 { return abs(2 * (value - 257 * Int(found[index]))) > 257 }
      if alpha == 0 { return found[index] != 0 }
      // The middle between two integers is rounded to the even one.
      let (quotient, rest) = (min(value, alpha) * 255).quotientAndRemainder(dividingBy: alpha)
      return Int(found[index]) != quotient + (2 * rest + quotient % 2 > alpha ? 1 : 0)
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
    let wrong = wide.indices.first { index in
      if index & 3 == 3 { return wide[index] != Float(pixels[index]) / 65535 }
      let exact = Double(pixels[index]) * Double(pixels[index | 3]) / (65535 * 65535)
      return abs(Double(wide[index]) - exact) > 0x1p-22 * exact
    }
    #expect(wrong == nil, "\(pixels[wrong ?? 0]): \(wide[wrong ?? 0])")
    let back: [UInt16] = try Self.converted(wide, .rgba16, divides: true)
    #expect(back == pixels)
  }

  @Test("A row of any width has the first pixels of a longer row", arguments: [PixelFormat.rgba8, .rgba16])
  func shortRows(format: PixelFormat) throws {
    func check<From: BitwiseCopyable, To: BitwiseCopyable & ExpressibleByIntegerLiteral & Equatable>(
      _ pixels: [From], to: To.Type, divides: Bool
    ) throws -> [To] {
      let all: [To] = try Self.converted(pixels, format, .argb, divides: divides)
      for width in 1...40 {
        let part: [To] = try Self.converted(Array(pixels.prefix(4 * width)), format, .argb, divides: divides)
        #expect(part == Array(all.prefix(4 * width)), "width \(width)")
      }
      return all
    }
    let bytes = Array(Self.everyByte[4 * 0x5500..<4 * 0x5540])
    if format == .rgba8 {
      _ = try check(check(bytes, to: UInt16.self, divides: false), to: UInt8.self, divides: true)
    } else {
      let words = bytes.map { UInt16($0) * 257 }
      _ = try check(check(words, to: Float.self, divides: false), to: UInt16.self, divides: true)
    }
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
