/// The order in which the values of a row of pixels are stored in memory.
enum SampleLayout: Hashable, Sendable {
  /// One pixel after the other, as in an image: r0 g0 b0 a0 r1 … Here r0 is the red value of pixel 0.
  case pixels
  /// Two pixels at a time. For each channel, the values of the two pixels are next to each other: r0 r1 g0 g1
  /// b0 b1 a0 a1 r2 r3 … Here r0 is the red value of pixel 0.
  case pairs
  /// First all pixels with even indices, and then all pixels with odd indices: r0 g0 b0 a0 r2 … r1 g1 b1 a1
  /// r3 … The value at the index `odd` is the first value of pixel 1. ``PaddedLine`` chooses this index.
  case halves(odd: Int)

  /// Returns the index at which the value of channel `c` of pixel `p` is stored. Pixel 0 is the first pixel
  /// of the row.
  @inline(__always)
  func index(_ p: Int, _ c: Int, _ channels: Int) -> Int {
    switch self {
    case .pixels: p * channels + c
    case .pairs: ((p >> 1) * channels + c) * 2 + (p & 1)
    case .halves(let odd): (p >> 1) * channels + c + (p & 1) * odd
    }
  }

  /// Returns whether all values of a pixel are stored next to each other.
  func keepsPixels(_ channels: Int) -> Bool { self != .pairs || channels == 1 }

  /// Divides the first `count` pixels of a row into blocks that are contiguous in memory. Returns the first
  /// pixel and the number of pixels of each block. In the order `halves`, the even pixels form one block, and
  /// the odd pixels form another.
  func blocks(_ count: Int) -> [(first: Int, count: Int)] {
    guard case .halves = self else { return [(0, count)] }
    return [(0, (count + 1) / 2), (1, count / 2)]
  }
}
