import Blur

/// Blurs one image file into another in bands of rows, so that neither picture has to fit into memory.
///
/// The written file has the same bytes as the file that ``ImageFile`` would write for the whole blurred
/// picture.
public final class TiledBlur {
  /// The size of the picture and the pixel format in which it is blurred. The format may have more bits per
  /// sample than the file.
  public let layout: ImageLayout
  private let path: String
  private let input: InputFile
  private let shape: Samples.Shape
  /// The number of channels in the file: 1 for gray, 2 for gray and alpha, 3 for RGB, 4 for RGBA.
  public var channels: Int { shape.channels }
  private let isOpaque: Bool
  /// The file extension of the input format.
  public let ending: String
  /// The data in the file apart from the pixels. Data that the file stores after the pixels is added only
  /// when the picture is blurred.
  public private(set) var metadata: PictureMetadata
  /// Whether the file holds linear light, as PFM files do. Most other files hold values that are encoded with
  /// a curve.
  public var isLinearLight: Bool { metadata.isLinearLight(shape.depth) }
  /// The curve that converts between stored values and linear light, as in ``Picture/curve``.
  public var curve: TransferCurve {
    get throws { try Self.naming(path) { try metadata.curve() } }
  }

  /// Opens the file at `path`. A file with an alpha channel is read once in advance to find out whether it is
  /// opaque, because an opaque picture can be blurred with fewer bits per sample.
  ///
  /// - Throws: ``ImageFileError`` if the file cannot be read, or is an interlaced PNG, which cannot be read
  ///   row by row. Also throws ``Blur/BlurError/invalidLayout(_:)``.
  public init(reading path: String) throws {
    self.path = path
    (input, shape, metadata, layout, isOpaque, ending) = try Self.naming(path) {
      let input = try InputFile(path)
      let reader = try ImageFile.rows(of: input)
      if let reason = reader.wholeOnly {
        throw ImageDataError("\(reason), or blur the whole image at once")
      }
      let isOpaque = try Self.isOpaque(reader)
      let format = reader.shape.pixelFormat(
        isOpaque: isOpaque, isWide: reader.metadata.isLinearLight(reader.shape.depth))
      let layout = try ImageLayout(format, width: reader.shape.width, height: reader.shape.height)
      return (input, reader.shape, reader.metadata, layout, isOpaque, try ImageFile.ending(of: input))
    }
  }

  /// Blurs the picture and writes the result to `path`, which may be the file that is being read. The new
  /// file becomes visible only when it is complete.
  ///
  /// - Parameter bands: A division of ``layout`` into bands.
  /// - Returns: A sentence about each loss: metadata that the file cannot hold, and samples that were
  ///   clamped.
  /// - Throws: ``ImageFileError`` and ``Blur/BlurError``.
  @discardableResult
  public func blur(_ bands: Bands, to path: String) throws -> [String] {
    let reader = try Self.naming(self.path) { try ImageFile.rows(of: input) }
    let ending = ImageFile.ending(of: path, from: ending)
    let isOpaque = isOpaque && !bands.parameters.edge.isTransparent(in: layout.format)
    let kind = try Self.naming(path) { try FileFormat(of: shape, ending: ending, isOpaque: isOpaque) }
    var conversion = try SampleConversion(
      from: shape.depth, layout.format, isLinearLight: isLinearLight, to: kind
    ) { try curve }
    var notes: [String] = []
    try Self.naming(path) {
      try OutputFile.write(to: path) { file in
        let writer = try kind.writer(reader.metadata.fitting(kind.ending, kind.shape).kept, file)
        let hiddenColours = try blur(bands, reader, to: writer, &conversion)
        metadata = reader.metadata
        metadata.note(hiddenColours: hiddenColours)
        let (kept, losses) = metadata.fitting(kind.ending, kind.shape)
        notes = losses
        try writer.finish(with: kept)
      }
    }
    return notes + [conversion.clamped.note].compactMap { $0 }
  }

