import Blur
import Foundation
import Testing

@testable import BlurVerification

@Suite("Linear light")
struct LinearLightTests {
  @Test(
    "The curve is that of the sRGB standard",
    arguments: [
      // Colours and light values of IEC 61966-2-1: both ends, both sides of the knee, and the middle grey of
      // 8 bits.
      (0, 0), (0.04045, 0.0031308), (0.0405, 0.00313488), (0.5019608, 0.2158605), (1, 1),
    ] as [(Double, Double)])
  func curve(colour: Double, light: Double) {
    #expect(abs(LinearLight.light(of: colour) - light) < 1e-6)
    #expect(abs(LinearLight.colour(of: light) - colour) < 1e-5)
    #expect(LinearLight.light(of: -colour) == -LinearLight.light(of: colour))
  }

  @Test("Converting to linear light and back preserves every colour with every alpha")
  func roundTrips() throws {
    let alphas = try Image.painted(ImageLayout(.rgba8, width: 256, height: 256)) { x, y, c in
      c == 3 ? Double(y) : c == 0 ? Double(min(x, y)) : Double(min(255 - x, y))
    }
    let greys = try Image.painted(ImageLayout(.gray16, width: 256, height: 256)) { x, y, _ in
      Double(256 * y + x)
    }
    let colours = try TestImage.alphaRamp.image(ImageLayout(.rgba16, width: 97, height: 33), seed: 1)
    for picture in [alphas, greys, colours] {
      let back = try picture.linearLight().sRGB()
      #expect(back.values == picture.values, "\(picture.layout.format)")
    }
  }

  @Test(
    "A blur within the bound is within one level of the exact result, also in the dark",
    arguments: [0.8, 3, 11], [255.0, 9])
  func truth(sigma: Double, brightest: Double) throws {
    for format in [PixelFormat.gray8, .rgb8, .gray16] {
      let scale = format.fullScale / 255
      var random = SplitMix64(seed: 7)
      let picture = try Image.painted(ImageLayout(format, width: 83, height: 61)) { x, y, _ in
        // The left half is noise, and the right half is flat and brighter.
        x < 40
          ? (Double.random(in: 0...brightest, using: &random) * scale).rounded()
          : (brightest * scale).rounded()
      }
      let exact = try Image.painted(
        ImageLayout(PixelFormat(channels: format.channels, .float32)!, width: 83, height: 61)
      ) { x, y, c in
        LinearLight.light(of: picture.value(x, y, c) / format.fullScale)
      }
      let right = Truth.of(exact, sigma: try Sigma(sigma), edge: .clamp).values.map {
        255 * LinearLight.colour(of: $0)
      }
      let bound = LinearLight.bound(levels: 1, for: format)
      let found = try picture.linearLight().blurred(sigma: sigma, accuracy: bound).sRGB()
      #expect(found.layout.format == format)
      let errors = zip(found.values, right).map { value, right in
        format.component == .uint8 ? abs(value - right.rounded()) : abs(value / scale - right)
      }
      #expect(errors.max()! <= 1, "\(format): \(errors.max()!)")
    }
  }

  @Test(
    "A light value that is as far off as the bound allows is within the stated levels",
    arguments: [0.5, 1, 3])
  func bound(levels: Double) throws {
    let lights = try Image.painted(ImageLayout(.gray16, width: 256, height: 256)) { x, y, _ in
      Double(256 * y + x)
    }
    let colours = try lights.sRGB().values
    // The largest error that the light may have, as a fraction of full scale: the error bound for the blur,
    // plus half a unit for each of two roundings to 16 bits.
    let bytes = LinearLight.bound(levels: levels, for: .gray8).levels / 255 + 1.0 / 65535
    let words = LinearLight.bound(levels: levels, for: .gray16).levels / 255
    for (number, colour) in colours.enumerated() {
      let light = Double(number) / 65535
      for sign in [-1.0, 1] {
        let truth = 255 * Self.colour(of: max(0, light + sign * bytes))
        // Rounding to a byte adds half a level.
        #expect(abs(colour - truth) <= levels + 0.5 + 1e-9, "light \(number)")
        let wide = 255 * Self.colour(of: max(0, light + sign * words))
        #expect(abs(255 * LinearLight.colour(of: light) - wide) <= levels + 1e-9, "light \(number)")
      }
    }
  }

