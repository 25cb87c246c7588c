import Blur
import Testing

@testable import BlurVerification

@Suite("An image among watched bytes")
struct GuardedImageTests {
  @Test(
    "The first byte that is written outside the pixels is named, counted from the image",
    arguments: [
      (-1, "1 byte before the image"), (-2, "2 bytes before the image"), (14, "1 byte after the image"),
      (16, "3 bytes after the image"), (5, "byte 1 of the padding of row 0"),
    ])
  func damage(offset: Int, said: String) throws {
    // Rows of 4 bytes, 10 bytes apart.
    let guarded = try GuardedImage(Image(.gray8, width: 4, height: 2), extraStride: 6, shift: 0)
    #expect(guarded.damage == nil)
    // SAFETY: the image lies between margins of 512 bytes.
    guarded.view.base.storeBytes(of: 0, toByteOffset: offset, as: UInt8.self)
    #expect(guarded.damage == said)
  }
}
