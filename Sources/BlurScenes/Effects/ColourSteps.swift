import Blur
import BlurVerification
import CSceneColours

/// The colours of an effect, as whole numbers: what follows the blur, row by row.
///
/// A class, so that handing it on for each row copies nothing.
final class ColourSteps: Sendable {
  private let loops: scene_colour_loops
  /// Matrices and layers, and each of the two alone.
  private let all: scene_colours, matrices: scene_colours, layers: scene_colours
  /// Of the picture under the grain, in 256ths.
  private let noiseRest: Int
  private let noise: NoiseTile?
  private let isDithered: Bool

  /// - Precondition: the effect is checked.
  init(_ effect: BackdropEffect, _ instructionSet: InstructionSet) throws(BlurError) {
    loops = .compiled(upTo: instructionSet)
    var colours = scene_colours()
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
    isDithered = effect.precision == .dithered
  }

  /// A row that is to be coloured.
  struct Row {
    /// The blurred pixels, which become the result, and the screen's.
    let pixels: UnsafeMutablePointer<UInt8>, screen: UnsafePointer<UInt8>
    /// The blurred pixels in 16 bits, where they have not been rounded; then `pixels` are only written.
    let wide: UnsafePointer<UInt16>?
    let count: Int
    /// Where on the screen the row begins.
    let x: Int, y: Int
    /// Of the effect, in 256ths; and masks over it and over what is under its layers.
    let weight: Int
    let mask: UnsafePointer<UInt8>?, clip: UnsafePointer<UInt8>?
  }

  func finish(_ row: Row) {
    if let clip = row.clip {
      begin(matrices, on: row)
      loops.mask(row.pixels, row.screen, clip, row.count, 256)
      run(layers, on: row)
    } else {
      begin(all, on: row)
    }
    noise?.forEachPart(of: row) { pixels, grain, count in loops.mix(pixels, grain, count, noiseRest) }
    if let mask = row.mask {
      loops.mask(row.pixels, row.screen, mask, row.count, row.weight)
    } else if row.weight < 256 {
      loops.mix(row.pixels, row.screen, row.count, row.weight)
    }
  }

  /// The first of the steps.
  private func begin(_ colours: scene_colours, on row: Row) {
    guard let wide = row.wide else { return run(colours, on: row) }
    let x = row.x
    let y = row.y
    withUnsafeTemporaryAllocation(of: Float.self, capacity: 8) { thresholds in
      for i in 0..<8 { thresholds[i] = isDithered ? Dither.threshold(x + i, y) : 0.5 }
      withUnsafePointer(to: colours) { loops.fine(row.pixels, wide, row.count, $0, thresholds.start) }
    }
  }

  private func run(_ colours: scene_colours, on row: Row) {
    withUnsafePointer(to: colours) { loops.colour(row.pixels, row.count, $0) }
  }
}

extension scene_colour_loops {
  /// The loops for the widest set of this CPU up to `limit`.
  fileprivate static func compiled(upTo limit: InstructionSet) -> scene_colour_loops {
    switch InstructionSet.available.last(where: { $0 <= limit }) {
    case .avx512: scene_avx512_loops
    case .avx2: scene_avx2_loops
    default: scene_baseline_loops
    }
  }
}

/// The ordered dither of Bayer (1973): how much is added before the fraction is dropped.
enum Dither {
  /// From 0 to 1, each of 64 values once in 8 x 8 pixels.
  static func threshold(_ x: Int, _ y: Int) -> Float {
    // The bits of x ^ y and y, interleaved from the lowest on, are the rank.
    var rank = 0
    for bit in 0..<3 {
      rank = rank << 2 | ((x ^ y) >> bit & 1) << 1 | (y >> bit & 1)
    }
    return (Float(rank) + 0.5) / 64
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
    of row: ColourSteps.Row, _ body: (UnsafeMutablePointer<UInt8>, UnsafePointer<UInt8>, Int) -> Void
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
  /// Each row makes a result of red, green and blue: the weights of the luma, with what is left of 1 for the
  /// colour itself times `s`. The sample code of 2013 has .7873 for red, not .7874.
  func saturating(_ s: Double) -> scene_matrix {
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
    return scene_matrix(rows, shift: self == .imageEffects ? 8 : 12)
  }
}

extension scene_matrix {
  /// All colours times `factor`.
  static func scaling(_ factor: Double) -> scene_matrix {
    scene_matrix([[factor, 0, 0], [0, factor, 0], [0, 0, factor]], shift: 12)
  }

  /// A matrix whose entries are rounded to whole 2⁻ˢʰⁱᶠᵗ, with fewer places where they would not fit 16 bits.
  fileprivate init(_ rows: [[Double]], shift: Int) {
    let largest = rows.joined().lazy.map { abs($0) }.max() ?? 0
    var places = shift
    while places > 0, largest * Double(1 << places) > 32767 { places -= 1 }
    func column(_ i: Int) -> (Int16, Int16, Int16) {
      func entry(_ row: Int) -> Int16 {
        Int16(clamping: Int((rows[row][i] * Double(1 << places)).rounded(.toNearestOrAwayFromZero)))
      }
      return (entry(0), entry(1), entry(2))
    }
    self.init(
      red: column(0), green: column(1), blue: column(2), half: places == 0 ? 0 : 1 << Int32(places - 1),
      shift: Int32(places))
  }
}

extension scene_colours {
  /// The first `matrices` and `layers` of them.
  fileprivate func with(matrices: Int? = nil, layers: Int? = nil) -> scene_colours {
    var some = self
    some.matrix_count = matrices ?? matrix_count
    some.layer_count = layers ?? layer_count
    return some
  }

  fileprivate mutating func add(_ matrix: scene_matrix) {
    if matrix_count == 0 { matrices.0 = matrix } else { matrices.1 = matrix }
    matrix_count += 1
  }

  /// A colour by source-over: (C · t + component · (255 − t)) / 255, with C = 255 for alpha.
  fileprivate mutating func add(_ tint: BackdropEffect.Tint) {
    let opacity = Self.byte(tint.alpha)
    func part(_ colour: Double) -> UInt16 { Self.byte(colour) * opacity }
    add(
      colourScale: 255 - opacity, alphaScale: 255 - opacity,
      (part(tint.red), part(tint.green), part(tint.blue), part(1)))
  }

  /// White by exclusion: premultiplied colours become E + c(1 − 2E), alpha E + a(1 − E).
  fileprivate mutating func add(exclusion: Double) {
    // At most 127: the scale of colours must not be negative.
    let opacity = min(127, Self.byte(exclusion))
    guard opacity > 0 else { return }
    let part = 255 * opacity
    add(colourScale: 255 - 2 * opacity, alphaScale: 255 - opacity, (part, part, part, part))
  }

  private mutating func add(
    colourScale: UInt16, alphaScale: UInt16, _ adds: (UInt16, UInt16, UInt16, UInt16)
  ) {
    let layer = scene_layer(
      scale: (colourScale, colourScale, colourScale, alphaScale),
      add: (adds.0 + 127, adds.1 + 127, adds.2 + 127, adds.3 + 127))
    if layer_count == 0 { layers.0 = layer } else { layers.1 = layer }
    layer_count += 1
  }

  private static func byte(_ share: Double) -> UInt16 { UInt16((255 * share).rounded()) }
}
