import Blur

/// The rows of a file that are in memory, as pixels: a window that moves down.
struct RowWindow {
  private let reader: any RowReader
  private var image: Image
  private var row: Samples
  /// Which rows of the file are in ``image``, from its top.
  private(set) var held = 0..<0

  init(_ reader: any RowReader, _ format: PixelFormat, capacity: Int) throws(BlurError) {
    self.reader = reader
    image = try Image(format, width: reader.shape.width, height: capacity)
    row = Samples(reader.shape.row)
  }

  /// Reads on until it holds `rows`, and lets go what is above them. Ranges never move up.
  mutating func move(to rows: Range<Int>) throws(ImageFileError.Fault) {
    let kept = max(rows.lowerBound, held.lowerBound)..<max(rows.lowerBound, held.upperBound)
    let skipped = kept.lowerBound - held.lowerBound
    image.withMutableView { view in
      // SAFETY: the kept rows are held, below the first `skipped` ones.
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

  /// Makes the row that was read row `y` of the held ones.
  private mutating func take(_ y: Int) {
    image.withMutableView { view in
      row.premultiply(row: 0, into: view.row(y - held.lowerBound), view.layout.format)
    }
    held = held.lowerBound..<y + 1
  }

  /// Calls `body` with the pixels of a part of the file's picture whose rows are held.
  func withTile(_ part: Region, _ body: (ImageView) throws(BlurError) -> Void) throws(BlurError) {
    let region = Region(
      x: part.x, y: part.y - held.lowerBound, width: part.width, height: part.height)
    try image.withView { (view) throws(BlurError) in try body(view.cropped(to: region)) }
  }
}
