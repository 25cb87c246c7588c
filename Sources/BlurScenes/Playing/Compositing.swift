import Blur

/// Puts rgba8 pixels over each other. Shares are 256ths, so that 0 and 256 are exact.
enum Compositing {
  /// The share for an opacity from 0 to 1.
  static func share(_ opacity: Double) -> Int { Int((max(0, min(1, opacity)) * 256).rounded()) }

  /// Copies `source` into `target`, which has its size.
  static func copy(_ source: ImageView, into target: MutableImageView) {
    for y in 0..<target.layout.height {
      // SAFETY: both rows hold `rowBytes` bytes of pixels.
      target.row(y).copyMemory(from: source.row(y), byteCount: target.layout.rowBytes)
    }
  }

  /// Mixes `share`/256 of `above` into `target`, which has its size.
  static func mix(_ above: ImageView, _ share: Int, into target: MutableImageView) {
    guard share < 256 else { return copy(above, into: target) }
    for y in 0..<target.layout.height {
      mix(above.row(y), share, into: target.row(y), count: target.layout.rowBytes)
    }
  }

  /// Mixes `share`/256 of a row into each row of `target`, which has its width.
  static func mix(row: ImageView, _ share: Int, into target: MutableImageView) {
    for y in 0..<target.layout.height {
      mix(row.base, share, into: target.row(y), count: target.layout.rowBytes)
    }
  }

  /// Mixes bytes: (below · (256 − share) + above · share + 128) / 256.
  @inline(__always)
  static func mix(
    _ above: UnsafeRawPointer, _ share: Int, into target: UnsafeMutableRawPointer, count: Int
  ) {
    // SAFETY: both sides hold `count` bytes.
    let above = above.assumingMemoryBound(to: UInt8.self)
    let target = target.assumingMemoryBound(to: UInt8.self)
    let (new, old) = (UInt16(share), UInt16(256 - share))
    // Wrapping operators: checked ones would keep the loop from vectors. No sum exceeds 255 · 256 + 128.
    for i in 0..<count {
      let sum = UInt16(target[i]) &* old &+ UInt16(above[i]) &* new &+ 128
      target[i] = UInt8(truncatingIfNeeded: sum &>> 8)
    }
  }
}

/// A picture with round corners that lies over a screen, such as a modal.
struct Card {
  private let picture: Image
  /// The column and row of its top left on the screen.
  let x: Int, y: Int
  private let corner: Corner

  init(_ picture: Image, x: Int, y: Int, radius: Double) {
    self.picture = picture
    self.x = x
    self.y = y
    corner = Corner(radius: radius)
  }

  /// Lays it over the screen, at least partly transparent below an opacity of 1.
  func draw(onto screen: MutableImageView, opacity: Double) {
    let share = Compositing.share(opacity)
    let (width, height) = (picture.layout.width, picture.layout.height)
    picture.withView { picture in
      for row in 0..<height {
        let inset = corner.inset(row, height - 1 - row)
        let count = width - 2 * inset.whole
        guard count > 2 else { continue }
        // SAFETY: the card lies inside the screen, and the inset inside the card.
        let source = picture.row(row) + 4 * inset.whole
        let target = screen.row(y + row) + 4 * (x + inset.whole)
        let last = 4 * (count - 1)
        let edge = share * inset.share >> 8
        Compositing.mix(source, edge, into: target, count: 4)
        Compositing.mix(source + last, edge, into: target + last, count: 4)
        if share == 256 {
          (target + 4).copyMemory(from: source + 4, byteCount: last - 4)
        } else {
          Compositing.mix(source + 4, share, into: target + 4, count: last - 4)
        }
      }
    }
  }
}

/// Signs and letters that lie over a blur: pixels of a picture that are not all zero.
struct Overlay {
  /// Pixels side by side that are not zero.
  private struct Run {
    let y: Int, x: Range<Int>
  }

  private let picture: Image
  /// From the top on. Most of the picture is empty, and reading it would cost as much as a blur of the strip.
  private let runs: [Run]

  /// Draws the signs on an empty picture.
  init(width: Int, height: Int, scale: Double, _ draw: (Canvas) -> Void) throws(BlurError) {
    var picture = try Image(.rgba8, width: width, height: height)
    picture.withMutableView { draw(Canvas($0, scale: scale)) }
    self.picture = picture
    runs = (0..<height).flatMap { Self.runs(in: picture, y: $0) }
  }

  private static func runs(in picture: Image, y: Int) -> [Run] {
    picture.withView { view in
      // SAFETY: rows are aligned, and `width` pixels of four bytes long.
      let row = view.row(y).assumingMemoryBound(to: UInt32.self)
      let width = view.layout.width
      var runs: [Run] = []
      var x = 0
      while x < width {
        guard let first = (x..<width).first(where: { row[$0] != 0 }) else { break }
        x = (first..<width).first { row[$0] == 0 } ?? width
        runs.append(Run(y: y, x: first..<x))
      }
      return runs
    }
  }

  /// Lays the signs over the screen with their top left at (x, y), also outside; what does not fit is left out.
  func draw(onto screen: MutableImageView, x: Int = 0, y: Int, opacity: Double = 1) {
    let share = Compositing.share(opacity)
    let (rows, columns) = (-y..<screen.layout.height - y, -x..<screen.layout.width - x)
    picture.withView { picture in
      for run in runs where rows.contains(run.y) {
        // SAFETY: both are rgba8 of aligned rows; the run is inside the picture, and cut where the screen
        // ends.
        let source = picture.row(run.y).assumingMemoryBound(to: UInt32.self)
        let target = screen.row(y + run.y).assumingMemoryBound(to: UInt32.self)
        for i in run.x.clamped(to: columns) {
          target[x + i] = Colour(bits: target[x + i]).mixed(with: Colour(bits: source[i]), share).bits
        }
      }
    }
  }

  /// Whether a pixel is part of a sign.
  func covers(x: Int, y: Int) -> Bool { runs.contains { $0.y == y && $0.x.contains(x) } }
}
