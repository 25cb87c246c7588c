import Blur
import Testing

@testable import BlurScenes

/// Tests of CSS filters and of acrylic against their published definitions, computed in double precision with
/// colours that are not premultiplied.
@Suite("CSS filters and acrylic")
struct EffectFilterTests {
  private static func clamped(_ value: Double) -> Double { min(max(value, 0), 1) }

  /// Returns `saturate(s)` as W3C Filter Effects 1 defines it, for colours from 0 to 1.
  private static func saturated(_ p: [Double], _ s: Double) -> [Double] {
    let rows: [[Double]] = [
      [0.213 + 0.787 * s, 0.715 - 0.715 * s, 0.072 - 0.072 * s],
      [0.213 - 0.213 * s, 0.715 + 0.285 * s, 0.072 - 0.072 * s],
      [0.213 - 0.213 * s, 0.715 - 0.715 * s, 0.072 + 0.928 * s],
    ]
    return rows.map { m in clamped(m[0] * p[0] + m[1] * p[1] + m[2] * p[2]) }
  }

  /// The tolerance allows for two kinds of errors. Each matrix entry is off by at most 1/8192, so the three
  /// entries of a row cause an error of at most 0.1 levels together. In addition, each step rounds.
  @Test(
    "saturate() and brightness() match their definitions on colours that are not premultiplied",
    arguments: [0, 0.4, 1.8, 3], [0.3, 1, 1.6])
  func filters(saturation: Double, brightness: Double) throws {
    let effect = BackdropEffect.backdropFilter(sigma: 0, saturation: saturation, brightness: brightness)
    let bound = (0.5 + 0.1) * brightness + 0.5 + 0.1
    for isOpaque in [true, false] {
      let screen = ByteImage.noise(23, 29, isOpaque: isOpaque)
      for isa in InstructionSet.available {
        let found = try screen.applied(effect, isa: isa)
        for i in 0..<23 * 29 {
          let alpha = Double(screen.bytes[4 * i + 3])
          guard alpha > 0 else { continue }
          let straight = (0..<3).map { (c: Int) -> Double in Double(screen.bytes[4 * i + c]) / alpha }
          let colours = Self.saturated(straight, saturation).map { Self.clamped($0 * brightness) * alpha }
          for c in 0..<3 {
            let error: Double = abs(Double(found.bytes[4 * i + c]) - colours[c])
            #expect(error <= bound)
          }
          #expect(found.bytes[4 * i + 3] == screen.bytes[4 * i + 3])
        }
      }
    }
  }

  @Test("backdrop-filter mirrors the screen at its edge, and the other effects repeat the edge")
  func edges() throws {
    let row = ByteImage.noise(40, 1, isOpaque: true)
    let mirrored = try row.applied(
      BackdropEffect(name: "plain", sigma: 5, edge: .mirror), kernel: "separable")
    #expect(try row.applied(.backdropFilter(sigma: 5), kernel: "separable") == mirrored)
    #expect(try row.applied(BackdropEffect(name: "plain", sigma: 5), kernel: "separable") != mirrored)
  }

  /// Exclusion is Cs + Cb − 2·Cs·Cb for colours that are not premultiplied, composited as W3C Compositing 1
  /// defines. A tint follows.
  @Test("Acrylic without its grain consists of saturation, exclusion and a tint", arguments: [true, false])
  func acrylic(isOpaque: Bool) throws {
    var effect = BackdropEffect.acrylic(tint: .init(red: 0.1, green: 0.6, blue: 0.8, alpha: 0.4))
    (effect.sigma, effect.noise) = (0, 0)
    let screen = ByteImage.noise(23, 29, isOpaque: isOpaque)
    let found = try screen.applied(effect)
    let (e, t) = (26.0 / 255, 102.0 / 255)
    for i in 0..<23 * 29 {
      let alpha = Double(screen.bytes[4 * i + 3]) / 255
      let straight = (0..<3).map { (c: Int) -> Double in
        alpha == 0 ? 0 : Double(screen.bytes[4 * i + c]) / 255 / alpha
      }
      let under = Self.saturated(straight, 1.25)
      for (c, colour) in [0.1, 0.6, 0.8].enumerated() {
        let blended: Double = 1 + under[c] - 2 * under[c]
        let excluded: Double = e * (1 - alpha) + e * alpha * blended + (1 - e) * alpha * under[c]
        let tinted: Double = t * (255 * colour).rounded() + (1 - t) * 255 * excluded
        // The bound allows for three roundings of half a level, and for 0.1 levels of error because the
        // matrix entries are rounded. Exclusion and tint are mixed on top of the blur, so they reduce the
        // errors that were made before them.
        let bound: Double = (0.6 * (1 - 2 * e) + 0.5) * (1 - t) + 0.5
        let error: Double = abs(Double(found.bytes[4 * i + c]) - tinted)
        #expect(error <= bound)
      }
      let cover: Double = 255 * (1 - (1 - alpha) * (1 - e) * (1 - t))
      let error: Double = abs(Double(found.bytes[4 * i + 3]) - cover)
      #expect(error <= 1)
    }
  }

  @Test("Grain is gray, has the expected mean and is fixed to the screen")
  func grain() throws {
    var effect = BackdropEffect(name: "grain", sigma: 0)
    effect.noise = 0.5
    let plain = ByteImage(width: 300, height: 140, bytes: [UInt8](repeating: 255, count: 300 * 140 * 4))
    let found = try plain.applied(effect)
    var sum = 0
    for y in 0..<140 {
      for x in 0..<300 {
        #expect(found[x, y, 0] == found[x, y, 1] && found[x, y, 0] == found[x, y, 2] && found[x, y, 3] == 255)
        #expect(found[x, y, 0] == found[x % 128, y % 128, 0])
        if x < 128, y < 128 { sum += found[x, y, 0] }
      }
    }
    // The result is half white and half noise with a mean of 127.5. The mean of 16384 samples must lie within
    // six of its standard deviations.
    let deviation = 255 / 12.0.squareRoot() / 2 / 128
    #expect(abs(Double(sum) / 16384 - (255 + 127.5) / 2) < 6 * deviation + 0.5)
  }
}
