import Blur
import BlurVerification
import CSceneColours

/// The steps of an effect that change colours, such as saturation and tint. They process each row as soon as
/// it has been blurred. If the blurred pixels have already been rounded to bytes, the steps use integer
/// arithmetic, otherwise floating-point arithmetic. An ``EnlargedPlan`` changes the colours before it
/// enlarges the blurred image, so only noise and opacity still have to be applied to finished rows.
///
/// The object is created once and used for all frames, so rendering a frame allocates nothing.
// SAFETY: `application` is written only while no blur runs, under the lock of the effect plan. The threads of
// the blur only read it.
final class ColourSteps: RowEpilogue, @unchecked Sendable {
  /// Three values that change from frame to frame. `screen` holds the original pixels of the rendered part of
  /// the screen, `target` is the view in which the result is stored, and `weight` is the opacity of the
  /// effect in 256ths.
  var application: (screen: ImageView, target: MutableImageView, weight: Int)?
  private let region: Region
  private let precision: Stage.Precision
  private let changesColours: Bool
  private let loops: scene_colour_loops
  /// The colour changes in the form that the C functions read: matrices for saturation and brightness, and
  /// translucent layers such as the tint.
  private let colours: scene_colours
  /// The weight of the image, in 256ths, when noise is mixed into it. The weight of the noise is 256 minus
  /// this number.
  private let noiseRest: Int
  private let noise: NoiseTile?

  /// Prepares the steps of an effect that change colours.
  ///
  /// - Parameters:
  ///   - region: The part of the screen that is rendered.
  ///   - changesColours: Whether the colours of a finished row still have to be changed. Pass false if an
  ///     ``EnlargedPlan`` has already changed them.
  /// - Precondition: ``BackdropEffect/violation`` of the effect is nil.
  init(
    _ effect: BackdropEffect, _ region: Region, _ stage: Stage, changesColours: Bool = true
  ) throws(BlurError) {
    self.region = region
    self.changesColours = changesColours
    precision = stage.precision
    loops = .compiled(upTo: stage.isa)
    var colours = scene_colours()
    if effect.saturation != 1 { colours.add(effect.matrix.saturating(effect.saturation)) }
    if effect.brightness != 1 { colours.add(.scaling(effect.brightness)) }
    colours.add(exclusion: effect.exclusion)
    if let tint = effect.tint { colours.add(tint) }
    self.colours = colours
    let weight = Int((effect.noise * 256).rounded())
    noiseRest = 256 - weight
    noise = weight == 0 ? nil : try NoiseTile()
  }

  func finish(_ rows: Range<Int>, in blurred: MutableImageView) {
    guard let application else { return }
    for y in rows {
      // SAFETY: the effect plan has checked that `application.target` and `application.screen` are exactly as
      // large as the region. `y` is a row of the region, so the pixels `0..<region.width` of this row exist
      // in both views, and in the blurred image.
      let pixels = application.target.unsafeRow(y).assumingMemoryBound(to: UInt8.self)
      let screen = application.screen.unsafeRow(y).assumingMemoryBound(to: UInt8.self)
      if precision == .bytes {
        if changesColours { changeColours(of: pixels, region.width) }
      } else {
        round(blurred.unsafeRow(y).assumingMemoryBound(to: UInt16.self), to: pixels, region.y + y)
      }
      noise?.forEachPart(x: region.x, y: region.y + y, count: region.width) { offset, grain, count in
        loops.mix(pixels + 4 * offset, grain, count, noiseRest)
      }
      if application.weight < 256 { loops.mix(pixels, screen, region.width, application.weight) }
    }
  }

  /// Applies the saturation, the tint and the other colour changes of the effect to a row of `count` pixels
  /// that have already been rounded to bytes.
  func changeColours(of row: UnsafeMutableRawPointer, _ count: Int) {
    // SAFETY: the caller guarantees that the row holds `count` pixels of four bytes.
    let pixels = row.assumingMemoryBound(to: UInt8.self)
    withUnsafePointer(to: colours) { loops.colour(pixels, count, $0) }
  }

  /// Fills a row of the region with a row of a small image that is enlarged to four times its width and
  /// height. `upper` and `lower` are the two nearest rows of the small image, with `count` pixels each. The
  /// weight of `lower` is `share`/8. `scratch` is memory for 4 · `count` 16-bit numbers.
  func enlarge(
    _ upper: UnsafeRawPointer, _ lower: UnsafeRawPointer, _ count: Int, _ share: Int,
    to row: UnsafeMutableRawPointer, _ scratch: UnsafeMutableRawPointer
  ) {
    // SAFETY: the caller guarantees that the small rows hold `count` pixels of four bytes, that `row` holds
    // the pixels of a row of the region, and that the scratch memory is large enough.
    loops.enlarge(
      row.assumingMemoryBound(to: UInt8.self), region.width, upper.assumingMemoryBound(to: UInt8.self),
      lower.assumingMemoryBound(to: UInt8.self), count, share, scratch.assumingMemoryBound(to: UInt16.self))
  }

