import Blur

/// An image that shows small versions of a scene's frames in a grid, so that a person can look at them
/// together.
///
/// The frames appear in the order in which they were added. Each frame has a thin outline, with its frame
/// number below.
struct ContactSheet {
  /// The number of frames per row of the grid.
  let columns: Int
  /// The maximum length of a thumbnail's longer side, in pixels.
  let side: Int
  private static let gap = 8
  /// The height of the frame numbers in pixels. A gap separates each number from the thumbnail above and from
  /// the next row of the grid.
  private static let digits = 16
  private var thumbnails: [Image] = []
  private var numbers: [Int] = []

  /// Creates an empty contact sheet.
  init(columns: Int = 6, side: Int = 320) {
    self.columns = columns
    self.side = side
  }

  /// Chooses frames for a contact sheet. Returns at most `most` of the given frames, evenly spaced, including
  /// the first and the last one. If `most` is less than 2, all frames are returned.
  static func chosen(of frames: [Int], most: Int = 12) -> [Int] {
    guard frames.count > most, most > 1 else { return frames }
    return (0..<most).map { frames[$0 * (frames.count - 1) / (most - 1)] }
  }

  /// Adds a frame in rgba8 format with its frame number, which must not be negative.
  ///
  /// - Throws: ``Blur/BlurError/outOfMemory(bytes:)``.
  mutating func add(_ frame: Image, number: Int) throws(BlurError) {
    let (width, height) = (frame.layout.width, frame.layout.height)
    let longer = max(width, height)
    let most = min(side, longer)
    thumbnails.append(
      try Self.shrunk(
        frame, width: max(1, width * most / longer), height: max(1, height * most / longer)))
    numbers.append(number)
  }

  /// Returns the contact sheet as an image. The image is as wide as the widest row of the grid, and each row
  /// is as high as its highest frame.
  ///
  /// - Throws: ``Blur/BlurError/outOfMemory(bytes:)``.
  func image() throws(BlurError) -> Image {
    let (places, width, height) = placed()
    var sheet = try Image(.rgba8, width: width, height: height)
    try sheet.withMutableView { (sheet) throws(BlurError) in
      let canvas = Canvas(sheet, scale: 1)
      canvas.fill(Box(0, 0, Double(width), Double(height)), Colour(255))
      for (place, number) in zip(places, numbers) {
        canvas.number(
          number, x: Double(place.x), y: Double(place.y + place.height + Self.gap),
          size: Double(Self.digits), Colour(60))
      }
      for (place, thumbnail) in zip(places, thumbnails) {
        let box = Box(Double(place.x), Double(place.y), Double(place.width), Double(place.height))
        canvas.fill(box.inset(-1), Colour(120))
        let target = try sheet.cropped(to: place)
        thumbnail.withView { target.copyPixels(of: $0) }
      }
    }
    return sheet
  }

  /// Returns the positions of the thumbnails and the size of the contact sheet, in pixels.
  private func placed() -> (places: [Region], width: Int, height: Int) {
    var places: [Region] = []
    var (right, bottom) = (Self.gap, Self.gap)
    for start in stride(from: 0, to: thumbnails.count, by: columns) {
      let line = thumbnails[start..<min(start + columns, thumbnails.count)].map(\.layout)
      var x = Self.gap
      for layout in line {
        places.append(Region(x: x, y: bottom, width: layout.width, height: layout.height))
        x += layout.width + Self.gap
      }
      right = max(right, x)
      bottom += (line.map(\.height).max() ?? 0) + 2 * Self.gap + Self.digits
    }
    return (places, right, bottom)
  }

  /// Returns a smaller copy of an image. Each pixel of the copy is the mean of a block of whole pixels of the
  /// original.
  static func shrunk(_ image: Image, width: Int, height: Int) throws(BlurError) -> Image {
    var small = try Image(.rgba8, width: width, height: height)
    let layout = image.layout
    image.withViews(into: &small) { from, to in
      for y in 0..<height {
        let rows = covered(y, of: height, in: layout.height)
        for x in 0..<width {
          let columns = covered(x, of: width, in: layout.width)
          let count = rows.count * columns.count
          for c in 0..<4 {
            var sum = count / 2
            for row in rows {
              // SAFETY: `covered` returns only rows and columns that the image contains.
              let pixels = from.unsafeRow(row).assumingMemoryBound(to: UInt8.self)
              for column in columns { sum += Int(pixels[4 * column + c]) }
            }
            to.unsafeRow(y).storeBytes(of: UInt8(sum / count), toByteOffset: 4 * x + c, as: UInt8.self)
          }
        }
      }
    }
    return small
  }

  private static func covered(_ i: Int, of count: Int, in length: Int) -> Range<Int> {
    let first = i * length / count
    return first..<max(first + 1, (i + 1) * length / count)
  }
}

extension Canvas {
  /// The segments that are lit for the digits 0 to 9, with one bit per segment. From the lowest bit up, the
  /// segments are top, upper left, upper right, middle, lower left, lower right, and bottom.
  private static let lit = [
    0b1110111, 0b0100100, 0b1011101, 0b1101101, 0b0101110,
    0b1101011, 0b1111011, 0b0100101, 0b1111111, 0b1101111,
  ]

  /// Draws a number, which must not be negative, with seven-segment digits, like a digital clock.
  ///
  /// - Parameters:
  ///   - size: The height of a digit. The width of a digit, including the gap after it, is three quarters of
  ///     the height.
  ///   - x, y: The position of the top-left corner.
  func number(_ number: Int, x: Double, y: Double, size: Double, _ colour: Colour) {
    let (width, half, stroke) = (size / 2, size / 2, size / 8)
    let bars = [
      Box(x, y, width, stroke), Box(x, y, stroke, half), Box(x + width - stroke, y, stroke, half),
      Box(x, y + half - stroke / 2, width, stroke), Box(x, y + half, stroke, half),
      Box(x + width - stroke, y + half, stroke, half), Box(x, y + size - stroke, width, stroke),
    ]
    for (place, digit) in String(number).enumerated() {
      let lit = Self.lit[digit.wholeNumberValue ?? 8]
      for (bit, bar) in bars.enumerated() where lit >> bit & 1 == 1 {
        fill(Box(bar.x + 0.75 * size * Double(place), bar.y, bar.width, bar.height), colour)
      }
    }
  }
}
