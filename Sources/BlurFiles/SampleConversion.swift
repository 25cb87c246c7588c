import Blur

/// Converts pixel components to the samples that are written to a file. The colours must have straight alpha,
/// which means that they must not be multiplied by alpha.
struct SampleConversion {
  /// The counts of samples that were clamped because the source has floats but the new file stores integers.
  private(set) var clamped = ClampedSamples()
  private let counts: Bool
  /// The function that converts a colour, or nil if colours are stored unchanged.
  private let curve: ((Double) -> Double)?
  /// The result of ``curve`` for each 16-bit value. The array is empty for float pixels and if ``curve`` is
  /// nil.
  private let table: [Double]

  /// Creates the conversion for writing a picture to a file.
  ///
  /// - Parameters:
  ///   - depth: The depth of the source file.
  ///   - format: The format of the pixels in memory.
  ///   - isLinearLight: Whether the pixels in memory are linear light.
  ///   - kind: The format of the new file.
  ///   - own: A closure that returns the curve of the source file. It is called only if the curve is needed.
  /// - Throws: The error that `own` throws, if the curve is needed. There is one exception: if the pixels are
  ///   not linear light and the new file's values are always sRGB (as in a PPM file), an unknown curve is not
  ///   an error. The values are then copied unchanged, and ``PictureMetadata/warnings(for:)`` returns a
  ///   warning about this.
  init(
    from depth: Samples.Depth, _ format: PixelFormat, isLinearLight: Bool, to kind: FileFormat,
    _ own: () throws -> TransferCurve
  ) throws {
    counts = depth == .float && kind.shape.depth != .float
    let source: TransferCurve
    let target: TransferCurve
    switch (isLinearLight, FileFormat.curve(kind.ending)) {
    case (true, let curve): (source, target) = (.linear, try curve ?? own())
    case (false, nil): (source, target) = (.linear, .linear)
    case (false, .linear?): (source, target) = (try own(), .linear)
    case (false, let curve?): (source, target) = ((try? own()) ?? curve, curve)
    }
    guard source != target else {
      (curve, table) = (nil, [])
      return
    }
    let convert = { target.colour(of: source.light(of: $0)) }
    curve = convert
    table = format.component == .float32 ? [] : (0...65535).map { convert(Double($0) / 65535) }
  }

  /// Whether samples can be copied without converting or counting them.
  var isIdentity: Bool { curve == nil && !counts }

  /// Converts a colour with straight alpha to the value that the file stores. `isExact` says that the colour
  /// did not have to be divided by alpha. Unless the pixels are floats, the result for such a colour is read
  /// from `table`.
  @inline(__always)
  func converted(_ share: Double, isExact: Bool) -> Double {
    guard let curve else { return share }
    return isExact && !table.isEmpty ? table[Int(share * 65535 + 0.5)] : curve(share)
  }

  /// Counts a value that is about to be stored, if the file cannot hold it.
  @inline(__always)
  mutating func count(_ share: Double, full: Double) {
    if counts { clamped.count(share, full: full) }
  }
}

extension RowWriter {
  /// Writes the rows of an image. Each row is first converted to samples of the file, which have straight
  /// alpha.
  func write(rowsOf view: ImageView, _ conversion: inout SampleConversion) throws(ImageDataError) {
    var row = Samples(shape.row)
    for y in 0..<view.layout.height {
      row.unpremultiply(row: 0, from: view.unsafeRow(y), view.layout, &conversion)
      try write(row)
    }
  }
}

/// The numbers of samples that are changed because a file of integers cannot hold their values.
struct ClampedSamples {
  private(set) var above = 0, below = 0, undefined = 0

  /// Counts a value, given as a fraction of full scale, if it is NaN, or too large or too small for a file
  /// whose largest sample is `full`. Values that are outside the range by at most half a step are not
  /// counted.
  mutating func count(_ share: Double, full: Double) {
    if share.isNaN {
      undefined += 1
    } else if share * full > full + 0.5 {
      above += 1
    } else if share * full < -0.5 {
      below += 1
    }
  }

  /// One line of text for the user, or nil if no sample was clamped.
  var note: String? {
    guard above + below + undefined > 0 else { return nil }
    return "clamped samples that the file cannot hold: \(above) above 1, \(below) below 0 (now 0), "
      + "\(undefined) not a number (now 0)"
  }
}