  /// Applies the saturation, the tint and the other colour changes of the effect to a blurred row that has 16
  /// bits per component, and rounds the results to bytes.
  private func round(_ wide: UnsafePointer<UInt16>, to pixels: UnsafeMutablePointer<UInt8>, _ y: Int) {
    withUnsafeTemporaryAllocation(of: Float.self, capacity: 8) { thresholds in
      for i in 0..<8 {
        thresholds[i] = precision == .dithered ? Self.threshold(region.x + i, y) : 0.5
      }
      withUnsafePointer(to: colours) { loops.fine(pixels, wide, region.width, $0, thresholds.start) }
    }
  }
}

extension scene_colour_loops {
  /// Returns the functions that change colours, compiled for the widest instruction set that this CPU
  /// supports, but not for a wider set than `limit`.
  fileprivate static func compiled(upTo limit: InstructionSet) -> scene_colour_loops {
    switch InstructionSet.available.last(where: { $0 <= limit }) {
    case .avx512: scene_avx512_loops
    case .avx2: scene_avx2_loops
    default: scene_baseline_loops
    }
  }
}

extension ColourSteps {
  /// Returns a pixel's threshold for ordered dithering (Bayer, 1973), a method that rounds a value up or down
  /// depending on the position of its pixel. To round a value, add the threshold, which is between 0 and 1,
  /// and drop the fraction of the sum. In each block of 8 × 8 pixels, each of the 64 thresholds occurs
  /// exactly once.
  static func threshold(_ x: Int, _ y: Int) -> Float {
    // The position in the 8 × 8 block determines a rank from 0 to 63, and the rank determines the threshold.
    // The bits of x ^ y and of y alternate in the rank, in reverse order: their lowest bits become the rank's
    // highest bits.
    var rank = 0
    for bit in 0..<3 {
      rank = rank << 2 | ((x ^ y) >> bit & 1) << 1 | (y >> bit & 1)
    }
    return (Float(rank) + 0.5) / 64
  }
}

/// A tile of gray noise that repeats across the screen.
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
          view.unsafeRow(y).storeBytes(
            of: 0xFF00_0000 | gray &* 0x01_0101, toByteOffset: 4 * x, as: UInt32.self)
        }
      }
    }
    self.tile = tile
  }

  /// Splits a row where one noise tile ends and the next begins, and calls `body` for each part. The
  /// arguments of `body` are the offset of the part from the start of the row in pixels, a pointer to the
  /// noise for the part, and the number of pixels in the part.
  ///
  /// - Parameters:
  ///   - x, y: The position of the row's first pixel on the screen.
  ///   - count: The number of pixels in the row.
  func forEachPart(x: Int, y: Int, count: Int, _ body: (Int, UnsafePointer<UInt8>, Int) -> Void) {
    tile.withView { view in
      var done = 0
      while done < count {
        let column = (x + done) % Self.side
        let part = min(Self.side - column, count - done)
        // SAFETY: `column` and `y % side` are remainders modulo `side`, so they lie inside the tile. `part`
        // is at most `side - column`, so the pixels end within the tile's row.
        let grain = view.unsafeRow(y % Self.side) + 4 * column
        body(done, grain.assumingMemoryBound(to: UInt8.self), part)
        done += part
      }
    }
  }
}

// MARK: Coefficients

extension BackdropEffect.Matrix {
  /// Returns the colour matrix for a saturation of `s`, where 1 leaves colours unchanged and 0 turns them
  /// into grays.
  ///
  /// Each row of the matrix computes one colour component. The new component is (1 − s) times the brightness
  /// plus s times the old component, where the brightness is a weighted sum of red, green and blue. There is
  /// one exception: for red, the sample code UIImage+ImageEffects (2013) uses .7873 as the value of 1 −
  /// .2126, which should be .7874.
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
  /// Returns a matrix that multiplies all colours by `factor`.
  static func scaling(_ factor: Double) -> scene_matrix {
    scene_matrix([[factor, 0, 0], [0, factor, 0], [0, 0, factor]], shift: 12)
  }

  /// Creates a matrix with integer entries. Each number is multiplied by 2 to the power of `shift` and
  /// rounded. If the results would not fit in 16 bits, a smaller power of 2 is used.
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
  fileprivate mutating func add(_ matrix: scene_matrix) {
    if matrix_count == 0 { matrices.0 = matrix } else { matrices.1 = matrix }
    matrix_count += 1
  }

  /// Appends a layer that paints a translucent colour over the pixels. Each component becomes (C · t +
  /// component · (255 − t)) / 255. Here t is the opacity of the tint and C is its colour, both from 0 to 255.
  /// For the alpha component, C is 255.
  fileprivate mutating func add(_ tint: BackdropEffect.Tint) {
    let opacity = Self.byte(tint.alpha)
    func part(_ colour: Double) -> UInt16 { Self.byte(colour) * opacity }
    add(
      colourScale: 255 - opacity, alphaScale: 255 - opacity,
      (part(tint.red), part(tint.green), part(tint.blue), part(1)))
  }

  /// Appends a white layer with the opacity E in the blend mode `exclusion`, which reduces the contrast. A
  /// premultiplied colour c becomes E + c(1 − 2E), and an alpha a becomes E + a(1 − E). All of these numbers
  /// are from 0 to 1.
  fileprivate mutating func add(exclusion: Double) {
    // The opacity is limited to 127 because the factor for colours, 255 − 2 · opacity, must not be negative.
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
