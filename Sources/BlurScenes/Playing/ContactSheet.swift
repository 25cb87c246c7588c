import Blur

/// Frames of a scene side by side, made small: a picture to look at.
///
/// Frames stand in a grid in the order they were added, each with a thin line round it and its number below.
public struct ContactSheet {
  /// Frames in a line.
  public let columns: Int
  /// The longer side of a frame on the sheet, in pixels.
  public let side: Int
  private static let gap = 8
  /// The height of the numbers; with a gap below, they stand in the caption.
  private static let digits = 16
  private var thumbnails: [Image] = []
  private var numbers: [Int] = []

  /// Starts an empty sheet.
  public init(columns: Int = 6, side: Int = 320) {
    self.columns = columns
    self.side = side
  }

  /// Which of `count` frames stand on a sheet of about `most`: evenly spread, the first and the last among
  /// them.
  public static func chosen(of frames: [Int], most: Int = 12) -> [Int] {
    guard frames.count > most, most > 1 else { return frames }
    return (0..<most).map { frames[$0 * (frames.count - 1) / (most - 1)] }
  }

  /// Adds a frame in rgba8, and its number of at least 0.
  ///
  /// - Throws: ``Blur/BlurError/outOfMemory(bytes:)``.
  public mutating func add(_ frame: Image, number: Int) throws(BlurError) {
    let (width, height) = (frame.layout.width, frame.layout.height)
    let longer = max(width, height)
    let most = min(side, longer)
    thumbnails.append(
      try Self.shrunk(
        frame, width: max(1, width * most / longer), height: max(1, height * most / longer)))
    numbers.append(number)
  }

  /// The sheet: as wide as its widest line, each line as high as its highest frame.
  ///
  /// - Throws: ``Blur/BlurError/outOfMemory(bytes:)``.
  public func image() throws(BlurError) -> Image {
    let (places, width, height) = placed()
    var sheet = try Image(.rgba8, width: width, height: height)
    try sheet.withMutableView { (sheet) throws(BlurError) in
      let canvas = Canvas(sheet, scale: 1)
      canvas.fill(Box(0, 0, Double(width), Double(height)), Colour(255))
      let digits = Digits(size: Double(Self.digits), colour: Colour(60))
      for (place, number) in zip(places, numbers) {
        digits.draw(number, canvas, x: Double(place.x), y: Double(place.y + place.height + Self.gap))
      }
      for (place, thumbnail) in zip(places, thumbnails) {
        let box = Box(Double(place.x), Double(place.y), Double(place.width), Double(place.height))
        canvas.fill(box.inset(-1), Colour(120))
        let target = try sheet.cropped(to: place)
        thumbnail.withView { Compositing.copy($0, into: target) }
      }
    }
    return sheet
  }

  /// Where the thumbnails go, and the size of the sheet.
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

  /// A smaller image: each pixel is the mean of the pixels it covers, which are whole.
  static func shrunk(_ image: Image, width: Int, height: Int) throws(BlurError) -> Image {
    var small = try Image(.rgba8, width: width, height: height)
    let layout = image.layout
    image.withView { from in
      small.withMutableView { to in
        for y in 0..<height {
          let rows = covered(y, of: height, in: layout.height)
          for x in 0..<width {
            let columns = covered(x, of: width, in: layout.width)
            let count = rows.count * columns.count
            for c in 0..<4 {
              var sum = count / 2
              for row in rows {
                // SAFETY: the columns and rows are inside the image.
                let pixels = from.row(row).assumingMemoryBound(to: UInt8.self)
                for column in columns { sum += Int(pixels[4 * column + c]) }
              }
              to.row(y).storeBytes(of: UInt8(sum / count), toByteOffset: 4 * x + c, as: UInt8.self)
            }
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
