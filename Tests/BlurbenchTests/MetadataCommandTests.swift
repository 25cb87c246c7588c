import Foundation
import TestSupport
import Testing

@Suite("What image files say besides their pixels, on the command line")
struct MetadataCommandTests {
  /// Returns a chunk of a PNG file with its length and checksum (ISO 3309).
  private static func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
    func word(_ value: UInt32) -> [UInt8] {
      (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
    }
    let body = Array(name.utf8) + data
    var crc = ~UInt32(0)
    for byte in body {
      crc ^= UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 == 1 ? (crc >> 1) ^ 0xEDB8_8320 : crc >> 1 }
    }
    return word(UInt32(data.count)) + body + word(~crc)
  }

  /// Writes a gray PNG file of 6 × 4 pixels with some chunks before the pixels.
  private static func write(_ name: String, _ chunks: [(String, [UInt8])], in folder: URL) throws {
    let pixels = (0..<24).map { UInt8($0 * 53 % 256) }
    try (Data("P5\n6 4\n255\n".utf8) + Data(pixels)).write(to: folder.appending(path: "plain.pgm"))
    _ = try Command(["blur", "plain.pgm", "plain.png", "--sigma", "0"], in: folder)
    let file = try Array(Data(contentsOf: folder.appending(path: "plain.png")))
    let added = chunks.flatMap { Self.chunk($0.0, $0.1) }
    try Data(file[..<33] + added + file[33...]).write(to: folder.appending(path: name))
  }

  private func bytes(_ name: String, in folder: URL) throws -> [UInt8] {
    try Array(Data(contentsOf: folder.appending(path: name)))
  }

  private static let orientation: [UInt8] = [
    0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0,
  ]

  @Test(
    "The orientation is kept, with bands and masks too, and -v names what is dropped",
    arguments: [[], ["--tiled"], ["--mask", "plain.pgm"], ["--linear-light"]])
  func kept(options: [String]) throws {
    try Scratch.folder { folder in
      let chunks = [
        ("eXIf", Self.orientation), ("tIME", [7, 234, 1, 1, 0, 0, 0]), ("acTL", [UInt8](0..<8)), ("fcTL", []),
      ]
      try Self.write("in.png", chunks, in: folder)
      for verbose in [[], ["-v"]] {
        let command = try Command(
          ["blur", "in.png", "out.png", "--sigma", "1"] + options + verbose, in: folder)
        #expect(command.code == 0, "\(command.errors)")
        let file = try bytes("out.png", in: folder)
        #expect(Array(file[33..<33 + 38]) == Self.chunk("eXIf", Self.orientation))
        #expect(command.errors.contains("in.png: is an animation; only its first frame is used"))
        #expect(command.errors.contains("in.png: dropped tIME: ") == !verbose.isEmpty, "\(command.errors)")
      }
    }
  }

  @Test("With --linear-light, a gamma of 1 needs no conversion, and a profile is refused with advice")
  func linearLight() throws {
    try Scratch.folder { folder in
      try Self.write("gamma.png", [("gAMA", [0, 1, 134, 160])], in: folder)
      let blur = ["blur", "gamma.png", "--sigma", "1"]
      #expect(try Command(blur + ["a.png", "--linear-light"], in: folder).code == 0)
      #expect(try Command(blur + ["b.png"], in: folder).code == 0)
      #expect(try bytes("a.png", in: folder) == bytes("b.png", in: folder))
      // The colour of a constant edge is under the same curve as the picture.
      let constant = ["--edge", "constant", "--constant", "0.4"]
      #expect(try Command(blur + ["a.png", "--linear-light"] + constant, in: folder).code == 0)
      #expect(try Command(blur + ["c.png"] + constant, in: folder).code == 0)
      #expect(try bytes("a.png", in: folder) == bytes("c.png", in: folder))
      #expect(try bytes("a.png", in: folder) != bytes("b.png", in: folder))
      // 0.454545… as a power has no straight part near black, so that no kernel keeps one level there.
      try Self.write("steep.png", [("gAMA", [0, 0, 177, 143])], in: folder)
      let steep = try Command(
        ["blur", "steep.png", "c.png", "--sigma", "1", "--linear-light", "-v"], in: folder)
      // The kernels promise 1e-5, and 255 · (1e-5)^0.45455 is 1.36.
      #expect(
        steep.code == 0 && steep.errors.contains(/error: at most 1\.3[67] levels in the file/),
        "\(steep.errors)")
      #expect(steep.errors.contains("no kernel can keep it within 1 level"), "\(steep.errors)")
      try Self.write("profile.png", [("iCCP", Array("Display P3\0\0".utf8))], in: folder)
      let refused = try Command(
        ["blur", "profile.png", "d.png", "--sigma", "1", "--linear-light"], in: folder)
      #expect(
        refused.code == 1 && refused.errors.contains("profile.png: has the colour profile 'Display P3'"))
      #expect(refused.errors.contains("convert the picture to sRGB"), "\(refused.errors)")
    }
  }

  /// The sRGB value of light 0.5 is 1.055 · 0.5^(1/2.4) − 0.055 = 0.735357, which is 48192 of 65535. The
  /// light of 188/255 is 0.502886.
  @Test(
    "PFM files hold light, and files of integers hold sRGB", arguments: [[], ["--linear-light"], ["--tiled"]])
  func light(options: [String]) throws {
    try Scratch.folder { folder in
      let floats = [0.5, 2, -1, Float.nan].flatMap { value in
        (0..<4).map { UInt8(truncatingIfNeeded: value.bitPattern >> (8 * $0)) }
      }
      try (Data("Pf\n1 4\n-1.0\n".utf8) + Data(floats)).write(to: folder.appending(path: "in.pfm"))
      let blur = ["blur", "--sigma", "0", "--kernel", "simd-fine", "-v"] + options
      let encoded = try Command(blur + ["in.pfm", "out.pgm"], in: folder)
      #expect(encoded.code == 0, "\(encoded.errors)")
      // A PFM file begins with the bottom row. The bytes 188 and 64 are 48192.
      #expect(try bytes("out.pgm", in: folder).suffix(8) == [0, 0, 0, 0, 255, 255, 188, 64])
      #expect(encoded.errors.contains("1 above 1, 1 below 0 (now 0), 1 not a number"), "\(encoded.errors)")

      try (Data("P5 1 1 255\n".utf8) + Data([188])).write(to: folder.appending(path: "in.pgm"))
      let decoded = try Command(blur + ["in.pgm", "out.pfm"], in: folder)
      #expect(decoded.code == 0, "\(decoded.errors)")
      let bits = try bytes("out.pfm", in: folder).suffix(4).reversed().reduce(UInt32(0)) {
        $0 << 8 | UInt32($1)
      }
      #expect(abs(Float(bitPattern: bits) - 0.502886) < 1e-5)
    }
  }

  @Test(
    "A PNG file with its own curve becomes sRGB in a PGM file",
    arguments: [[], ["--tiled"], ["--linear-light"], ["--mask", "plain.pgm"]])
  func converted(options: [String]) throws {
    try Scratch.folder { folder in
      try Self.write("gamma.png", [("gAMA", [0, 1, 134, 160])], in: folder)
      let command = try Command(["blur", "gamma.png", "out.pgm", "--sigma", "0"] + options, in: folder)
      #expect(command.code == 0 && command.errors.isEmpty, "\(command.errors)")
      // The sRGB values of the light n · 53 mod 256 of 255, from NumPy.
      let expected: [UInt8] = [
        0, 126, 173, 207, 235, 53, 135, 179, 212, 239, 75, 144, 185, 217, 244, 92, 152, 191, 222, 248, 105,
        159,
        197, 227,
      ]
      #expect(try bytes("out.pgm", in: folder).suffix(24) == expected)
      // A profile cannot be converted, and the user is told so without -v.
      try Self.write("profile.png", [("iCCP", Array("Gray Gamma\0\0".utf8))], in: folder)
      guard options != ["--linear-light"] else { return }
      let profile = try Command(["blur", "profile.png", "out.pgm", "--sigma", "0"] + options, in: folder)
      #expect(try bytes("out.pgm", in: folder).suffix(24) == bytes("plain.pgm", in: folder).suffix(24))
      #expect(
        profile.errors.contains(/out\.pgm: .* may look different; .* profile 'Gray Gamma'/),
        "\(profile.errors)")
    }
  }

  @Test("Data after the picture is reported without -v")
  func secondPicture() throws {
    try Scratch.folder { folder in
      let file = Data("P5 1 1 255\n".utf8) + Data([1]) + Data("P5 1 1 255\n".utf8) + Data([2])
      try file.write(to: folder.appending(path: "in.pgm"))
      for options in [[], ["--tiled"]] {
        let command = try Command(["blur", "in.pgm", "out.pgm", "--sigma", "1"] + options, in: folder)
        #expect(command.code == 0)
        #expect(
          command.errors.contains(
            "in.pgm: 12 bytes follow the picture and are not read, perhaps a second picture"),
          "\(command.errors)")
      }
    }
  }
}
