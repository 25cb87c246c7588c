import CBlurVectors

/// One axis of a sliding DCT: its window, and the tables that its loops read.
struct SlidingAxis: Sendable {
  /// The numbers of cosines there is code for. Few are summed in single precision, 7 in double.
  private static let choices = [3, 4, 7]

  /// The part of the allowed error that each axis may spend on its window. What is left is for rounding.
  private static let windowShare = 0.35

  let window: CosineWindow
  private let steps: AlignedBuffer
  private let start: AlignedBuffer

  /// Cosines in the window.
  var cosines: Int { window.weights.count }

  /// Chooses the fewest cosines that keep the error below `share` of full scale, both axes together.
  init(sigma: Double, share: Double, _ format: PixelFormat) throws(BlurError) {
    // Three cosines are for 8 bits alone: no other bound is wide enough, except by chance.
    let choices = Self.choices.drop { $0 == 3 && format.component != .uint8 }
    let windows = choices.lazy.map { CosineWindow(sigma: sigma, cosines: $0) }
    guard let window = windows.first(where: { $0.error <= Self.windowShare * share }) else {
      throw .unsupported(kernel: SlidingDCT.family, reason: "an error of \(share) at sigma \(sigma)")
    }
    self.window = window
    let isWide = window.weights.count > Int(blur_narrow_cosines)
    steps = try Self.table(Self.steps(window), isWide: isWide)
    start = try Self.table(Self.start(window), isWide: isWide)
  }

  /// Whether seven cosines are taken, in double precision: where few do not fit, and in some narrow bands of
  /// small sigmas whose windows are unlucky. Worked out beforehand, for a choice among kernels takes a
  /// microsecond; a test repeats it.
  static func isWide(_ sigma: Double, _ accuracy: Accuracy, _ format: PixelFormat) -> Bool {
    if accuracy == .fine { return sigma >= 1.01 }
    return format.component != .uint8 && wideBands.contains { $0.contains(sigma) }
  }

  /// Vector instructions for a vector of sums; in double precision it takes two vectors.
  static func steps(_ sigma: Double, _ accuracy: Accuracy, _ format: PixelFormat) -> Double {
    isWide(sigma, accuracy, format) ? 2 * 7 * 6 : format.component == .uint8 ? 3 * 6 : 4 * 6
  }

  private static let wideBands = [1.29..<1.37, 1.57..<1.62, 1.83..<1.88, 2.10..<2.12]

  /// What the loops need to know.
  func pass(_ checked: Bool) -> blur_cosines {
    blur_cosines(
      steps: steps.base, start: start.base, radius: window.radius, cosines: cosines, checked: checked)
  }

  /// The weight of the plain sum, then for each cosine what moves it on and its weight.
  private static func steps(_ window: CosineWindow) -> [Double] {
    (1...window.weights.count).reduce(into: [1 / Double(window.length)]) { steps, k in
      let angle = window.angle(k)
      steps.append(-4 * Double.sin(angle / 2) * Double.sin(angle / 2))
      steps.append(window.weights[k - 1] * Double.cos(angle * Double(window.radius)))
    }
  }

  /// For each distance, and each cosine, how a sample enters the first sums.
  private static func start(_ window: CosineWindow) -> [Double] {
    (0...window.radius).flatMap { distance in
      (1...window.weights.count).flatMap { k in
        let angle = window.angle(k)
        let end = Double.cos(angle * Double(window.radius))
        return [
          Double.cos(angle * Double(distance)) / end,
          Double.sin(angle) * Double.sin(angle * Double(distance)) / end,
        ]
      }
    }
  }

  private static func table(_ numbers: [Double], isWide: Bool) throws(BlurError) -> AlignedBuffer {
    let size = isWide ? MemoryLayout<Double>.size : MemoryLayout<Float>.size
    let buffer = try AlignedBuffer(byteCount: numbers.count * size, zeroed: false)
    for (i, number) in numbers.enumerated() {
      // SAFETY: the buffer holds a scalar of `size` bytes for each number.
      if isWide {
        buffer.base.storeBytes(of: number, toByteOffset: i * size, as: Double.self)
      } else {
        buffer.base.storeBytes(of: Float(number), toByteOffset: i * size, as: Float.self)
      }
    }
    return buffer
  }
}

extension SlidingAxis {
  /// Samples from one beginning of the sums to the next, at most. Single precision loses at most 2⁻²⁴ of full
  /// scale in each step of the plain sum: 1.2 · 10⁻⁴ over a block.
  static let longestBlock = 2048

  /// Columns from one beginning to the next.
  static let blockOfColumns = longestBlock

  /// Rows from one beginning to the next, for an image of `height` rows: a power of two of equal blocks, so
  /// that threads share them evenly, each long enough that beginning costs little beside sliding. Up to four
  /// blocks may cost more, for the sake of threads; two of a low image, where that costs little.
  static func blockOfRows(_ height: Int, radius: Int) -> Int {
    var blocks = 1
    while isWorthHalving(height, radius, blocks: blocks) { blocks *= 2 }
    return ((height + blocks - 1) / blocks + 31) / 32 * 32
  }

  private static func isWorthHalving(_ height: Int, _ radius: Int, blocks: Int) -> Bool {
    let rows = height / (2 * blocks)
    if height > longestBlock * blocks || rows >= max(256, blocks < 4 ? radius : 2 * radius) { return true }
    return blocks == 1 && rows >= max(96, 4 * radius)
  }
}