  /// Blurs all bands, and returns the number of source pixels that have a colour even though their alpha is
  /// 0.
  private func blur(
    _ bands: Bands, _ reader: any RowReader, to writer: any RowWriter, _ conversion: inout SampleConversion
  ) throws -> Int {
    var window = try RowWindow(reader, layout.format, capacity: bands.mostHeld)
    var result = try Image(layout.format, width: layout.width, height: bands.rowsPerBand)
    for band in bands.all {
      try Self.naming(path) { try window.move(to: band.firstHeld..<band.endHeld) }
      let plan = try BlurPlan(
        bands.kernel, for: layout, bands.parameters.of(band.rows, layout), threads: bands.threads)
      let part = Region(x: 0, y: 0, width: layout.width, height: band.rows.count)
      try result.withMutableView { view in
        let target = try view.cropped(to: part)
        try window.withTile(band.reads) { (tile) throws(BlurError) in try plan.blur(tile: tile, into: target)
        }
        try writer.write(rowsOf: target.readOnly, &conversion)
      }
    }
    try Self.naming(path) {
      try window.move(to: layout.height..<layout.height)
      try reader.finish()
    }
    return window.hiddenColours
  }

  private static func isOpaque(_ reader: any RowReader) throws(ImageDataError) -> Bool {
    guard reader.shape.hasAlpha else { return true }
    var row = Samples(reader.shape.row)
    for _ in 0..<reader.shape.height {
      try reader.read(into: &row, row: 0)
      if !row.isOpaque { return false }
    }
    return true
  }

  /// Runs `body`. If it throws an ``ImageDataError``, the path of the file is added to the error.
  private static func naming<R>(_ path: String, _ body: () throws -> R) throws -> R {
    do { return try body() } catch let error as ImageDataError {
      throw ImageFileError(path, error.description)
    }
  }
}

extension EdgeMode {
  /// Whether the pixels beyond the image are transparent, at least in part.
  fileprivate func isTransparent(in format: PixelFormat) -> Bool {
    if case .constant(let pixel) = self { Double(pixel.w) < format.fullScale } else { false }
  }
}

extension Bands: CustomStringConvertible {
  /// One line of text with the number of bands, their height and the memory that they take.
  public var description: String {
    "\(all.count) band(s) of up to \(rowsPerBand) rows, \(MemoryBoundError.text(byteCount)) of memory"
  }
}

/// The rows of a file that are currently in memory as pixels. This window moves down as the file is read.
private struct RowWindow {
  private let reader: any RowReader
  private var image: Image
  private var row: Samples
  /// The range of file rows that are in memory now. The first of these rows is row 0 of ``image``.
  private(set) var held = 0..<0
  /// The number of pixels read so far that have a colour even though their alpha is 0.
  private(set) var hiddenColours = 0

  init(_ reader: any RowReader, _ format: PixelFormat, capacity: Int) throws(BlurError) {
    self.reader = reader
    image = try Image(format, width: reader.shape.width, height: capacity)
    row = Samples(reader.shape.row)
  }

  /// Reads the file until all of `rows` are in memory, and discards the rows above them. `rows` must not
  /// begin before the rows of the previous call, because discarded rows cannot be read again.
  mutating func move(to rows: Range<Int>) throws(ImageDataError) {
    let kept = max(rows.lowerBound, held.lowerBound)..<max(rows.lowerBound, held.upperBound)
    let skipped = kept.lowerBound - held.lowerBound
    image.withMutableView { view in
      // SAFETY: the image begins with the `skipped` rows, and the rows to keep follow directly. Both ranges
      // lie inside the image. They may overlap, which `copyMemory` allows.
      if skipped > 0 && !kept.isEmpty {
        view.unsafeRow(0).copyMemory(
          from: view.unsafeRow(skipped), byteCount: kept.count * view.layout.stride)
      }
    }
    var next = held.upperBound
    held = kept
    while next < rows.upperBound {
      try reader.read(into: &row, row: 0)
      if next >= rows.lowerBound { take(next) }
      next += 1
    }
  }

  /// Stores the row that was just read, row `y` of the file, below the rows that are already in memory.
  private mutating func take(_ y: Int) {
    hiddenColours += row.hiddenColours
    image.withMutableView { view in
      row.premultiply(row: 0, into: view.unsafeRow(y - held.lowerBound), view.layout.format)
    }
    held = held.lowerBound..<y + 1
  }

  /// Calls `body` with the pixels of a part of the file's picture. All rows of this part must already be in
  /// memory.
  func withTile(_ part: Region, _ body: (ImageView) throws(BlurError) -> Void) throws(BlurError) {
    let region = Region(
      x: part.x, y: part.y - held.lowerBound, width: part.width, height: part.height)
    try image.withView { (view) throws(BlurError) in try body(view.cropped(to: region)) }
  }
}
