import Blur
import CLinux
import Foundation

/// A mask in which each row ends directly before an inaccessible page of memory. A blur that reads beyond the
/// end of a row ends the process.
///
/// An image owns its memory, so the mask cannot be placed between inaccessible pages like an
/// ``UnreadableFrame``. Instead, one page after each row, inside the memory of the image, is made
/// inaccessible.
final class UnreadableMask {
  /// The mask. It may be read as long as this object lives, except for the padding of its rows.
  let image: Image
  private let rows: NamedRows
  /// The addresses of the inaccessible pages.
  private let pages: [UnsafeMutableRawPointer]

  private static let page = Int(getpagesize())

  /// Creates a mask of the given shape and height. Its width depends on the address of its memory: the first
  /// row begins where the memory begins, and each row ends at the end of its page.
  ///
  /// - Throws: ``Blur/BlurError/outOfMemory(bytes:)``.
  init(_ shape: MaskShape, height: Int) throws(BlurError) {
    let page = Self.page
    var image = try Image(.gray8, width: 2 * page, height: height)
    let width = page - image.withView { Int(bitPattern: $0.unsafeBase) % page }
    image.become(try ImageLayout(.gray8, width: width, height: height, stride: 2 * page))
    let mask = try shape.mask(width: width, height: height)
    image.withMutableView { $0.copyPixels(of: mask) }
    let view = image.withView {
      MutableImageView(UnsafeMutableRawPointer(mutating: $0.unsafeBase), $0.layout)
    }
    // SAFETY: each row begins two pages after the previous row and ends where a page ends. The page after it
    // lies inside the memory of the image, which has two pages for each row, and contains no pixels. The
    // memory stays in place, because the image is not changed any more.
    pages = (0..<height).map { view.unsafeRow($0) + width }
    for address in pages where mprotect(address, page, PROT_NONE) != 0 { throw .outOfMemory(bytes: page) }
    rows = NamedRows(view.readOnly, FAULT_MASK)
    self.image = image
  }

  deinit { for address in pages { mprotect(address, Self.page, PROT_READ | PROT_WRITE) } }
}
