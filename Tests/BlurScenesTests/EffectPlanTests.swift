import Blur
import BlurVerification
import Testing

@testable import BlurScenes

@Suite("Backdrop effects")
struct EffectPlanTests {
  static let presets: [BackdropEffect] = [
    .light, .extraLight, .dark, .tint(BackdropEffect.Tint(red: 0.2, green: 0.5, blue: 0.9, alpha: 1)),
  ]

  @Test("The effects of 2013 match their definitions", arguments: presets, [1.0, 2, 3])
  func definition(effect: BackdropEffect, scale: Double) throws {
    for (width, height) in [(1, 1), (19, 7), (1, 9), (35, 3)] {
      for isOpaque in [true, false] {
        let screen = ByteImage.noise(width, height, isOpaque: isOpaque)
        let expected = screen.effect2013(effect, scale: scale)
        for (isa, threads) in InstructionSet.available.flatMap({ isa in [1, 3].map { (isa, $0) } }) {
          let found = try screen.applied(
            effect, scale: scale, kernel: "image-effect-boxes", isa: isa, threads: threads, padding: 5)
          #expect(found == expected, "\(isa.name), \(threads) threads, \(width)x\(height)")
        }
      }
    }
  }

  @Test(
    "Colours without a blur match the definition on many pixels, with every instruction set",
    arguments: presets)
  func colours(effect: BackdropEffect) throws {
    var effect = effect
    effect.sigma = 0
    for isOpaque in [true, false] {
      let screen = ByteImage.noise(61, 67, isOpaque: isOpaque)
      let expected = screen.coloured2013(effect)
      for isa in InstructionSet.available {
        #expect(try screen.applied(effect, isa: isa) == expected, "\(isa.name)")
      }
    }
  }

  @Test("Common mistakes with colours change the result", arguments: Mistake.allCases)
  func mistakes(mistake: Mistake) throws {
    for effect in [BackdropEffect.light, .dark] {
      var effect = effect
      effect.sigma = 0
      let screen = ByteImage.noise(13, 11, isOpaque: false)
      #expect(try screen.applied(effect) != screen.coloured2013(effect, mistake))
    }
  }

  /// The pixels must also be the same at edges of the region that are not edges of the screen.
  @Test("A region has the same pixels as that part of the whole result", arguments: presets + [.acrylic()])
  func region(effect: BackdropEffect) throws {
    let screen = ByteImage.noise(150, 40, isOpaque: true)
    let region = Region(x: 9, y: 11, width: 133, height: 13)
    let kernel = effect.matrix == .imageEffects ? "image-effect-boxes" : "simd"
    let whole = try screen.applied(effect, kernel: kernel)
    let part = try screen.applied(effect, kernel: kernel, region: region)
    #expect(part == whole.cropped(to: region))
  }

  /// The bound adds up the errors of the steps of an effect. The blurred image is at most 1.5 levels from the
  /// exact blur: 1 level for the Gaussian and half a level for rounding. The colour matrix multiplies this
  /// error by at most the largest sum of the absolute values in a row, and rounds the result. The tint
  /// multiplies the error by 1 − t, and rounds again. Clamping does not increase an error.
  @Test(
    "With a Gaussian that the library chooses, effects are close to their exact values", arguments: presets,
    [1.0, 3])
  func accurate(effect: BackdropEffect, scale: Double) throws {
    let screen = ByteImage.noise(41, 33, isOpaque: true)
    let truth = Truth.of(try screen.image(), sigma: try Sigma(effect.sigma * scale), edge: .clamp)
    let found = try screen.applied(effect, scale: scale)
    let matrix = ByteImage.matrix2013(effect.saturation).map { $0.map { Double($0) / 256 } }
    let tint = try #require(effect.tint)
    let t = (255 * tint.alpha).rounded() / 255
    let sums: [Double] = matrix.map { row in abs(row[0]) + abs(row[1]) + abs(row[2]) }
    let gain = try #require(sums.max())
    let bound: Double = (1.5 * gain + 0.5) * (1 - t) + 0.5
    for pixel in 0..<41 * 33 {
      let blurred = Array(truth.values[4 * pixel..<4 * pixel + 3])
      for (c, colour) in [tint.red, tint.green, tint.blue].enumerated() {
        let m = matrix[c]
        let sum: Double = m[0] * blurred[0] + m[1] * blurred[1] + m[2] * blurred[2]
        let saturated: Double = min(max(sum, 0), 255)
        let expected: Double = (255 * colour).rounded() * t + saturated * (1 - t)
        let error: Double = abs(Double(found.bytes[4 * pixel + c]) - expected)
        #expect(error <= bound + 1e-9)
      }
    }
  }

  @Test(
    "The opacity matches its definition, rounded once", arguments: [0, 0.25, 0.5, 0.998, 1],
    [true, false])
  func opacity(opacity: Double, isOpaque: Bool) throws {
    let screen = ByteImage.noise(37, 9, isOpaque: isOpaque)
    let full = try screen.applied(.light, kernel: "image-effect-boxes")
    let weight = Int((opacity * 256).rounded())
    for isa in InstructionSet.available {
      let found = try screen.applied(
        .light, kernel: "image-effect-boxes", isa: isa, padding: 3, opacity: opacity)
      #expect(found == full.over(screen, opacity: weight))
    }
    if opacity == 0 { #expect(full.over(screen, opacity: weight) == screen) }
    if opacity == 1 { #expect(full.over(screen, opacity: weight) == full) }
  }

  @Test("An opacity below 0 or NaN counts as 0, and one above 1 as 1")
  func impossibleOpacity() throws {
    let screen = ByteImage.noise(9, 9, isOpaque: true)
    #expect(try screen.applied(.light, opacity: .nan) == screen)
    #expect(try screen.applied(.light, opacity: -3) == screen)
    #expect(try screen.applied(.light, opacity: 7) == screen.applied(.light))
  }

  @Test("Impossible effects are rejected, and the error says why")
  func refusals() throws {
    var bright = BackdropEffect.light
    bright.brightness = .nan
    for (effect, word) in [
      (BackdropEffect(name: "vivid", sigma: 1, saturation: 1e9), "saturation"), (bright, "brightness"),
      (BackdropEffect(name: "odd", sigma: 1, tint: .init(white: 2, alpha: 1)), "red"),
    ] {
      #expect(try #require(effect.violation).contains(word))
    }
    #expect(Self.presets.allSatisfy { $0.violation == nil })
    let layout = try ImageLayout(.rgba8, width: 9, height: 9)
    #expect(throws: BlurError.invalidSigma(.infinity)) {
      try EffectPlan(BackdropEffect(name: "wide", sigma: .infinity), for: layout, scale: 1)
    }
    #expect(throws: BlurError.self) {
      try EffectPlan(.light, for: ImageLayout(.gray8, width: 9, height: 9), scale: 1)
    }
    #expect(throws: BlurError.self) {
      try ByteImage.noise(9, 9, isOpaque: true).applied(
        .backdropFilter(sigma: 3), kernel: "image-effect-boxes")
    }
  }
}
