/// The filter for the rows, or for the columns, of an image. It first extends each row or column beyond the
/// edges of the image, as the edge mode requires, and then filters it.
///
/// A row or column is always filtered from end to end, even if only a part of it is wanted. Therefore,
/// blurring only a part of an image gives exactly the same bits as blurring the whole image. The only
/// exception are filters whose rounding errors in a line depend on the other lines that are filtered at the
/// same time (see ``mixesLines``).
struct AxisLine<Filter: AxisFilter>: Sendable {
  private let filter: Filter?
  private let line: PaddedLine
  /// The colour that surrounds the image in the edge mode `constant`, as vectors with one number for each of
  /// eight lines. A line is one channel of a row or column, and the channels take turns: in an rgb image,
  /// eight neighbouring lines are r g b r g b r g, or g b r g b r g b, and so on. The vector at index c is
  /// for eight lines of which the first has channel c.
  private let constants: [Lanes]
  /// The distance in pixels up to which an infinite or NaN sample affects the results around it. These
  /// results become NaN. The distance is six sigma, which is the radius of the exact Gaussian's window.
  private let window: Int
  /// Whether the image consists of floating-point numbers, which can be infinite or NaN.
  private let isFloat: Bool

  /// Creates a filter for rows or columns of `count` pixels, by calling the closure `filter`. If `sigma` is
  /// 0, no filter is created, and the rows or columns are left unchanged.
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

  /// A Boolean value that indicates whether the rounding errors in a line depend on the other lines that are
  /// filtered at the same time.
  var mixesLines: Bool { filter?.mixesLines ?? false }

  /// The number of scratch bytes that are needed to filter eight lines at a time. They hold the eight lines
  /// and the filter's own scratch memory. In float formats, they also hold a copy of the lines as they were
  /// before filtering.
  var scratchBytes: Int {
    let lanes = count + (filter?.scratchCount(count) ?? 0) + (isFloat ? count : 0)
    return lanes * MemoryLayout<Lanes>.stride
  }

  /// Returns the address in `scratch` at which the caller must store the first image pixel of the eight
  /// lines. The memory before this address is for the samples by which the lines are extended at their start.
  func pixels(in scratch: UnsafeMutableRawPointer) -> UnsafeMutablePointer<Lanes> {
    // SAFETY: the eight lines are stored at the start of the scratch memory. `scratchBytes` reserves space
    // for all of their samples, so the address of the first image pixel lies inside the scratch memory.
    // `scratch` is aligned to a cache line, and therefore also to a vector.
    scratch.assumingMemoryBound(to: Lanes.self) + line.offset(of: 0)
  }

  /// Filters eight lines in place. The caller must already have copied their image pixels to `scratch`. The
  /// lines may belong to different channels, and `channel` is the channel of the first line. It is needed in
  /// the edge mode `constant`, to extend each line with the value that its channel has in the constant
  /// colour.
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

  /// Returns whether all samples of eight lines are finite. The function adds up the products of all samples
  /// and 0. A product x · 0 is 0 if x is finite, and NaN otherwise. So the sum is 0 only if all samples are
  /// finite.
  private static func isFinite(_ line: UnsafeMutablePointer<Lanes>, _ count: Int) -> Bool {
    var sum = Lanes.zero
    // SAFETY: the line holds `count` vectors, and `i` is smaller than `count`.
    for i in 0..<count { sum += line[i] * Lanes.zero }
    return sum == .zero
  }

  /// Prepares eight lines for filtering if some of their samples are infinite or NaN. The function first
  /// copies all samples to `marks`, so that the infinite and NaN samples can still be found after filtering.
  /// Then it replaces each infinite or NaN sample in `line` by 0. If such a sample stayed in the line, a
  /// filter with a running sum would carry it to the end of the line.
  private static func separate(
    _ line: UnsafeMutablePointer<Lanes>, _ marks: UnsafeMutablePointer<Lanes>, _ count: Int
  ) {
    // SAFETY: `line` and `marks` each hold `count` vectors, and `i` is smaller than `count`.
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
