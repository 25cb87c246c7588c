import CBlurVectors

/// One axis of a blur by a sliding DCT (discrete cosine transform): its window, and the tables that the inner
/// loops read.
struct SlidingAxis: Sendable {
  /// The numbers of cosines that the inner loops support. The loops sum 3 or 4 cosines in single precision,
  /// and 7 cosines in double precision.
  private static let choices = [3, 4, 7]

  /// The fraction of the error bound that the cosine approximation may use up on each axis. The two axes
  /// together may use up 0.7 of the bound, which leaves 0.3 for rounding errors.
  private static let windowShare = 0.35

  let window: CosineWindow
  private let steps: AlignedBuffer
  private let start: AlignedBuffer

  /// The number of cosines whose weighted sum approximates the Gaussian.
  var cosines: Int { window.weights.count }

  /// Chooses the smallest number of cosines that keeps the error of both axes together below `share` of full
  /// scale.
  ///
  /// - Throws: ``BlurError/unsupported(kernel:reason:)`` if no number of cosines is accurate enough, or
  ///   ``BlurError/outOfMemory(bytes:)``.
  init(sigma: Double, share: Double, _ format: PixelFormat) throws(BlurError) {
    // Only 8-bit formats use three cosines, because their error bound is the loosest. In other formats, three
    // cosines would be accurate enough only at a few sigmas, by chance.
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
  /// accurate enough. With the standard accuracy, this happens only in some narrow ranges of small sigmas.
  /// These ranges are listed in `wideBands`, because computing them would take too long while a kernel is
  /// chosen. A test checks the list.
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

  /// Returns the window of this axis, with its tables of factors, as a C structure for the inner loops. If
  /// `checked` is true, the loops check whether every sample is finite and small enough to be summed.
  func pass(_ checked: Bool) -> blur_cosines {
    blur_cosines(
      steps: steps.base, start: start.base, radius: window.radius, cosines: cosines, checked: checked)
  }

  /// Returns the table of factors that the inner loops use to update the sums when the window slides by one
  /// sample. The table begins with the weight of the plain sum of all samples in the window. Then come two
  /// numbers for each cosine: the factor that updates the sum for this cosine, and the weight of this sum in
  /// the result.
  private static func steps(_ window: CosineWindow) -> [Double] {
    (1...window.weights.count).reduce(into: [1 / Double(window.length)]) { steps, k in
      let angle = window.angle(k)
      steps.append(-4 * Double.sin(angle / 2) * Double.sin(angle / 2))
      steps.append(window.weights[k - 1] * Double.cos(angle * Double(window.radius)))
    }
  }

  /// Returns the table of factors for computing the sums over the first window, before the window begins to
  /// slide. A factor depends on the cosine, and on the distance of the sample from the centre of the window.
  /// There are two factors for each cosine and distance, because the loops keep two sums for each cosine.
  private static func start(_ window: CosineWindow) -> [Double] {
    let cosines = window.weights.count
    let ends = (1...cosines).map { Double.cos(window.angle($0) * Double(window.radius)) }
    let sines = (1...cosines).map { Double.sin(window.angle($0)) }
    var table: [Double] = []
    table.reserveCapacity(2 * cosines * (window.radius + 1))
    CosineWindow.forEachTap(radius: window.radius) { _, cosine, sine in
      for k in 0..<cosines {
        table.append(cosine[k] / ends[k])
        table.append(sines[k] * sine[k] / ends[k])
      }
    }
    return table
  }

  private static func table(_ numbers: [Double], isWide: Bool) throws(BlurError) -> AlignedBuffer {
    let size = isWide ? MemoryLayout<Double>.size : MemoryLayout<Float>.size
    let buffer = try AlignedBuffer(byteCount: numbers.count * size, zeroed: false)
    for (i, number) in numbers.enumerated() {
      // SAFETY: the buffer has `size` bytes for each element of `numbers`, and `i` is the index of an
      // element.
      if isWide {
        buffer.base.storeBytes(of: number, toByteOffset: i * size, as: Double.self)
      } else {
        buffer.base.storeBytes(of: Float(number), toByteOffset: i * size, as: Float.self)
      }
    }
    return buffer
  }

  /// Returns the number of rows in a block, for an image of `height` rows. At the start of each block, the
  /// vertical sums are computed from all rows of a window. For all other rows of the block, the sums are only
  /// updated.
  ///
  /// Each block is one unit of work. With more blocks, more threads can share the work, but there are also
  /// more windows to sum. A block therefore has at least 256 rows. It also has at least as many rows as the
  /// radius of the window, or twice as many if there are more than four blocks. There are two exceptions. If
  /// the radius is small, an image may be divided into two shorter blocks. Blocks of more than `longest` rows
  /// are always divided; see ``Thresholds/cosineBlock``. The number of blocks is a power of two, so that they
  /// are easy to divide evenly among threads.
  static func blockOfRows(_ height: Int, radius: Int, longest: Int) -> Int {
    var blocks = 1
    while isWorthHalving(height, radius, longest, blocks: blocks) { blocks *= 2 }
    return ((height + blocks - 1) / blocks + 31) / 32 * 32
  }

  private static func isWorthHalving(_ height: Int, _ radius: Int, _ longest: Int, blocks: Int) -> Bool {
    let rows = height / (2 * blocks)
    if height > longest * blocks || rows >= max(256, blocks < 4 ? radius : 2 * radius) { return true }
    return blocks == 1 && rows >= max(96, 4 * radius)
  }
}
