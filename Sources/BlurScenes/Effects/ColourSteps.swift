import Blur
import BlurVerification
import CBlurVectors

/// The colours of an effect, as whole numbers: what follows the blur, row by row.
///
/// A class, so that handing it on for each row copies nothing.
final class ColourSteps: Sendable {
  private let loops: ColourLoops
  /// Matrices and layers, and each of the two alone.
  private let all: blur_colours, matrices: blur_colours, layers: blur_colours
  /// Of the picture under the grain, in 256ths.
  private let noiseRest: Int
  private let noise: NoiseTile?

  /// - Precondition: the effect is checked.
  init(_ effect: BackdropEffect, _ instructionSet: InstructionSet) throws(BlurError) {
    loops = .compiled(upTo: instructionSet)
    var colours = blur_colours()
    if effect.saturation != 1 { colours.add(effect.matrix.saturating(effect.saturation)) }
    if effect.brightness != 1 { colours.add(.scaling(effect.brightness)) }
    colours.add(exclusion: effect.exclusion)
    if let tint = effect.tint { colours.add(tint) }
    all = colours
    matrices = colours.with(layers: 0)
    layers = colours.with(matrices: 0)
    let weight = Int((effect.noise * 256).rounded())
    noiseRest = 256 - weight
    noise = weight == 0 ? nil : try NoiseTile()
  }

  /// A row that is to be coloured.
  struct Row {
    /// The blurred pixels, which become the result, and the screen's.
    let pixels: ColourLoops.Row, screen: ColourLoops.Under
    let count: Int
    /// Where on the screen the row begins.
    let x: Int, y: Int
    /// Of the effect, in 256ths; and masks over it and over what is under its layers.
    let weight: Int
    let mask: ColourLoops.Under?, clip: ColourLoops.Under?
  }

  func finish(_ row: Row) {
    if let clip = row.clip {
      loops.colour(row.pixels, row.count, matrices)
      loops.mask(row.pixels, row.screen, clip, row.count, 256)
      loops.colour(row.pixels, row.count, layers)
    } else {
      loops.colour(row.pixels, row.count, all)
    }
    noise?.forEachPart(of: row) { pixels, grain, count in loops.mix(pixels, grain, count, noiseRest) }
    if let mask = row.mask {
      loops.mask(row.pixels, row.screen, mask, row.count, row.weight)
    } else if row.weight < 256 {
      loops.mix(row.pixels, row.screen, row.count, row.weight)
    }
  }
}

/// Gray noise that repeats over the screen.
private struct NoiseTile: Sendable {
  private static let side = 128
  private let tile: Image

  init() throws(BlurError) {
    var random = SplitMix64(seed: 2017)
    var tile = try Image(.rgba8, width: Self.side, height: Self.side)
    tile.withMutableView { view in
      for y in 0..<Self.side {
        for x in 0..<Self.side {
          let gray = UInt32(truncatingIfNeeded: random.next() >> 56)
          view.row(y).storeBytes(of: 0xFF00_0000 | gray &* 0x01_0101, toByteOffset: 4 * x, as: UInt32.self)
        }
      }
    }
    self.tile = tile
  }

  /// Calls `body` with pixels of a row, the grain at the same place on the screen, and how many they are.
  func forEachPart(
    of row: ColourSteps.Row, _ body: (ColourLoops.Row, ColourLoops.Under, Int) -> Void
  ) {
    tile.withView { view in
      var done = 0
      while done < row.count {
        let column = (row.x + done) % Self.side
        let count = min(Self.side - column, row.count - done)
        // SAFETY: the tile has `side` columns and rows, the row `count` pixels.
        let grain = view.row(row.y % Self.side) + 4 * column
        body(row.pixels + 4 * done, grain.assumingMemoryBound(to: UInt8.self), count)
        done += count
      }
    }
  }
}

// MARK: Numbers

