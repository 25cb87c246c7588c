/// A filter for all rows, or for all columns, of an image. It first extends each row or column beyond the
/// edges of the image, as the edge mode requires, and then filters it.
///
/// A row or column is always filtered from end to end, even if only a part of it is wanted. Therefore,
/// blurring a part of an image gives exactly the same pixels as blurring the whole image. This is not true
/// for filters whose rounding errors depend on other lines (see ``mixesLines``).
struct AxisLine<Filter: AxisFilter>: Sendable {
  private let filter: Filter?
  private let line: PaddedLine
  /// The constant colour of the edge mode `constant`, as one vector for each channel. Eight lines are
  /// filtered at a time, and the vector for channel c is used if the first of them holds channel c. In an rgb
  /// image, for example, the vector for channel 1 contains the values g b r g b r g b.
  private let constants: [Lanes]
  /// The reach of an infinite or NaN sample, in pixels. All results within this distance of such a sample
  /// become NaN. The distance is six sigma, which is the radius of the exact Gaussian's window.
  private let window: Int
  /// Whether the samples of the image are floating-point numbers, which can be infinite or NaN.
  private let isFloat: Bool

  /// Prepares to filter rows or columns of `count` pixels. The closure `filter` creates the filter. If
  /// `sigma` is 0, there is no filter, and the rows or columns are left unchanged.
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

  /// Whether the rounding errors in a line depend on the other lines that are filtered at the same time.
  var mixesLines: Bool { filter?.mixesLines ?? false }

  /// The number of scratch bytes for filtering eight lines at a time. This memory holds the eight lines and
  /// the scratch memory of the filter. For float images, it also holds a copy of the unfiltered lines.
  var scratchBytes: Int {
    let lanes = count + (filter?.scratchCount(count) ?? 0) + (isFloat ? count : 0)
    return lanes * MemoryLayout<Lanes>.stride
  }

  /// Returns the address in `scratch` at which the caller must store the first pixels of the eight lines. The
  /// memory before this address is for the additional samples that extend the lines at their start.
  func pixels(in scratch: UnsafeMutableRawPointer) -> UnsafeMutablePointer<Lanes> {
    // SAFETY: the eight lines are stored at the start of the scratch memory. `scratchBytes` reserves space
    // for all samples of these lines, so the address of the first image pixel lies inside the scratch memory.
    // `scratch` is aligned to a cache line, and therefore also to a vector.
    scratch.assumingMemoryBound(to: Lanes.self) + line.offset(of: 0)
  }

  /// Extends eight lines beyond the edges of the image, and filters them in place. The pixels of the lines
  /// must already be in `scratch`. `channel` is the channel of the first line, which determines the constant
  /// colour in the edge mode `constant`.
  func run(_ scratch: UnsafeMutableRawPointer, channel: Int) {
    guard let filter else { return }
    // SAFETY: the scratch memory first holds `count` vectors for the samples of the eight lines, and then the
    // scratch vectors of the filter. In float formats, another `count` vectors follow. `scratchBytes`
    // reserves space for all of these vectors.
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

  /// Returns whether all samples of eight lines are finite. The function multiplies every sample by 0 and
  /// adds the products. The sum is 0 only if all samples are finite, because infinity · 0 and NaN · 0 are
  /// NaN.
  private static func isFinite(_ line: UnsafeMutablePointer<Lanes>, _ count: Int) -> Bool {
    var sum = Lanes.zero
    // SAFETY: the line holds `count` vectors, and `i` is smaller than `count`.
    for i in 0..<count { sum += line[i] * Lanes.zero }
    return sum == .zero
  }

  /// Copies eight lines to `marks`, and then replaces each infinite or NaN sample in `line` by 0. Without
  /// this replacement, a filter with a running sum would carry such a sample to the end of the line. After
  /// filtering, `marks` still shows where these samples were.
  private static func separate(
    _ line: UnsafeMutablePointer<Lanes>, _ marks: UnsafeMutablePointer<Lanes>, _ count: Int
  ) {
    // SAFETY: `line` and `marks` each hold `count` vectors, and `i` is smaller than `count`.
    for i in 0..<count {
      marks[i] = line[i]
      for lane in 0..<Lanes.scalarCount where !line[i][lane].isFinite { line[i][lane] = 0 }
    }
  }

  /// Sets each filtered sample to NaN if the unfiltered line has an infinite or NaN sample within six sigma
  /// of it. This distance is the radius of the exact Gaussian's window.
  ///
  /// - Parameters:
  ///   - marks: The samples before filtering.
  ///   - line: The filtered samples.
  private func spread(_ marks: UnsafeMutablePointer<Lanes>, over line: UnsafeMutablePointer<Lanes>) {
    // SAFETY: `line` and `marks` each hold `count` vectors, and the indices `i` and `j` are both smaller than
    // `count`.
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
