import Foundation
import TestSupport
import Testing

@Suite("Colours beyond the image, masks and opaque pictures on the command line")
struct EdgeColourTests {
  private static func pam(_ width: Int, _ height: Int, depth: Int, type: String, _ bytes: [UInt8]) -> Data {
    Data(
      "P7\nWIDTH \(width)\nHEIGHT \(height)\nDEPTH \(depth)\nMAXVAL 255\nTUPLTYPE \(type)\nENDHDR\n".utf8)
      + Data(bytes)
  }

  /// Blurs a picture, and returns the bytes of the result after its header.
  private static func blurred(_ picture: Data, _ output: String, _ words: [String], count: Int) throws
    -> [UInt8]
  {
    try Scratch.folder { folder in
      try picture.write(to: folder.appending(path: "in.pam"))
      let command = try Command(["blur", "in.pam", output] + words, in: folder)
      try #require(command.code == 0, "\(command.errors)")
      return try Array(Data(contentsOf: folder.appending(path: output)).suffix(count))
    }
  }

  @Test("The colour beyond the image is mixed in as the Gaussian says")
  func profile() throws {
    // The picture is black, and its height is so large that the middle row is far from the other edges.
    let (width, height, sigma) = (40, 81, 4.0)
    let picture = Self.pam(
      width, height, depth: 3, type: "RGB", [UInt8](repeating: 0, count: width * height * 3))
    for (colour, levels) in [
      ("#ff8000", [255.0, 128, 0]), ("#f80", [255, 136, 0]), ("1,0.5,0", [255, 127.5, 0]),
      ("0.2", [51, 51, 51]),
    ] {
      for tiled in [[], ["--tiled"]] {
        let words = ["--sigma", "4", "--edge", "constant", "--constant", colour] + tiled
        let bytes = try Self.blurred(picture, "out.ppm", words, count: width * height * 3)
        for x in 0..<12 {
          let share = 0.5 * erfc((Double(x) + 0.5) / sigma / 2.0.squareRoot())
          for c in 0..<3 {
            let found = Double(bytes[(height / 2 * width + x) * 3 + c])
            #expect(abs(found - share * levels[c]) < 2, "\(colour) \(x) \(c): \(found)")
          }
        }
      }
    }
  }

