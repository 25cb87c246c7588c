import Blur
import Testing

@testable import BlurVerification

@Suite("Large images, of which only some rows or columns are compared with the exact result")
struct LargeImageTests {
  /// Small parts of large images. The results are changed there.
  static let parts = [
    "one column": Region(x: 701, y: 0, width: 1, height: 600),
    "one row": Region(x: 0, y: 303, width: 700, height: 1),
    "a block of columns": Region(x: 640, y: 0, width: 64, height: 600),
    "a block of pixels": Region(x: 640, y: 304, width: 8, height: 8),
  ]

  @Test(
    "A wrong row, column or block in the middle is found, in wide and in high images",
    arguments: ["simd", "pyramid", "vyv-3", "dual-kawase"], [(2000, 700), (900, 900)])
  func middle(name: String, size: (Int, Int)) throws {
    let subject = Subject(.gray8, sigma: try Sigma(3), edge: .wrap)
    let test = KernelUnderTest(kernel: try Registry.kernel(named: name), subject: subject)
    let image = try test.image(.noise, size.0, size.1)
    let result = try test.blurred(image)
    #expect(throws: Never.self) { _ = try test.judgeQuickly(result, of: image) }
    for (part, region) in Self.parts {
      var changed = result
      changed.withMutableView { view in
        for y in region.rows {
          for x in region.columns { view.unsafeRow(y).storeBytes(of: 77, toByteOffset: x, as: UInt8.self) }
        }
      }
      #expect(throws: Violation.self, "\(part)") { _ = try test.judgeQuickly(changed, of: image) }
    }
  }

  @Test("Nothing is compared if nearly all windows reach the first pixel")
  func wide() throws {
    let subject = Subject(.gray8, sigma: try Sigma(200))
    let test = KernelUnderTest(kernel: try Registry.kernel(named: "simd"), subject: subject)
    let image = try test.image(.noise, 300, 260)
    // The black image is no blur of the other one.
    #expect(throws: Never.self) { try test.expectSameInPart(Image(image.layout), of: image) }
  }
}
