import Testing

@testable import Blur

@Suite("Names of edge modes in other libraries")
struct EdgeNameTests {
  /// Each name with the pixels that its library documents to the left of the pixels abcd, from the nearest
  /// one on. A k stands for a constant.
  static let documented: [(String, String)] = [
    // OpenCV, enum BorderTypes.
    ("BORDER_CONSTANT", "kkk"), ("BORDER_REPLICATE", "aaa"), ("BORDER_REFLECT", "abc"),
    ("BORDER_WRAP", "dcb"),
    ("BORDER_REFLECT_101", "bcd"), ("BORDER_REFLECT101", "bcd"), ("BORDER_DEFAULT", "bcd"),
    ("0", "kkk"), ("1", "aaa"), ("2", "abc"), ("3", "dcb"), ("4", "bcd"), ("5", ""), ("-1", ""),
    ("cv2.BORDER_REFLECT_101", "bcd"), ("cv::BORDER_REPLICATE", "aaa"), ("reflect101", "bcd"),
    // SciPy, ndimage.
    ("nearest", "aaa"), ("grid-mirror", "abc"), ("grid-constant", "kkk"), ("grid-wrap", "dcb"),
    // NumPy, numpy.pad.
    ("edge", "aaa"), ("symmetric", "abc"),
    // PyTorch and MATLAB.
    ("replicate", "aaa"), ("circular", "dcb"), ("zeros", "kkk"), ("zero", "kkk"),
    // OpenGL.
    ("GL_CLAMP_TO_EDGE", "aaa"), ("GL_REPEAT", "dcb"), ("GL_MIRRORED_REPEAT", "abc"),
    ("CLAMP_TO_BORDER", "kkk"), ("GL_CLAMP_TO_BORDER", "kkk"), ("clamp-to-edge", "aaa"),
    ("mirrored-repeat", "abc"), ("repeat", "dcb"),
    // Our own names, spelled differently.
    ("Mirror", "bcd"), ("REFLECT", "abc"), ("border_wrap", "dcb"),
    ("BORDER_TRANSPARENT", ""), ("border", "aaa"), ("", ""), ("border_x", ""),
  ]

  @Test("The suggested mode continues an image as the library documents", arguments: documented)
  func meaning(name: String, pixels: String) {
    let mode = EdgeMode.named(elsewhere: name)
    let letters = Array("abcd")
    let found = mode.map { mode in
      String((-3 ... -1).reversed().map { x in mode.index(of: x, count: 4).map { letters[$0] } ?? "k" })
    }
    #expect(found ?? "" == pixels, "\(mode as Any)")
  }
}