  @Test("In linear light, the colour beyond the image is the stored one, so a picture of it stays as it is")
  func linearLight() throws {
    let picture = Self.pam(9, 7, depth: 3, type: "RGB", (0..<63).flatMap { _ in [200, 90, 10] as [UInt8] })
    let words = ["--sigma", "3", "--linear-light", "--edge", "constant", "--constant", "#c85a0a"]
    let bytes = try Self.blurred(picture, "out.ppm", words, count: 189)
    for (index, byte) in bytes.enumerated() { #expect(abs(Int(byte) - [200, 90, 10][index % 3]) <= 1) }
  }

  @Test(
    "Colours that do not fit are refused",
    arguments: [
      ("--edge constant --constant red", "must be a colour such as #ff8800"),
      ("--edge constant --constant #12345", "must be a colour"),
      ("--edge constant --constant 1,2", "must be a colour"), ("--edge constant --constant nan", "must be"),
      ("--constant #ffffff", "only be used together with --edge constant"),
      ("--edge constant --constant #ff0000", "the picture is gray"),
      ("--edge constant --constant #ffffff80", "the picture has no alpha"),
      ("--edge constant --constant 255", "from 0 to 1"),
    ])
  func refused(options: String, message: String) throws {
    try Scratch.folder { folder in
      try PipeTests.gray.write(to: folder.appending(path: "in.pgm"))
      let command = try Command(
        ["blur", "in.pgm", "out.pgm", "--sigma", "1"] + options.split(separator: " ").map(String.init),
        in: folder)
      #expect(command.code == 64 && command.errors.contains(message), "\(command.errors)")
    }
  }

  @Test("A gray picture with alpha has only grays beyond its edges", arguments: [[], ["--tiled"]])
  func grayWithAlpha(tiled: [String]) throws {
    // Without a blur, the colour does not matter, but it is checked.
    let picture = Self.pam(2, 1, depth: 2, type: "GRAYSCALE_ALPHA", [10, 255, 20, 128])
    let words = ["--sigma", "0", "--edge", "constant", "--constant"]
    #expect(
      try Self.blurred(picture, "out.pam", words + ["#80808080"] + tiled, count: 4) == [10, 255, 20, 128])
    try Scratch.folder { folder in
      try picture.write(to: folder.appending(path: "in.pam"))
      let command = try Command(["blur", "in.pam", "out.pam"] + words + ["#ff0000"] + tiled, in: folder)
      #expect(
        command.code == 64 && command.errors.contains("must be a gray such as #808080 or 0.5, because"),
        "\(command.errors)")
    }
  }

  @Test("Opaque pictures are written to formats without alpha, and transparent ones are not")
  func opaque() throws {
    let pixels: [UInt8] = [10, 20, 30, 255, 40, 50, 60, 255]
    let picture = Self.pam(2, 1, depth: 4, type: "RGB_ALPHA", pixels)
    for tiled in [[], ["--tiled"]] {
      let bytes = try Self.blurred(picture, "out.ppm", ["--sigma", "0"] + tiled, count: 6)
      #expect(bytes == [10, 20, 30, 40, 50, 60])
      let grays = Self.pam(2, 1, depth: 2, type: "GRAYSCALE_ALPHA", [7, 255, 9, 255])
      #expect(try Self.blurred(grays, "out.pgm", ["--sigma", "0"] + tiled, count: 2) == [7, 9])
      #expect(try Self.blurred(picture, "out.ppm", ["--sigma", "9"] + tiled, count: 6).count == 6)
      try Scratch.folder { folder in
        try Self.pam(1, 1, depth: 4, type: "RGB_ALPHA", [1, 2, 3, 254]).write(
          to: folder.appending(path: "a.pam"))
        try picture.write(to: folder.appending(path: "b.pam"))
        for words in [["a.pam"], ["b.pam", "--edge", "constant"]] {
          let command = try Command(["blur"] + words + ["out.ppm", "--sigma", "2"] + tiled, in: folder)
          #expect(command.code == 1 && command.errors.contains("cannot hold alpha"), "\(command.errors)")
        }
      }
    }
  }

  /// Two-pixel masks, of which the first pixel is black and the second one is white.
  static let masks: [(String, Data)] = [
    ("m.pgm", Data("P5 2 1 65535\n".utf8) + Data([0, 0, 255, 255])),
    ("m.ppm", Data("P6 2 1 255\n".utf8) + Data([0, 0, 0, 255, 255, 255])),
    ("m.pam", pam(2, 1, depth: 2, type: "GRAYSCALE_ALPHA", [0, 255, 255, 255])),
    ("m.pfm", Data("Pf\n2 1\n-1.0\n".utf8) + Data([0, 0, 0, 0, 0, 0, 0x80, 0x3F])),
  ]

  @Test("A gray mask of any depth leaves pixels as they are where it is black", arguments: masks)
  func mask(name: String, data: Data) throws {
    try Scratch.folder { folder in
      try Data("P5 2 1 255\n".utf8 + [20, 220]).write(to: folder.appending(path: "in.pgm"))
      try data.write(to: folder.appending(path: name))
      let command = try Command(
        ["blur", "in.pgm", "out.pgm", "--sigma", "3", "--mask", name, "--edge", "wrap"], in: folder)
      #expect(command.code == 0, "\(command.errors)")
      let bytes = try Array(Data(contentsOf: folder.appending(path: "out.pgm")).suffix(2))
      // With so large a sigma, the white pixel becomes the mean of both.
      #expect(bytes[0] == 20 && abs(Int(bytes[1]) - 120) <= 1, "\(bytes)")
    }
  }

  @Test("A mask with colours or transparent pixels is refused by what it has")
  func wrongMask() throws {
    try Scratch.folder { folder in
      try Data("P5 2 1 255\n".utf8 + [20, 220]).write(to: folder.appending(path: "in.pgm"))
      let masks = [
        ("has colours", Data("P6 2 1 255\n".utf8) + Data([0, 0, 1, 5, 5, 5])),
        ("has transparent pixels", Self.pam(2, 1, depth: 2, type: "GRAYSCALE_ALPHA", [0, 255, 255, 9])),
      ]
      for (message, data) in masks {
        try data.write(to: folder.appending(path: "m.pam"))
        let command = try Command(
          ["blur", "in.pgm", "out.pgm", "--sigma", "3", "--mask", "m.pam"], in: folder)
        #expect(command.code == 1 && command.errors.contains("m.pam: \(message)"), "\(command.errors)")
      }
    }
  }
}
