import Foundation
import TestSupport
import Testing

@Suite("Blurs by a mask on the command line")
struct MaskCommandTests {
  /// Writes a gray image of 8 bits, whose pixels are a function of their row.
  private func write(_ name: String, _ width: Int, _ height: Int, in folder: URL, _ value: (Int) -> UInt8)
    throws
  {
    let pixels = (0..<height).flatMap { [UInt8](repeating: value($0), count: width) }
    try (Data("P5\n\(width) \(height)\n255\n".utf8) + Data(pixels)).write(to: folder.appending(path: name))
  }

  private func pixels(_ name: String, in folder: URL) throws -> [UInt8] {
    try Array(Data(contentsOf: folder.appending(path: name)).suffix(32 * 24))
  }

  @Test("A black mask leaves an image as it is, and a white mask blurs it as without a mask")
  func ends() throws {
    try Scratch.folder { folder in
      try write("in.pgm", 32, 24, in: folder) { UInt8($0 * 97 % 256) }
      try write("black.pgm", 32, 24, in: folder) { _ in 0 }
      try write("white.pgm", 32, 24, in: folder) { _ in 255 }
      let blur = ["blur", "in.pgm", "--sigma", "3", "--kernel", "simd"]
      for (mask, more) in [("black", []), ("white", []), ("white", ["--method", "two-pass"])] {
        let command = try Command(blur + ["\(mask).out.pgm", "--mask", "\(mask).pgm"] + more, in: folder)
        #expect(command.code == 0, "\(command.errors)")
        #expect(try Command(blur + ["plain.pgm"], in: folder).code == 0)
        let expected = try pixels(mask == "black" ? "in.pgm" : "plain.pgm", in: folder)
        let found = try pixels("\(mask).out.pgm", in: folder)
        #expect(zip(found, expected).allSatisfy { abs(Int($0) - Int($1)) <= (more.isEmpty ? 0 : 1) })
      }
    }
  }

  @Test(
    "Masks and options that do not fit are rejected, with what is allowed",
    arguments: [
      (["--mask", "small.pgm"], "must have 32x24 pixels like the picture, but has 20x24"),
      (["--mask", "none.pgm"], "none.pgm"),
      (["--mask", "in.pgm", "--tiled"], "--tiled and --mask cannot be combined"),
      (["--mask", "in.pgm", "--max-error", "1"], "--max-error and --mask cannot be combined"),
      (["--mask", "in.pgm", "--method", "layer"], "'layers'"),
      (["--method", "layers"], "--method can only be used together with --mask"),
      (["--mask", "in.pgm", "--sigma", "5x2"], "the same --sigma for both axes"),
    ])
  func mistakes(options: [String], message: String) throws {
    try Scratch.folder { folder in
      try write("in.pgm", 32, 24, in: folder) { UInt8($0) }
      try write("small.pgm", 20, 24, in: folder) { UInt8($0) }
      let sigma = options.contains("--sigma") ? [] : ["--sigma", "3"]
      let command = try Command(["blur", "in.pgm", "out.pgm"] + sigma + options, in: folder)
      #expect(command.code != 0 && command.errors.contains(message), "\(command.errors)")
    }
  }
}
