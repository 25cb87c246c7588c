/// The filter for the rows, or for the columns, of an image. It extends each row or column according to the
/// edge mode, and then filters it.
///
/// A row or column is always filtered from end to end, even if only a part of it is wanted. Therefore a
/// blurred part of an image has exactly the same bits as the same part of the whole blurred image, unless
/// ``mixesLines`` is true.
struct AxisLine<Filter: AxisFilter>: Sendable {
  private let filter: Filter?
  private let line: PaddedLine
  /// Vectors that are filled with the components of the constant pixel, which surrounds the image in the edge
  /// mode `constant`. The lanes cycle through the channels, as in r g b r g b r g. In the vector at index c,
  /// the first lane holds channel c.
  private let constants: [Lanes]
  /// The distance, in pixels, up to which an infinite or NaN sample affects the result. It is six sigma,
  /// which is the radius of the exact Gaussian's window.
  private let window: Int
  /// Whether the image consists of floating-point numbers, which can be infinite or NaN.
  private let isFloat: Bool

  /// Creates the filter for lines of `count` pixels by calling `filter`. If `sigma` is 0, no filter is
  /// created, and lines are left unchanged.
  init(
    _ count: Int, sigma: Double, edge: EdgeMode, format: PixelFormat,
    _ filter: (_ sigma: Double, _ count: Int) -> Filter
  ) {
    self.filter = sigma > 0 ? filter(sigma, count) : nil
    line = PaddedLine(
      0..<count, radius: self.filter?.margin(edge) ?? 0, width: count, edge: edge, channels: 1)
    constants = (0..<format.channels).map { first in
      var constant = Lanes.zero
      for i in 0..<Lanes.scalarCount {
        constant[i] = Double(edge.constant((first + i) % format.channels, in: format))
      }
      return constant
    }
    window = Int((6 * sigma).rounded(.up))
    isFloat = format.component == .float32
  }

  private var count: Int { line.positions.count }

  /// A Boolean value that indicates whether the rounding errors of a line depend on the lines in the other
  /// SIMD lanes.
  var mixesLines: Bool { filter?.mixesLines ?? false }

  /// The number of scratch bytes for eight lines and for the filter. In float formats, it includes the space
  /// for an unfiltered copy of the lines.
  var scratchBytes: Int {
    let lanes = count + (filter?.scratchCount(count) ?? 0) + (isFloat ? count : 0)
    return lanes * MemoryLayout<Lanes>.stride
  }

  /// Returns the address in `scratch` at which the first pixel of the image must be stored. The memory before
  /// this address is for the samples by which the lines are extended.
  func pixels(in scratch: UnsafeMutableRawPointer) -> UnsafeMutablePointer<Lanes> {
    // SAFETY: the line begins at the start of the scratch memory, where `scratchBytes` reserves space for all
    // of it. `scratch` is aligned to a cache line, and therefore also to a vector.
    scratch.assumingMemoryBound(to: Lanes.self) + line.offset(of: 0)
  }

  /// Filters the eight lines whose image pixels have already been copied to `scratch`. The lines can belong
  /// to different channels, and `channel` is the channel of the first line. It selects the values with which
  /// the lines are extended in the edge mode `constant`.
  func run(_ scratch: UnsafeMutableRawPointer, channel: Int) {
    guard let filter else { return }
    // SAFETY: `scratchBytes` reserves `count` vectors for the samples of the eight lines, followed by the
    // scratch vectors of the filter. In float formats, it reserves another `count` vectors after these.
    let lanes = scratch.assumingMemoryBound(to: Lanes.self)
    line.fill(lanes) { _ in constants[channel] }
    let rest = lanes + count
    if isFloat && !Self.isFinite(lanes, count) {
      let marks = rest + filter.scratchCount(count)
      Self.separate(lanes, marks, count)
      filter.filter(lanes, count, rest)
      spread(marks, over: lanes)
    } else {
      filter.filter(lanes, count, rest)
    }
  }

  /// Returns whether all samples of eight lines are finite. Each sample is multiplied by 0, because the
  /// product is 0 if the sample is finite, and NaN otherwise.
  private static func isFinite(_ line: UnsafeMutablePointer<Lanes>, _ count: Int) -> Bool {
    var sum = Lanes.zero
    // SAFETY: the line holds `count` vectors.
    for i in 0..<count { sum += line[i] * Lanes.zero }
    return sum == .zero
  }

  /// Copies the samples of eight lines to `marks`, so that infinite and NaN samples can still be found after
  /// filtering. Then replaces each infinite or NaN sample in `line` by 0. If such a sample stayed in the
  /// line, a running sum would carry it to the end of the line.
  private static func separate(
    _ line: UnsafeMutablePointer<Lanes>, _ marks: UnsafeMutablePointer<Lanes>, _ count: Int
  ) {
    // SAFETY: `line` and `marks` each hold `count` vectors.
    for i in 0..<count {
      marks[i] = line[i]
      for lane in 0..<Lanes.scalarCount where !line[i][lane].isFinite { line[i][lane] = 0 }
    }
  }

  /// Sets a filtered sample to NaN if the window around it contains an infinite or NaN sample. This window
  /// reaches six sigma to each side, like the window of the exact Gaussian.
  ///
  /// - Parameters:
  ///   - marks: The samples before filtering.
  ///   - line: The filtered samples.
  private func spread(_ marks: UnsafeMutablePointer<Lanes>, over line: UnsafeMutablePointer<Lanes>) {
    // SAFETY: `line` and `marks` each hold `count` vectors.
    for lane in 0..<Lanes.scalarCount {
      var (left, right) = (Int.max / 2, Int.max / 2)
      for i in 0..<count {
        let j = count - 1 - i
        left = marks[i][lane].isFinite ? left + 1 : 0
        right = marks[j][lane].isFinite ? right + 1 : 0
        if left <= window { line[i][lane] = .nan }
        if right <= window { line[j][lane] = .nan }
      }
    }
  }
}
