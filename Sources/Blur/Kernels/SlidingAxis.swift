import CBlurVectors

/// One axis of a blur by a sliding DCT (discrete cosine transform): its window, and the tables that the inner
/// loops read.
struct SlidingAxis: Sendable {
  /// The numbers of cosines that the inner loops can sum. 3 or 4 cosines are summed in single precision, 7 in
  /// double precision.
  private static let choices = [3, 4, 7]

  /// The fraction of the allowed error that the window of each axis may use. The rest is reserved for
  /// rounding.
  private static let windowShare = 0.35

  let window: CosineWindow
  private let steps: AlignedBuffer
  private let start: AlignedBuffer

  /// The number of cosines in the window.
  var cosines: Int { window.weights.count }

  /// Chooses the smallest number of cosines that keeps the error of both axes together below `share` of full
  /// scale.
  ///
  /// - Throws: ``BlurError/unsupported(kernel:reason:)`` if no number of cosines is accurate enough, or
  ///   ``BlurError/outOfMemory(bytes:)``.
  init(sigma: Double, share: Double, _ format: PixelFormat) throws(BlurError) {
    // Three cosines are used only for 8-bit formats. For the bounds of other formats they are not accurate
    // enough, except by chance.
    let choices = Self.choices.drop { $0 == 3 && format.component != .uint8 }
    let windows = choices.lazy.map { CosineWindow(sigma: sigma, cosines: $0) }
    guard let window = windows.first(where: { $0.error <= Self.windowShare * share }) else {
      throw .unsupported(kernel: SlidingDCT.family, reason: "an error of only \(share) at sigma \(sigma)")
    }
    self.window = window
    let isWide = window.weights.count > Int(blur_narrow_cosines)
    steps = try Self.table(Self.steps(window), isWide: isWide)
    start = try Self.table(Self.start(window), isWide: isWide)
  }

  /// Returns whether an axis needs seven cosines in double precision, because three or four cosines are not
  /// accurate enough. With the standard accuracy, this happens only in some narrow bands of small sigmas. The
  /// bands were computed beforehand because a choice among kernels may take only a microsecond. A test
  /// computes them again.
  static func isWide(_ sigma: Double, _ accuracy: Accuracy, _ format: PixelFormat) -> Bool {
    if accuracy == .fine { return sigma >= 1.01 }
    return format.component != .uint8 && wideBands.contains { $0.contains(sigma) }
  }

  /// Returns the number of vector instructions that the inner loop needs for one vector of samples. Each
  /// cosine takes six instructions. In double precision, the sums take twice as many vectors.
  static func steps(_ sigma: Double, _ accuracy: Accuracy, _ format: PixelFormat) -> Double {
    isWide(sigma, accuracy, format) ? 2 * 7 * 6 : format.component == .uint8 ? 3 * 6 : 4 * 6
  }

  private static let wideBands = [1.29..<1.37, 1.57..<1.62, 1.83..<1.88, 2.10..<2.12]

  /// Returns the description of the window that the loops read. If `checked` is true, the loops check whether
  /// every sample is finite and small enough to be summed.
  func pass(_ checked: Bool) -> blur_cosines {
    blur_cosines(
      steps: steps.base, start: start.base, radius: window.radius, cosines: cosines, checked: checked)
  }

  /// Returns the factors that the loops need to move the sums on by one sample. The first is the weight of
  /// the plain sum of all samples in the window. Then there are two numbers for each cosine: the factor that
  /// moves its sum on, and its weight.
  private static func steps(_ window: CosineWindow) -> [Double] {
    (1...window.weights.count).reduce(into: [1 / Double(window.length)]) { steps, k in
      let angle = window.angle(k)
      steps.append(-4 * Double.sin(angle / 2) * Double.sin(angle / 2))
      steps.append(window.weights[k - 1] * Double.cos(angle * Double(window.radius)))
    }
  }

  /// Returns the factors by which the first samples are multiplied when sums begin. There are two factors for
  /// each cosine, for each distance from the centre of the window.
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
      // SAFETY: the buffer has `size` bytes for each number.
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
  /// The largest number of samples after which the sums begin anew. Each time the plain sum moves on by a
  /// sample in single precision, it loses at most 2⁻²⁴ of full scale. Over a block of samples, this adds up
  /// to 1.2 · 10⁻⁴.
  static let longestBlock = 2048

  /// The number of columns after which the sums along a row begin anew.
  static let blockOfColumns = longestBlock

  /// Returns the number of rows after which the sums down the columns begin anew, in an image of `height`
  /// rows.
  ///
  /// The number of blocks is a power of two, so that threads share equal blocks evenly. Each block is so long
  /// that beginning its sums costs little compared with moving them on from row to row. For up to four
  /// blocks, beginning the sums may cost more, so that threads can share the work. An image with few rows is
  /// divided into two blocks if that costs little.
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
