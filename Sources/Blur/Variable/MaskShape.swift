/// A mask that a formula draws: what blurs of variable sigma are checked and measured with.
public enum MaskShape: String, CaseIterable, Sendable {
  /// 255 in the first row, 0 in the last, as below a bar without an edge.
  case linear
  /// 0 in the middle, 255 in the corners, as around what a lens is focused on.
  case radial
  /// Any value beside any other, each about as often as the others: the worst that a mask can be.
  case scattered

  /// The names of all.
  public static let names = allCases.map { $0.rawValue }

  /// Draws the mask: gray8, without padding.
  ///
  /// Whole numbers, + − × ÷ and square roots alone, which are the same on every machine.
  ///
  /// - Throws: ``BlurError/invalidLayout(_:)``, ``BlurError/outOfMemory(bytes:)``.
  public func mask(width: Int, height: Int) throws(BlurError) -> Image {
    var mask = try Image(.gray8, width: width, height: height)
    mask.withMutableView { view in
      for y in 0..<height {
        // SAFETY: a row holds `width` bytes.
        for x in 0..<width { view.row(y).setComponent(x, to: value(x, y, width, height)) }
      }
    }
    return mask
  }

  private func value(_ x: Int, _ y: Int, _ width: Int, _ height: Int) -> UInt8 {
    switch self {
    case .linear: return UInt8(255 * (height - 1 - y) / max(1, height - 1))
    case .radial:
      /// From −1 at the first of `count` pixels to 1 at the last.
      func share(_ i: Int, _ count: Int) -> Double { Double(2 * i - count + 1) / Double(max(1, count - 1)) }
      let (across, down) = (share(x, width), share(y, height))
      return UInt8(255 * ((across * across + down * down) / 2).squareRoot() + 0.5)
    case .scattered: return UInt8((y * width + x) * 97 % 256)
    }
  }
}