extension BackdropEffect.Matrix {
  /// The matrix of a saturation.
  ///
  /// Each row makes a result of red, green and blue: the weights of the luma, with what is left of 1 for the colour
  /// itself times `s`. The sample code of 2013 has .7873 for red, not .7874.
  func saturating(_ s: Double) -> blur_matrix {
    let (r, g, b, redRest) =
      switch self {
      case .imageEffects: (0.2126, 0.7152, 0.0722, 0.7873)
      case .filterEffects: (0.213, 0.715, 0.072, 0.787)
      }
    let rows = [
      [r + redRest * s, g - g * s, b - b * s],
      [r - r * s, g + (1 - g) * s, b - b * s],
      [r - r * s, g - g * s, b + (1 - b) * s],
    ]
    return blur_matrix(rows, shift: self == .imageEffects ? 8 : 12)
  }
}

extension blur_matrix {
  /// All colours times `factor`.
  static func scaling(_ factor: Double) -> blur_matrix {
    blur_matrix([[factor, 0, 0], [0, factor, 0], [0, 0, factor]], shift: 12)
  }

  /// A matrix whose entries are rounded to whole 2⁻ˢʰⁱᶠᵗ, with fewer places where they would not fit 16 bits.
  fileprivate init(_ rows: [[Double]], shift: Int) {
    let largest = rows.joined().lazy.map { abs($0) }.max() ?? 0
    var places = shift
    while places > 0, largest * Double(1 << places) > 32767 { places -= 1 }
    func entry(_ row: Int, _ column: Int) -> Int32 {
      Int32((rows[row][column] * Double(1 << places)).rounded(.toNearestOrAwayFromZero))
    }
    func pair(_ row: Int) -> Int32 { entry(row, 0) & 0xFFFF | entry(row, 2) << 16 }
    self.init(
      red_blue: (pair(0), pair(1), pair(2)),
      green: (entry(0, 1) & 0xFFFF, entry(1, 1) & 0xFFFF, entry(2, 1) & 0xFFFF),
      half: places == 0 ? 0 : 1 << Int32(places - 1), shift: Int32(places))
  }
}

extension blur_colours {
  /// The first `matrices` and `layers` of them.
  fileprivate func with(matrices: Int? = nil, layers: Int? = nil) -> blur_colours {
    var some = self
    some.matrix_count = matrices ?? matrix_count
    some.layer_count = layers ?? layer_count
    return some
  }

  fileprivate mutating func add(_ matrix: blur_matrix) {
    if matrix_count == 0 { matrices.0 = matrix } else { matrices.1 = matrix }
    matrix_count += 1
  }

  /// A colour by source-over: (C · t + component · (255 − t)) / 255, with C = 255 for alpha.
  fileprivate mutating func add(_ tint: BackdropEffect.Tint) {
    let opacity = Self.byte(tint.alpha)
    let adds = [tint.red, tint.green, tint.blue, 1].map { Self.byte($0) * opacity }
    add(colourScale: 255 - opacity, alphaScale: 255 - opacity, adds)
  }

  /// White by exclusion: premultiplied colours become E + c(1 − 2E), alpha E + a(1 − E).
  fileprivate mutating func add(exclusion: Double) {
    // At most 127: the scale of colours must not be negative.
    let opacity = min(127, Self.byte(exclusion))
    guard opacity > 0 else { return }
    add(
      colourScale: 255 - 2 * opacity, alphaScale: 255 - opacity,
      [UInt32](repeating: 255 * opacity, count: 4))
  }

  private mutating func add(colourScale: UInt32, alphaScale: UInt32, _ adds: [UInt32]) {
    let layer = blur_layer(
      even_scale: colourScale | colourScale << 16, odd_scale: colourScale | alphaScale << 16,
      even_add: adds[0] + 127 | (adds[2] + 127) << 16, odd_add: adds[1] + 127 | (adds[3] + 127) << 16)
    if layer_count == 0 { layers.0 = layer } else { layers.1 = layer }
    layer_count += 1
  }

  private static func byte(_ share: Double) -> UInt32 { UInt32((255 * share).rounded()) }
}