  @Test(
    "Also with alpha, the error of premultiplied colours stays within the stated levels and reaches them",
    arguments: [0.3, 1, 3, 40])
  func boundUnderAlpha(levels: Double) throws {
    let bound = LinearLight.bound(levels: levels, for: .rgba16)
    let error = bound.levels / 255
    #expect(abs(LinearLight.levels(within: bound, for: .rgba16) - levels) < 1e-9)
    // The test tries many exact colours and alphas. They are close together near black, where the sRGB curve
    // is steep. The light and the alpha of each pixel are changed by the allowed error, up or down, or not at
    // all.
    let steps = (0...40).map { pow(Double($0) / 40, 3) }
    let moves = [-1, 0, 1].flatMap { light in [-1, 0, 1].map { (light * error, $0 * error) } }
    var (worst, worstStraight) = (0.0, 0.0)
    for alpha in steps.dropFirst() {
      let size = try ImageLayout(.rgbaf32, width: steps.count, height: moves.count)
      let found = try Image.painted(size) { x, y, c in
        let (light, own) = moves[y]
        return c == 3 ? min(1, max(0, alpha + own)) : max(0, alpha * steps[x] + light)
      }.sRGB().values.map { $0 / 65535 }
      for (pixel, share) in (0..<moves.count).flatMap({ _ in steps }).enumerated() {
        let (colour, own, truth) = (found[4 * pixel], found[4 * pixel + 3], Self.colour(of: share))
        worst = max(worst, 255 * abs(colour - alpha * truth))
        // The straight colour is the premultiplied colour divided by alpha. Alpha has an error as well, and
        // both values were rounded, so the allowed error is larger here.
        if own > 0 {
          let straight = 255 * abs(min(1, colour / own) - truth) * own
          worstStraight = max(worstStraight, straight)
        }
      }
    }
    let rounding = 0.5 / 257
    // The small allowance of 0.001 levels is needed because floats store a light value with only seven
    // digits.
    #expect(worst <= levels + rounding + 1e-3 && worst >= 0.99 * levels, "\(worst)")
    #expect(worstStraight <= levels + 255 * error + 2 * rounding + 1e-3, "\(worstStraight)")
  }

  @Test(
    "A blur of dark colours with alpha is within one level of the exact result",
    arguments: [PixelFormat.rgba8, .rgba16])
  func truthUnderAlpha(format: PixelFormat) throws {
    let (full, count) = (format.fullScale, format.channels)
    var random = SplitMix64(seed: 3)
    var alpha = 0.0
    let picture = try Image.painted(ImageLayout(format, width: 83, height: 61)) { x, _, c in
      // Alpha is drawn together with the first channel of a pixel. It is constant on the left, and noise on
      // the right.
      if c == 0 { alpha = (x < 40 ? 0.3 : Double.random(in: 0...1, using: &random)) * full }
      return (c == 3 ? alpha : alpha * Double.random(in: 0...0.04, using: &random)).rounded()
    }
    let stored = picture.values
    let exact = try Image.painted(ImageLayout(.rgbaf32, width: 83, height: 61)) { x, y, c in
      let place = count * (83 * y + x)
      let (value, alpha) = (stored[place + c] / full, stored[place + 3] / full)
      return c == 3 ? alpha : alpha == 0 ? 0 : alpha * LinearLight.light(of: value / alpha)
    }
    let light = Truth.of(exact, sigma: try Sigma(3), edge: .clamp).values
    let bound = LinearLight.bound(levels: 1, for: format)
    let found = try picture.linearLight().blurred(sigma: 3, accuracy: bound).sRGB().values
    let errors = found.indices.map { i in
      let alpha = light[i / 4 * 4 + 3]
      let right = i % 4 == 3 ? alpha : alpha > 0 ? alpha * Self.colour(of: min(1, light[i] / alpha)) : 0
      return 255 * abs(found[i] / full - right)
    }
    // The last rounding adds half a unit of the format to the bound of one level.
    #expect(errors.max()! <= 1 + 127.5 / full, "\(errors.max()!)")
  }

  /// Returns the colour of a light value of at least 0, by the formula of the standard. The formula is
  /// written out again as an independent check.
  private static func colour(of light: Double) -> Double {
    light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055
  }

  @Test("The middle of an edge has the colour of half the light, not half the colour")
  func edge() throws {
    let picture = try Image.painted(ImageLayout(.gray8, width: 64, height: 1)) { x, _, _ in x < 32 ? 0 : 255 }
    let (stored, light) = (
      try picture.blurred(sigma: 8).value(32, 0, 0),
      try picture.linearLight().blurred(sigma: 8).sRGB().value(32, 0, 0)
    )
    #expect((128...140).contains(stored) && (188...196).contains(light), "\(stored), \(light)")
  }

  @Test("Formats without a counterpart are rejected")
  func refusals() throws {
    for format in [PixelFormat.grayf32, .rgbf32, .rgbaf32] {
      #expect(throws: BlurError.self) { try Image(format, width: 2, height: 2).linearLight() }
    }
    #expect(throws: BlurError.self) { try Image(.rgb8, width: 2, height: 2).sRGB() }
  }
}

extension Image {
  /// The values of all components, in the format's own units.
  fileprivate var values: [Double] {
    withView { view in (0..<layout.height).flatMap { view.values(ofRow: $0) } }
  }

  /// Returns the value of one component, in the format's own units.
  fileprivate func value(_ x: Int, _ y: Int, _ c: Int) -> Double {
    withView { $0.values(ofRow: y)[x * layout.format.channels + c] }
  }
}
