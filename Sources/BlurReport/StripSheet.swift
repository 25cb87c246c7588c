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
  /// The width of a column of pictures, and the height of a caption, in pixels of the sheet.
  private let width: Int, caption: Int

  /// The number of pixels between neighbouring pictures.
  private static let gap = 6
  /// The smallest width of a picture in pixels, which leaves space for a caption of 26 characters.
  private static let narrowest = 26 * PixelFont.advance
  /// The gray level of the background between the pictures. Some pictures show the differences between two
  /// images: black where they are equal, and bright where they differ. The background is gray so that black
  /// and bright pixels at the edge of such a picture both stand out against it.
  static let paper: UInt8 = 190
  /// The maximum number of pictures in a line.
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
        // SAFETY: the image has no padding, so its rows take `byteCount` bytes that begin at `unsafeBase`,
        // and `i` is less than `byteCount`.
        view.unsafeBase.storeBytes(of: isAlpha ? 255 : Self.paper, toByteOffset: i, as: UInt8.self)
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
            // SAFETY: x and y lie inside `target`, which has the size of the enlarged picture. The enlarged
            // picture is `zoom` times as wide and as high as the picture, so x / zoom and y / zoom lie inside
            // the picture.
            (target.unsafeRow(y) + bytes * x).copyMemory(
              from: source.unsafeRow(y / zoom) + bytes * (x / zoom), byteCount: bytes)
          }
        }
      }
    }
  }
}

/// A font of 5 by 8 pixels for captions, with lower-case letters, digits and a few signs.
private enum PixelFont {
  /// The distance from one letter to the next, and the height of a letter, in pixels of the font.
  static let advance = 6
  static let height = 8

  /// Writes text whose top left corner is at (x, y). All colour components of the letters get `value`, and
  /// alpha becomes opaque. Each pixel of the font becomes a square with sides of `scale` pixels.
  ///
  /// Capital letters are written as lower-case letters. Characters that the font lacks are replaced by
  /// question marks. Text that is wider than `width` is cut off and ends in two dots.
  static func write(
    _ text: String, _ view: MutableImageView, x: Int, y: Int, width: Int, scale: Int = 1, value: UInt8 = 40
  ) {
    let room = max(0, width / (scale * advance))
    let shown = text.count <= room ? text : text.prefix(max(0, room - 2)) + ".."
    for (place, letter) in shown.lowercased().enumerated() {
      for (column, bits) in (glyphs[letter] ?? unknown).enumerated() {
        for row in 0..<height where bits >> UInt8(row) & 1 == 1 {
          for (dx, dy) in (0..<scale * scale).map({ ($0 % scale, $0 / scale) }) {
            let (left, top) = (advance * place + column, row)
            fill(view, x: x + scale * left + dx, y: y + scale * top + dy, value: value)
          }
        }
      }
    }
  }

  private static func fill(_ view: MutableImageView, x: Int, y: Int, value: UInt8) {
    let channels = view.layout.format.channels
    guard (0..<view.layout.width).contains(x), (0..<view.layout.height).contains(y) else { return }
    for channel in 0..<channels {
      let isAlpha = channels == 4 && channel == 3
      // SAFETY: the guard above ensures that the pixel lies inside the 8-bit image, and `channel` is less
      // than its number of channels, so the byte lies inside the row.
      view.unsafeRow(y).storeBytes(
        of: isAlpha ? 255 : value, toByteOffset: channels * x + channel, as: UInt8.self)
    }
  }

  private static let unknown: [UInt8] = [0x02, 0x01, 0x51, 0x09, 0x06]

  /// The five columns of each letter, from left to right. The lowest bit of a column is the top pixel.
  private static let glyphs: [Character: [UInt8]] = [
    " ": [0, 0, 0, 0, 0], "-": [8, 8, 8, 8, 8], ".": [0, 0x60, 0x60, 0, 0], ",": [0, 0x50, 0x30, 0, 0],
    ":": [0, 0x36, 0x36, 0, 0], "_": [0x40, 0x40, 0x40, 0x40, 0x40], "/": [0x20, 0x10, 0x08, 0x04, 0x02],
    "+": [0x08, 0x08, 0x3E, 0x08, 0x08], "(": [0, 0x1C, 0x22, 0x41, 0], ")": [0, 0x41, 0x22, 0x1C, 0],
    "0": [0x3E, 0x51, 0x49, 0x45, 0x3E], "1": [0x00, 0x42, 0x7F, 0x40, 0x00],
    "2": [0x42, 0x61, 0x51, 0x49, 0x46], "3": [0x21, 0x41, 0x45, 0x4B, 0x31],
    "4": [0x18, 0x14, 0x12, 0x7F, 0x10], "5": [0x27, 0x45, 0x45, 0x45, 0x39],
    "6": [0x3C, 0x4A, 0x49, 0x49, 0x30], "7": [0x01, 0x71, 0x09, 0x05, 0x03],
    "8": [0x36, 0x49, 0x49, 0x49, 0x36], "9": [0x06, 0x49, 0x49, 0x29, 0x1E],
    "a": [0x20, 0x54, 0x54, 0x54, 0x78], "b": [0x7F, 0x48, 0x44, 0x44, 0x38],
    "c": [0x38, 0x44, 0x44, 0x44, 0x20], "d": [0x38, 0x44, 0x44, 0x48, 0x7F],
    "e": [0x38, 0x54, 0x54, 0x54, 0x18], "f": [0x08, 0x7E, 0x09, 0x01, 0x02],
    "g": [0x18, 0xA4, 0xA4, 0x9C, 0x78], "h": [0x7F, 0x08, 0x04, 0x04, 0x78],
    "i": [0x00, 0x44, 0x7D, 0x40, 0x00], "j": [0x20, 0x40, 0x44, 0x3D, 0x00],
    "k": [0x7F, 0x10, 0x28, 0x44, 0x00], "l": [0x00, 0x41, 0x7F, 0x40, 0x00],
    "m": [0x7C, 0x04, 0x18, 0x04, 0x78], "n": [0x7C, 0x08, 0x04, 0x04, 0x78],
    "o": [0x38, 0x44, 0x44, 0x44, 0x38], "p": [0xFC, 0x18, 0x24, 0x24, 0x18],
    "q": [0x18, 0x24, 0x24, 0x18, 0xFC], "r": [0x7C, 0x08, 0x04, 0x04, 0x08],
    "s": [0x48, 0x54, 0x54, 0x54, 0x20], "t": [0x04, 0x3F, 0x44, 0x40, 0x20],
    "u": [0x3C, 0x40, 0x40, 0x20, 0x7C], "v": [0x1C, 0x20, 0x40, 0x20, 0x1C],
    "w": [0x3C, 0x40, 0x30, 0x40, 0x3C], "x": [0x44, 0x28, 0x10, 0x28, 0x44],
    "y": [0x4C, 0x90, 0x90, 0x90, 0x7C], "z": [0x44, 0x64, 0x54, 0x4C, 0x44],
  ]
}
