import Blur

/// An image on which pictures of the same size are arranged in columns. Each column has two pictures, one
/// above the other, with a caption below each. Columns that do not fit side by side continue on the next
/// line.
struct StripSheet {
  private(set) var image: Image
  private let tile: ImageLayout
  /// The factor by which pictures are enlarged in each direction, so that the pixels of a tiny picture can be
  /// told apart.
  private let zoom: Int
  /// The factor by which the letters of the captions are enlarged. It grows with the size of the pictures, so
  /// that captions can still be read when a large sheet is shown smaller.
  private let scale: Int
  /// The width of one column of pictures, and the height of a caption, in pixels of the sheet.
  private let width: Int, caption: Int

  /// The number of pixels between neighbouring pictures. The next constant, `narrowest`, is the smallest
  /// width of a picture, which leaves space for a caption of 26 characters.
  private static let gap = 6
  static let narrowest = 26 * PixelFont.advance
  /// The gray level of the background between the pictures. Some pictures show the differences between two
  /// images: black where they are equal, and bright where they differ. The background is gray so that black
  /// and bright pixels at the edge of such a picture both stand out against it.
  static let paper: UInt8 = 190
  /// The largest number of pictures in a line.
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
        // SAFETY: the image has no padding, so it holds `byteCount` bytes from `base` on, and `i` is below
        // that number.
        view.base.storeBytes(of: isAlpha ? 255 : Self.paper, toByteOffset: i, as: UInt8.self)
      }
    }
  }

  /// Draws a picture and its caption in the given column and row of the sheet. If the picture is nil, only
  /// the caption is drawn.
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
            // SAFETY: x and y lie inside the enlarged tile, so x / zoom and y / zoom lie inside the picture.
            (target.row(y) + bytes * x).copyMemory(
              from: source.row(y / zoom) + bytes * (x / zoom), byteCount: bytes)
          }
        }
      }
    }
  }
}
