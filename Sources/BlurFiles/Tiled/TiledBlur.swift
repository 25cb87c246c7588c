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

  /// Opens the file at `path`. A file with an alpha channel is read once in advance, because an opaque
  /// picture can be blurred with fewer bits per sample.
  ///
  /// - Throws: ``ImageFileError``, also for interlaced PNG, and ``Blur/BlurError/invalidLayout(_:)``.
  public init(reading path: String) throws {
    self.path = path
    (input, shape, layout) = try Self.naming(path) {
      let input = try InputFile(path)
      let reader = try ImageFile.rows(of: input)
      if let reason = reader.wholeOnly {
        throw ImageDataError("\(reason), or blur the whole image at once")
      }
      let format = try reader.shape.pixelFormat(isOpaque: Self.isOpaque(reader))
      let layout = try ImageLayout(format, width: reader.shape.width, height: reader.shape.height)
      return (input, reader.shape, layout)
    }
  }

  /// Blurs the picture and writes the result to `path`, which may be the file that is being read. The written
  /// file appears complete or not at all.
  ///
  /// - Parameter bands: A division of ``layout`` into bands.
  /// - Throws: ``ImageFileError`` and ``Blur/BlurError``.
  public func blur(_ bands: Bands, to path: String) throws {
    try Self.naming(path) {
      let maker = try ImageFile.maker(of: shape, ending: ImageFile.ending(of: path))
      try OutputFile.write(to: path) { file in
        let writer = try maker(file)
        try blur(bands, to: writer)
        try writer.finish()
      }
    }
  }

  private func blur(_ bands: Bands, to writer: any RowWriter) throws {
    let reader = try Self.naming(path) { try ImageFile.rows(of: input) }
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
        try writer.write(rowsOf: target.readOnly)
      }
    }
    try Self.naming(path) {
      try window.move(to: layout.height..<layout.height)
      try reader.finish()
    }
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

  /// Runs `body` and adds the name of the file at `path` to an error in the image data.
  private static func naming<R>(_ path: String, _ body: () throws -> R) throws -> R {
    do { return try body() } catch let error as ImageDataError {
      throw ImageFileError(path, error.description)
    }
  }
}

extension Bands: CustomStringConvertible {
  /// One line of text with the number of bands, their height and the memory that they take.
  public var description: String {
    "\(all.count) band(s) of up to \(rowsPerBand) rows, \(MemoryBoundError.text(byteCount)) of memory"
  }
}
