import Blur
import Testing

@testable import BlurVerification

@Suite("Images between guard bytes")
struct GuardedImageTests {
  @Test(
    "The first byte that is written outside the pixels is named, relative to the image",
    arguments: [
      (-1, "an address 1 byte before the image"), (-2, "an address 2 bytes before the image"),
      (14, "an address 1 byte after the image"), (16, "an address 3 bytes after the image"),
      (5, "byte 1 of the padding of row 0"),
    ])
  func damage(offset: Int, said: String) throws {
    // Rows have 4 bytes, and begin 10 bytes apart.
    let guarded = try GuardedImage(Image(.gray8, width: 4, height: 2), extraStride: 6, shift: 0)
    #expect(guarded.damage == nil)
    // SAFETY: the image lies between margins of 512 bytes, so each offset is in the memory that `guarded`
    // owns.
    guarded.view.base.storeBytes(of: 0, toByteOffset: offset, as: UInt8.self)
    #expect(guarded.damage == said)
  }
}
