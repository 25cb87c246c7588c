import Blur

/// A range of the rows of a file, held in memory as pixels. The range moves down as the file is read.
struct RowWindow {
  private let reader: any RowReader
  private var image: Image
  private var row: Samples
  /// The indices, in the file, of the rows that are in memory now. The first of these rows is row 0 of
  /// ``image``.
  private(set) var held = 0..<0

  init(_ reader: any RowReader, _ format: PixelFormat, capacity: Int) throws(BlurError) {
    self.reader = reader
    image = try Image(format, width: reader.shape.width, height: capacity)
    row = Samples(reader.shape.row)
  }

  /// Reads the file until all of `rows` are in memory, and discards the rows above them. The file is read
  /// only once, so discarded rows cannot be read again: `rows` must never begin above the rows of the
  /// previous call.
  mutating func move(to rows: Range<Int>) throws(ImageDataError) {
    let kept = max(rows.lowerBound, held.lowerBound)..<max(rows.lowerBound, held.upperBound)
    let skipped = kept.lowerBound - held.lowerBound
    image.withMutableView { view in
      // SAFETY: the image begins with the `skipped` rows, and the rows to keep follow directly. The copy
      // moves the rows to keep to the top of the image, so both ranges lie inside it. They may overlap, which
      // `copyMemory` allows.
      if skipped > 0 && !kept.isEmpty {
        view.row(0).copyMemory(from: view.row(skipped), byteCount: kept.count * view.layout.stride)
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

  /// Converts the row that was just read, which is row `y` of the file, to pixels. The pixels are stored
  /// below the rows that are already in memory.
  private mutating func take(_ y: Int) {
    image.withMutableView { view in
      row.premultiply(row: 0, into: view.row(y - held.lowerBound), view.layout.format)
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
