import Testing

@testable import BlurRecords

@Suite("Sizes of windows instead of sigma")
struct WindowSizeTests {
  /// The values of sigma are those of `cv2.getGaussianKernel`, whose documentation states the formula
  /// 0.3·((ksize − 1)·0.5 − 1) + 0.8.
  @Test(
    "The hint names the sigma of OpenCV, and for a radius the radius itself, too",
    arguments: [
      ("--ksize", ["11"], ["blurs with 2 if"]), ("ksize", ["3", "7"], ["blurs with 0.8|1.4 if"]),
      ("kernel_size", ["5"], ["blurs with 1.1 if"]), ("--radius", ["5"], ["CSS, use 5;", "ksize 11, use 2"]),
      ("radii", ["3", "10"], ["CSS, use 3|10;", "ksize 7, 21, use 1.4|3.5"]),
      ("ksize", ["0"], ["given as sigma"]), ("ksize", ["5", "-1"], ["given as sigma"]),
      ("radius", ["0x5"], ["given as sigma"]), ("radius", [], ["given as sigma"]),
    ])
  func hint(name: String, values: [String], words: [String]) throws {
    let hint = try #require(WindowSize.hint(name, values) { $0.joined(separator: "|") })
    #expect(hint.hasPrefix("there is no \(name); ") && words.allSatisfy(hint.contains), "\(hint)")
  }

  @Test("Other names have no hint", arguments: ["sigma", "size", "--sigmas", "", "threads"])
  func none(name: String) { #expect(WindowSize.hint(name, ["5"]) { $0[0] } == nil) }
}
