/// The shape of a mask that is drawn by a formula. Such masks are used to check and to measure blurs with a
/// variable sigma.
public enum MaskShape: String, CaseIterable, Sendable {
  /// A mask whose values fall from 255 in the first row to 0 in the last row. With this mask, a blur fades
  /// out from top to bottom, for example behind a toolbar at the top.
  case linear
  /// A mask whose values rise from 0 in the middle to 255 in the corners. With this mask, the middle of the
  /// image stays sharp, like the point that a lens is focused on.
  case radial
  /// A mask whose value jumps by a large amount from each pixel of a row to the next. All values occur about
  /// equally often. This is the worst case for a blur with a variable sigma.
  case scattered

  /// The names of all shapes.
  public static let names = allCases.map { $0.rawValue }

  /// Draws the mask as a gray8 image without padding.
  ///
  /// The formulas use only whole numbers, + − × ÷ and square roots, which give the same result on every
  /// machine.
  ///
  /// - Throws: ``BlurError/invalidLayout(_:)`` or ``BlurError/outOfMemory(bytes:)``.
  public func mask(width: Int, height: Int) throws(BlurError) -> Image {
    var mask = try Image(.gray8, width: width, height: height)
    mask.withMutableView { view in
      for y in 0..<height {
        // SAFETY: a row of the mask holds `width` bytes.
        for x in 0..<width { view.unsafeRow(y).setComponent(x, to: value(x, y, width, height)) }
      }
    }
    return mask
  }

  private func value(_ x: Int, _ y: Int, _ width: Int, _ height: Int) -> UInt8 {
    switch self {
    case .linear: return UInt8(255 * (height - 1 - y) / max(1, height - 1))
    case .radial:
      /// Returns the position of pixel `i` among `count` pixels, from −1 at the first to 1 at the last.
      func share(_ i: Int, _ count: Int) -> Double { Double(2 * i - count + 1) / Double(max(1, count - 1)) }
      let (across, down) = (share(x, width), share(y, height))
      return UInt8(255 * ((across * across + down * down) / 2).squareRoot() + 0.5)
    case .scattered: return UInt8((y * width + x) * 97 % 256)
    }
  }
}
