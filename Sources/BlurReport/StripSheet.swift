import Blur

/// Paper with places for pictures of one size in lines of two rows, a caption below each.
struct StripSheet {
  private(set) var image: Image
  private let tile: ImageLayout
  /// Pixels of the sheet for each of a picture, across and down: the pixels of tiny ones can be told apart.
  private let zoom: Int
  /// Pixels of the sheet for each of the font: captions of large pictures are read where the sheet is shrunk.
  private let scale: Int
  /// The width of a place, and the height of a caption.
  private let width: Int, caption: Int

  /// Pixels between places, and the width of the longest caption in pixels of the font.
  private static let gap = 6
  static let narrowest = 26 * PixelFont.advance
  /// The gray between pictures: wrong pixels at an edge are white, right ones black, and both stand out.
  static let paper: UInt8 = 190
  /// Places in a line.
  private static let most = 8

  init(of tile: ImageLayout, columns: Int) throws(BlurError) {
    zoom = max(1, Self.narrowest / max(tile.width, tile.height))
    self.tile = try ImageLayout(tile.format, width: zoom * tile.width, height: zoom * tile.height)
    scale = max(1, tile.width / Self.narrowest)
    width = max(self.tile.width, Self.narrowest)
    caption = scale * (PixelFont.height + 4)
    let lines = (columns + Self.most - 1) / Self.most
    let layout = try ImageLayout(
      tile.format, width: min(columns, Self.most) * (width + Self.gap) - Self.gap,
      height: 2 * lines * (self.tile.height + caption + Self.gap) - Self.gap)
    image = try Image(layout)
    image.withMutableView { view in
      for i in 0..<layout.byteCount {
        let isAlpha = layout.format.channels == 4 && i % 4 == 3
        // SAFETY: a layout without padding has `byteCount` bytes from its base.
        view.base.storeBytes(of: isAlpha ? 255 : Self.paper, toByteOffset: i, as: UInt8.self)
      }
    }
  }

  /// Puts a picture and its caption in their place; of no picture, the caption alone.
  mutating func put(_ picture: Image?, _ caption: String, column: Int, row: Int) throws(BlurError) {
    let (layout, width, scale, zoom) = (tile, width, scale, zoom)
    let bytes = layout.format.bytesPerPixel
    let x = column % Self.most * (width + Self.gap)
    let y = (2 * (column / Self.most) + row) * (layout.height + self.caption + Self.gap)
    try image.withMutableView { (view) throws(BlurError) in
      PixelFont.write(caption, view, x: x, y: y + layout.height + 3 * scale, width: width, scale: scale)
      guard let picture else { return }
      let target = try view.cropped(to: Region(x: x, y: y, width: layout.width, height: layout.height))
      picture.withView { source in
        for y in 0..<layout.height {
          for x in 0..<layout.width {
            // SAFETY: x is a pixel of the enlarged tile, and x / zoom one of the picture.
            (target.row(y) + bytes * x).copyMemory(
              from: source.row(y / zoom) + bytes * (x / zoom), byteCount: bytes)
          }
        }
      }
    }
  }
}
