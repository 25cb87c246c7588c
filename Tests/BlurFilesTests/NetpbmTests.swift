import Blur
import Testing

@testable import BlurFiles

@Suite("PNM, PAM and PFM files")
struct NetpbmTests {
  static func file(_ text: String, _ bytes: [UInt8] = []) -> [UInt8] { Array(text.utf8) + bytes }

  @Test(
    "Small files written by hand are decoded to the expected samples",
    arguments: [
      (file("P1\n# a comment\n3 2\n101\n0 1 0"), 1, [0, 255, 0, 255, 0, 255]),
      (file("P2 2 2 15 0 5 10 15"), 1, [0, 85, 170, 255]),
      (file("P3\n1 2\n255\n1 2 3\n250 251 252\n"), 3, [1, 2, 3, 250, 251, 252]),
      (
        file("P4\n10 2\n", [0b1010_1010, 0b1100_0000, 0, 0xFF]), 1,
        [0, 255, 0, 255, 0, 255, 0, 255, 0, 0] + [UInt8](repeating: 255, count: 8) + [0, 0]
      ),
      (file("P5 3 1 255\n", [7, 8, 9]), 1, [7, 8, 9]),
      (file("P6\n1 1\n#c\n100\n", [0, 50, 100]), 3, [0, 128, 255]),
      (
        file("P7\nWIDTH 1\nHEIGHT 1\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n", [1, 2, 3, 4]), 4,
        [1, 2, 3, 4]
      ),
      (
        file("P7\nWIDTH 2\nHEIGHT 1\nDEPTH 1\nMAXVAL 1\nTUPLTYPE BLACKANDWHITE\nENDHDR\n", [0, 1]), 1,
        [0, 255]
      ),
    ] as [([UInt8], Int, [UInt8])])
  func small(file: [UInt8], channels: Int, expected: [UInt8]) throws {
    let samples = try ImageFile.decode(file)
    #expect(samples.channels == channels)
    #expect(samples.bytes == expected)
  }

  @Test("16-bit samples are stored with the most significant byte first")
  func sixteenBits() throws {
    let samples = try ImageFile.decode(Self.file("P5 2 1 65535\n", [0x12, 0x34, 0xFF, 0xFE]))
    #expect(samples.share(0) == Double(0x1234) / 65535)
    #expect(samples.share(1) == Double(0xFFFE) / 65535)
  }

  @Test("PFM files of both byte orders are read, starting with the bottom row")
  func pfm() throws {
    // In big-endian order, 1.0 is 3F 80 00 00 and 0.5 is 3F 00 00 00. The first row in the file is the bottom
    // row of the image.
    let big = Self.file("Pf\n1 2\n1.0\n", [0x3F, 0x80, 0, 0, 0x3F, 0, 0, 0])
    let little = Self.file("Pf\n1 2\n-1.0\n", [0, 0, 0x80, 0x3F, 0, 0, 0, 0x3F])
    for file in [big, little] {
      let samples = try ImageFile.decode(file)
      #expect([samples.share(0), samples.share(1)] == [0.5, 1])
    }
  }

  @Test(
    "A written file is read back with the same samples", arguments: ["pgm", "ppm", "pam", "pfm"], [1, 3])
  func roundTrip(ending: String, channels: Int) throws {
    guard ending != "pgm" || channels == 1 else { return }
    for depth in [Samples.Depth.bits8, .bits16, .float] {
      var samples = Samples(width: 5, height: 3, channels: channels, depth: depth)
      for i in 0..<15 * channels { samples.setShare(i, Double(i) / Double(15 * channels - 1)) }
      let written = try ImageFile.encode(Picture(samples), ending: ending)
      let read = try ImageFile.decode(written)
      #expect(read.channels == (ending == "ppm" ? 3 : channels))
      // Samples are exact if the file has the same depth. Otherwise the error is at most half a step of the
      // coarser depth.
      let step = read.depth == depth ? 0 : ending == "pfm" ? 0x1p-24 : 0.5 / 65535
      for i in 0..<15 * channels where read.channels == channels {
        #expect(abs(read.share(i) - samples.share(i)) <= step)
      }
    }
  }

  @Test("An image with colour or alpha is not written to a format without it")
  func refusals() throws {
    let colour = try Picture(Samples(width: 2, height: 2, channels: 3, depth: .bits8))
    let alpha = try Picture(Samples(width: 2, height: 2, channels: 4, depth: .bits8))
    #expect(throws: ImageDataError.self) { try ImageFile.encode(colour, ending: "pgm") }
    for ending in ["ppm", "pnm", "pfm"] {
      #expect(throws: ImageDataError.self) { try ImageFile.encode(alpha, ending: ending) }
    }
    #expect(throws: ImageFileError.self) { try ImageFile.checkEnding(of: "a/b.jpeg") }
    #expect(throws: ImageFileError.self) { try ImageFile.checkEnding(of: "a.png/b") }
  }
}
