import Blur
import BlurVerification
import CSceneColours
import Testing

@testable import BlurScenes

@Suite("Effects that are rounded once")
struct EffectPrecisionTests {
  private static func light(_ precision: BackdropEffect.Precision) -> BackdropEffect {
    var effect = BackdropEffect.light
    effect.precision = precision
    return effect
  }

  /// The screen under an effect, blurred to 10⁻⁵.
  private func applied(
    _ effect: BackdropEffect, to screen: Image, region: Region? = nil, opacity: Double = 1, mask: Image? = nil
  ) throws -> Image {
    let plan = try EffectPlan(
      effect, for: screen.layout, scale: 0.1, region: region, kernel: Registry.kernel(named: "simd-fine"))
    var result = try Image(.rgba8, width: plan.region.width, height: plan.region.height)
    try screen.withView { (screen) throws(BlurError) in
      try result.withMutableView { (result) throws(BlurError) in
        if let mask {
          try mask.withView { (mask) throws(BlurError) in
            try plan.apply(to: screen, into: result, opacity: opacity, mask: mask)
          }
        } else {
          try plan.apply(to: screen, into: result, opacity: opacity)
        }
      }
    }
    return result
  }

  /// The light effect in real numbers, of the exact blur.
  private func definition(_ screen: Image) throws -> [Double] {
    let blurred = Truth.of(screen, sigma: try Sigma(3), edge: .clamp).values
    let matrix = BackdropEffect.Matrix.imageEffects.saturating(1.8)
    let columns = [matrix.red, matrix.green, matrix.blue].map { [$0.0, $0.1, $0.2] }
    let tint = (0.3 * 255).rounded()
    return stride(from: 0, to: blurred.count, by: 4).flatMap { i in
      let alpha = blurred[i + 3]
      let colours = (0..<3).map { c in
        let sum = (0..<3).reduce(0.0) { $0 + blurred[i + $1] * Double(columns[$1][c]) } / 256
        return max(0, min(alpha, sum))
      }
      return (colours + [alpha]).map { ($0 * (255 - tint) + 255 * tint) / 255 }
    }
  }

  @Test("The result is the definition's in real numbers, rounded once", arguments: [false, true])
  func rounding(isOpaque: Bool) throws {
    let screen = try ByteImage.noise(53, 41, isOpaque: isOpaque).image(stride: 256)
    let expected = try definition(screen)
    for (precision, most) in [(BackdropEffect.Precision.fine, 0.53), (.dithered, 1.03)] {
      let found = try applied(Self.light(precision), to: screen).bytes
      let error = zip(found, expected).map { abs(Double($0) - $1) }.max() ?? 0
      #expect(error <= most, "\(precision): \(error) levels")
    }
    let rounded = try applied(Self.light(.bytes), to: screen).bytes
    #expect(zip(rounded, expected).contains { abs(Double($0) - $1) > 1 }, "rounded before, it is further off")
  }

  @Test("A colour that rises slowly never falls, as it does where the blur is rounded first")
  func reversals() throws {
    var screen = try Image(.rgba8, width: 512, height: 9)
    screen.withMutableView { view in
      for y in 0..<9 {
        for x in 0..<512 {
          let pixel = UInt32(60 + x / 8) | UInt32(80 + x / 5) << 8 | UInt32(120 + x / 12) << 16 | 0xFF00_0000
          view.row(y).storeBytes(of: pixel, toByteOffset: 4 * x, as: UInt32.self)
        }
      }
    }
    func falls(_ precision: BackdropEffect.Precision) throws -> Int {
      let row = try applied(Self.light(precision), to: screen).row(4)
      // Green rises the fastest, and more so when it is saturated.
      return (1..<512).count { row[4 * $0 + 1] < row[4 * $0 - 3] }
    }
    let (rounded, fine) = (try falls(.bytes), try falls(.fine))
    #expect(fine == 0 && rounded > 5, "\(rounded), then \(fine)")
  }

  @Test("A dither keeps the mean of eight by eight pixels, to a 64th of a level")
  func dither() throws {
    #expect(Set((0..<64).map { Dither.threshold($0 % 8, $0 / 8) }).count == 64)
    for colour in [UInt32(0xFF30_5090), 0xFF81_4722] {
      var screen = try Image(.rgba8, width: 16, height: 16)
      screen.withMutableView { view in
        for i in 0..<256 {
          view.row(i / 16).storeBytes(of: colour, toByteOffset: i % 16 * 4, as: UInt32.self)
        }
      }
      let expected = try definition(screen)
      let found = try applied(Self.light(.dithered), to: screen)
      for c in 0..<3 {
        let mean = (0..<64).reduce(0.0) { $0 + Double(found.pixel(4 + $1 % 8, 3 + $1 / 8)[c]) } / 64
        #expect(abs(mean - expected[c]) <= 1.0 / 64 + 0.01)
      }
    }
  }

  @Test("Regions, opacity and masks mean what they mean for bytes")
  func parts() throws {
    let screen = try ByteImage.noise(60, 50, isOpaque: true).image()
    let region = Region(x: 7, y: 5, width: 40, height: 30)
    let whole = try applied(Self.light(.dithered), to: screen)
    let part = try applied(Self.light(.dithered), to: screen, region: region)
    for y in region.rows {
      for x in region.columns {
        // A rounding may differ where the order of sums does.
        let pairs = zip(part.pixel(x - 7, y - 5), whole.pixel(x, y))
        #expect(pairs.allSatisfy { abs(Int($0) - Int($1)) <= 1 })
      }
    }
    var mask = try Image(.gray8, width: 60, height: 50)
    mask.withMutableView { view in
      for y in 0..<50 {
        for x in 0..<60 { view.row(y).storeBytes(of: UInt8(4 * x), toByteOffset: x, as: UInt8.self) }
      }
    }
    let fine = try applied(Self.light(.fine), to: screen)
    let masked = try applied(Self.light(.fine), to: screen, opacity: 0.5, mask: mask)
    for y in 0..<50 {
      for x in 0..<60 {
        let weight = 4 * x * 128
        for (found, (below, above)) in zip(masked.pixel(x, y), zip(screen.pixel(x, y), fine.pixel(x, y))) {
          #expect(Int(found) == (Int(below) * (65280 - weight) + Int(above) * weight + 32640) / 65280)
        }
      }
    }
  }
}
