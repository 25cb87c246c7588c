import Foundation
import TestSupport
import Testing

/// Tests of the programs in docs/FIRST-STEPS.md. Tests/ports/run compiles the Swift code of that page.
@Suite("First steps")
struct FirstStepsTests {
  @Test("The C program in docs/FIRST-STEPS.md blurs a step from black to white")
  func c() throws {
    try Scratch.folder { folder in
      let source = folder.appending(path: "first.c")
      try Self.block("c").write(to: source, atomically: true, encoding: .utf8)
      let run = try Program([try Program.build([source], ["cc", "-std=c99"], into: folder)])
      let found = run.printed.split { " \n".contains($0) }.compactMap { Double($0) }
      let expected = Edge.blurred(between: 31, and: 32, sigma: 4, at: (0..<64).map(Double.init))
      #expect(found.count == 64 && zip(found, expected).allSatisfy { abs($0 - $1) <= 1.5 }, "\(run.printed)")
    }
  }

  @Test(
    "The Python program in docs/FIRST-STEPS.md blurs a photo and each frame of a video",
    .enabled(if: Program.hasNumpy, "numpy is not installed (package python3-numpy)"))
  func python() throws {
    try Scratch.folder { folder in
      try Self.cv2.write(to: folder.appending(path: "cv2.py"), atomically: true, encoding: .utf8)
      let package = Program.package.appending(path: "Sources/BlurPython").path
      let run = try Program(
        ["python3", "-B", "-c", try Self.block("python")], in: folder,
        environment: ["BLUR_LIBRARY": Program.library, "PYTHONPATH": "\(folder.path):\(package)"])
      try #require(run.code == 0, "\(run.printed)")
      let rows = run.printed.split(separator: "\n").map { $0.split(separator: " ").compactMap { Double($0) } }
      try #require(rows.count == 3, "a photo and two frames: \(run.printed)")
      // The photo's edge lies between columns 63 and 64, and moves by 8 columns in each frame.
      for (row, black) in zip(rows, [63.0, 63, 71]) {
        let columns = (0..<128).map(Double.init)
        let expected = Edge.blurred(between: black, and: black + 1, sigma: 12, at: columns)
        #expect(row.count == 128 && zip(row, expected).allSatisfy { abs($0 - $1) <= 1.5 }, "\(row)")
      }
    }
  }

  /// A module in place of OpenCV. Its pictures are white to the right of an edge. It prints one row of each
  /// picture that is written.
  private static let cv2 = """
    import numpy

    def imread(path, edge=64):
        image = numpy.zeros((64, 128, 3), numpy.uint8)
        image[:, edge:] = 255
        return image

    def imwrite(path, image):
        print(*image[32, :, 1])

    def VideoWriter_fourcc(*letters):
        return 0

    class VideoCapture:
        def __init__(self, path):
            self.edges = [64, 72]

        def read(self):
            return (True, imread("", self.edges.pop(0))) if self.edges else (False, None)

    class VideoWriter:
        def __init__(self, path, code, rate, size):
            assert size == (128, 64)

        def write(self, image):
            imwrite("", image)

        def release(self):
            pass
    """

  /// Returns the code block in this language in docs/FIRST-STEPS.md.
  private static func block(_ language: String) throws -> String {
    let page = Program.package.appending(path: "docs/FIRST-STEPS.md")
    let pattern = try Regex("```\(language)\n(.*?)```", as: (Substring, Substring).self).dotMatchesNewlines()
    return String(try #require(try String(contentsOf: page, encoding: .utf8).firstMatch(of: pattern)).1)
  }
}
