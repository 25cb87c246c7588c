import Blur

/// Blurs an image file into another row by row, so that neither need fit in memory.
///
/// The written file has the bytes that ``ImageFile`` would write of the whole blurred picture.
public final class TiledBlur {
  /// The image inside the file, as the kernel sees it.
  public let layout: ImageLayout
  private let path: String
  private let input: InputFile
  private let shape: Samples.Shape

  /// Opens the file at `path`. One with alpha is read through, for pictures that are opaque need fewer bits.
  ///
  /// - Throws: ``ImageFileError``, also for interlaced PNG, ``Blur/BlurError/invalidLayout(_:)``.
  public init(reading path: String) throws {
    self.path = path
    (input, shape, layout) = try Self.naming(path) {
      let input = try InputFile(path)
      let reader = try ImageFile.rows(of: input)
      if let reason = reader.wholeOnly { throw ImageFileError.Fault("\(reason), or blur it as a whole") }
      let format = try reader.shape.pixelFormat(isOpaque: Self.isOpaque(reader))
      let layout = try ImageLayout(format, width: reader.shape.width, height: reader.shape.height)
      return (input, reader.shape, layout)
    }
  }

  /// Blurs into the file at `path`, which may be the one that is read, and appears whole or not at all.
  ///
  /// - Parameter bands: for ``layout``.
  /// - Throws: ``ImageFileError``, ``Blur/BlurError``.
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

  private static func isOpaque(_ reader: any RowReader) throws(ImageFileError.Fault) -> Bool {
    guard reader.shape.hasAlpha else { return true }
    var row = Samples(reader.shape.row)
    for _ in 0..<reader.shape.height {
      try reader.read(into: &row, row: 0)
      if !row.isOpaque { return false }
    }
    return true
  }

  /// Faults inside are those of that file.
  private static func naming<R>(_ path: String, _ body: () throws -> R) throws -> R {
    do { return try body() } catch let fault as ImageFileError.Fault {
      throw ImageFileError(path, fault.reason)
    }
  }
}

extension Bands: CustomStringConvertible {
  /// One line of text.
  public var description: String {
    "\(all.count) band(s) of up to \(rowsPerBand) rows, \(MemoryBoundError.text(byteCount)) of memory"
  }
}
