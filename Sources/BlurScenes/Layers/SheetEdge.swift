import Blur

/// The front edge of a sheet, which is a panel that slides over the screen. The front edge enters the screen
/// first. It has rounded corners, and it casts a shadow on the content ahead of the sheet.
///
/// The other edges are straight, because they coincide with the edges of the screen when the sheet has
/// arrived.
struct SheetEdge {
  /// The side of the screen from which the sheet slides in.
  enum Side: CaseIterable { case bottom, top, left }

  /// The width of the shadow in points (`depth`), and the fraction of the light that the shadow takes away
  /// right at the edge (`darkness`).
  static let depth = 24.0, darkness = 0.3

  /// The position of a strip along the front edge of the sheet, in pixels from the sheet's top-left corner.
  /// The rounded corners and the shadow are drawn in this strip.
  private let x: Int, y: Int
  /// Two masks for the strip along the sheet's front edge, with one value per pixel. `cover` is the fraction
  /// of the pixel that the sheet covers. `light` is the fraction of light that remains where the sheet's
  /// shadow falls on the content.
  private var cover: Image, light: Image

  /// Computes the masks for the rounded corners and the shadow along the front edge of a sheet.
  ///
  /// - Parameters:
  ///   - sheet: The layout of the sheet, which is as large as the screen.
  ///   - radius: The corner radius in points.
  ///   - scale: The number of pixels per point.
  init(_ side: Side, of sheet: ImageLayout, radius: Double, scale: Double) throws(BlurError) {
    let depth = Self.pixels(scale)
    let (width, height) = (Double(sheet.width), Double(sheet.height))
    let corner = Int(min(radius * scale, min(width, height) / 2).rounded(.up)) + 1
    let length = side == .left ? min(corner, sheet.width) : min(corner, sheet.height)
    // Only the two corners at the front edge of the sheet should be rounded. The outline is therefore made
    // twice as long as the sheet, which puts the other two rounded corners outside the sheet.
    let outline = RoundedRectangle(
      width: side == .left ? 2 * width : width, height: side == .left ? height : 2 * height,
      radius: min(radius * scale, min(width, height) / 2))
    let start = (x: side == .left ? width : 0, y: side == .top ? height : 0)
    x = side == .left ? sheet.width - length : 0
    y =
      switch side {
      case .bottom: -depth
      case .top: sheet.height - length
      case .left: 0
      }
    let size = (
      width: side == .left ? length + depth : sheet.width,
      height: side == .left ? sheet.height : length + depth
    )
    cover = try Image(.gray8, width: size.width, height: size.height)
    light = try Image(.gray8, width: size.width, height: size.height)
    for row in 0..<size.height {
      for column in 0..<size.width {
        let distance = outline.distance(
          Double(x + column) + 0.5 + start.x, Double(y + row) + 0.5 + start.y)
        cover.set(column, row, max(0, min(1, 0.5 - distance)))
        let nearness = max(0, 1 - max(0, distance) / Double(depth))
        light.set(column, row, 1 - Self.darkness * nearness * nearness)
      }
    }
  }

  /// Returns the width of the shadow in pixels.
  static func pixels(_ scale: Double) -> Int { max(1, Int((depth * scale).rounded())) }

  /// Draws the front edge of the sheet onto the screen, with its rounded corners and its shadow. Inside the
  /// edge, the screen shows the image `sheet`. Outside the edge, it shows the image `below`, darkened by the
  /// shadow. Both images are as large as the screen, and neither of them moves with the sheet: each pixel is
  /// drawn at its own position.
  ///
  /// - Parameters:
  ///   - left, top: The position of the sheet's top-left corner on the screen.
  func draw(onto screen: MutableImageView, _ sheet: ImageView, over below: ImageView, left: Int, top: Int) {
    let rows = (top + y..<top + y + cover.layout.height).clamped(to: 0..<screen.layout.height)
    let columns = (left + x..<left + x + cover.layout.width).clamped(to: 0..<screen.layout.width)
    guard !rows.isEmpty, !columns.isEmpty else { return }
    cover.withView { cover in
      light.withView { light in
        for row in rows {
          // SAFETY: the rows and columns are limited to pixels that lie inside the screen and inside both
          // masks. The images `sheet` and `below` are as large as the screen.
          let offset = columns.lowerBound - left - x
          Self.mix(
            sheet.unsafeRow(row) + 4 * columns.lowerBound, cover.unsafeRow(row - top - y) + offset,
            below.unsafeRow(row) + 4 * columns.lowerBound, light.unsafeRow(row - top - y) + offset,
            into: screen.unsafeRow(row) + 4 * columns.lowerBound, count: columns.count)
        }
      }
    }
  }

  /// Writes cover · sheet + (1 − cover) · light · below for each pixel, rounded once. Here `cover` is the
  /// fraction of the pixel that the sheet covers, and `light` is the fraction of light that the sheet's
  /// shadow leaves on the content below.
  private static func mix(
    _ sheet: UnsafeRawPointer, _ cover: UnsafeRawPointer, _ below: UnsafeRawPointer,
    _ light: UnsafeRawPointer, into target: UnsafeMutableRawPointer, count: Int
  ) {
    // SAFETY: the caller guarantees that the images hold `count` opaque pixels of four bytes, and the masks
    // `count` bytes.
    let (sheet, below) = (
      sheet.assumingMemoryBound(to: UInt8.self), below.assumingMemoryBound(to: UInt8.self)
    )
    let (cover, light) = (
      cover.assumingMemoryBound(to: UInt8.self), light.assumingMemoryBound(to: UInt8.self)
    )
    let target = target.assumingMemoryBound(to: UInt8.self)
    for pixel in 0..<count {
      let (c, l) = (UInt32(cover[pixel]), UInt32(light[pixel]))
      for i in 4 * pixel..<4 * pixel + 3 {
        let sum = UInt32(sheet[i]) &* c &* 255 &+ UInt32(below[i]) &* (255 &- c) &* l
        target[i] = UInt8(truncatingIfNeeded: (sum &+ 32512) / 65025)
      }
      target[4 * pixel + 3] = 255
    }
  }
}

extension Image {
  /// Sets a pixel of a gray8 image to a value from 0 to 1.
  fileprivate mutating func set(_ x: Int, _ y: Int, _ share: Double) {
    withMutableView { view in
      // SAFETY: the caller passes only columns and rows of the image, and each pixel has one byte.
      view.unsafeRow(y).storeBytes(of: UInt8((255 * share).rounded()), toByteOffset: x, as: UInt8.self)
    }
  }
}
