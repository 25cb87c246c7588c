import Blur

/// A copy of an image between guard bytes. If a kernel causes a memory fault near one of the rows of this
/// copy, the report contains the index of the row.
final class GuardedCopy {
  private let guarded: GuardedImage
  private let rows: NamedRows

  /// Copies `image` into guarded memory.
  ///
  /// - Parameters:
  ///   - extraStride: The number of padding bytes after each row.
  ///   - shift: The number of bytes between a 64-byte boundary and the first pixel.
  ///   - isSource: Whether the kernel reads this image (true) or writes it (false), for reports of memory
  ///     faults.
  init(_ image: Image, extraStride: Int, shift: Int, isSource: Bool = false) throws(BlurError) {
    let packed = image.layout
    guarded = try GuardedImage(
      ImageLayout(
        packed.format, width: packed.width, height: packed.height, stride: packed.rowBytes + extraStride),
      shift: shift)
    rows = NamedRows(guarded.view.readOnly, isSource: isSource)
    guarded.view.copyPixels(of: image)
  }

  /// A view of the pixels. It is valid as long as this object lives.
  var view: MutableImageView { guarded.view }

  /// A description of the first guard byte that has been changed, or nil if none has.
  var damage: String? { guarded.damage }

  /// Returns a copy of the pixels as a separate image.
  func image() throws(BlurError) -> Image { try view.readOnly.image() }
}
