import Testing

@testable import Blur

@Suite("Images between guard bytes")
struct GuardedImageTests {
  @Test(
    "The first byte that is written outside the pixels is named, relative to the image",
    arguments: [
      (-1, "1 byte before its start"), (-2, "2 bytes before its start"),
      (14, "1 byte after its end"), (16, "3 bytes after its end"),
      (5, "byte 1 of the padding after row 0"),
    ])
  func damage(offset: Int, said: String) throws {
    // Rows have 4 bytes, and begin 10 bytes apart.
    let guarded = try GuardedImage(ImageLayout(.gray8, width: 4, height: 2, stride: 10))
    #expect(guarded.damage == nil)
    // SAFETY: the image lies between margins of 512 bytes, so each offset is in the memory that `guarded`
    // owns.
    guarded.view.unsafeBase.storeBytes(of: 0, toByteOffset: offset, as: UInt8.self)
    #expect(guarded.damage == said)
  }
}
