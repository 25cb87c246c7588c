import Blur

/// Signs and letters that lie over a blur: a picture that is empty for the most part.
struct Overlay {
  /// Pixels side by side that are not empty.
  private struct Run {
    let y: Int, x: Range<Int>
  }

  /// Premultiplied.
  private let picture: Image
  /// From the top on. Most of the picture is empty, and reading it would cost as much as a blur of a strip.
  private let runs: [Run]

  /// Draws the signs.
  ///
  /// They are drawn on black and on white: what differs is how much of the background shows through, and what
  /// is on black is the premultiplied colour.
  init(width: Int, height: Int, scale: Double, _ draw: (Canvas) -> Void) throws(BlurError) {
    func picture(on ground: Colour) throws(BlurError) -> Image {
      var picture = try Image(.rgba8, width: width, height: height)
      picture.withMutableView { view in
        Canvas(view, scale: 1).fill(Box(0, 0, Double(width), Double(height)), ground)
        draw(Canvas(view, scale: scale))
      }
      return picture
    }
    var black = try picture(on: Colour(0))
    let white = try picture(on: Colour(255))
    black.withMutableView { black in white.withView { Self.separate(black, $0) } }
    self.init(black)
  }

  /// - Parameter picture: premultiplied.
  private init(_ picture: Image) {
    self.picture = picture
    runs = picture.withView(Self.runs)
  }

  /// Signs on their way from these to others: both stretched to the same sides, and mixed.
  ///
  /// - Parameter share: of the others, from 0 to 1.
  func becoming(
    _ other: Overlay, _ share: Double, width: Int, height: Int
  ) throws(BlurError) -> Overlay {
    var mixed = try Image(.rgba8, width: width, height: height)
    var above = try Image(mixed.layout)
    mixed.stretch(picture)
    above.stretch(other.picture)
    above.withView { above in
      mixed.withMutableView { Compositing.mix(above, Compositing.share(share), into: $0) }
    }
    return Overlay(mixed)
  }

  /// The sides in pixels.
  var width: Int { picture.layout.width }
  var height: Int { picture.layout.height }

  /// Gives pixels on black their alpha, by those on white.
  private static func separate(_ black: MutableImageView, _ white: ImageView) {
    for y in 0..<white.layout.height {
      for x in 0..<white.layout.width {
        // SAFETY: both are rgba8 of this size.
        let pixel = (black.row(y) + 4 * x).assumingMemoryBound(to: UInt8.self)
        let other = (white.row(y) + 4 * x).assumingMemoryBound(to: UInt8.self)
        pixel[3] = UInt8(255 - max(Int(other[0]) - Int(pixel[0]), 0))
      }
    }
  }

  /// The pixels that are not empty.
  private static func runs(_ picture: ImageView) -> [Run] {
    (0..<picture.layout.height).flatMap { y in
      var runs: [Run] = []
      for x in 0..<picture.layout.width
      where picture.row(y).load(fromByteOffset: 4 * x + 3, as: UInt8.self) > 0 {
        if let last = runs.last, last.x.upperBound == x {
          runs[runs.count - 1] = Run(y: y, x: last.x.lowerBound..<x + 1)
        } else {
          runs.append(Run(y: y, x: x..<x + 1))
        }
      }
      return runs
    }
  }

  /// Lays the signs over the screen with their top left at (x, y), also outside; what does not fit is left
  /// out.
  func draw(onto screen: MutableImageView, x: Int = 0, y: Int, opacity: Double = 1) {
    let share = Compositing.share(opacity)
    let (rows, columns) = (-y..<screen.layout.height - y, -x..<screen.layout.width - x)
    picture.withView { picture in
      for run in runs where rows.contains(run.y) {
        let visible = run.x.clamped(to: columns)
        guard !visible.isEmpty else { continue }
        // SAFETY: the run is inside the picture, and cut where the screen ends.
        Self.lay(
          picture.row(run.y) + 4 * visible.lowerBound, share,
          over: screen.row(y + run.y) + 4 * (x + visible.lowerBound), count: visible.count)
      }
    }
  }

  /// Source over target, all premultiplied: new · share + old · (1 − alpha · share).
  private static func lay(
    _ above: UnsafeRawPointer, _ share: Int, over target: UnsafeMutableRawPointer, count: Int
  ) {
    // SAFETY: both sides hold `count` pixels of four bytes.
    let above = above.assumingMemoryBound(to: UInt8.self)
    let target = target.assumingMemoryBound(to: UInt8.self)
    let weight = UInt32(share) * 255
    for i in stride(from: 0, to: 4 * count, by: 4) {
      let rest = 65280 - UInt32(above[i + 3]) * UInt32(share)
      for c in i..<i + 4 {
        // Where nothing shows through, the colour itself. No sum exceeds 2 · 255 · 65280.
        let sum = UInt32(above[c]) &* weight &+ UInt32(target[c]) &* rest &+ 32640
        target[c] = rest == 0 ? above[c] : UInt8(truncatingIfNeeded: sum / 65280)
      }
    }
  }

  /// Whether a pixel is part of a sign.
  func covers(x: Int, y: Int) -> Bool { runs.contains { $0.y == y && $0.x.contains(x) } }
}
