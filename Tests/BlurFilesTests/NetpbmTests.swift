import Blur
import Foundation
import TestSupport
import Testing

@testable import BlurFiles

@Suite("PNM, PAM and PFM files")
struct NetpbmTests {
  static func file(_ text: String, _ bytes: [UInt8] = []) -> [UInt8] { Array(text.utf8) + bytes }

  /// Returns the light of an sRGB value (IEC 61966-2-1). `colour(of:)` is the inverse function.
  static func light(of colour: Double) -> Double {
    colour <= 0.04045 ? colour / 12.92 : pow((colour + 0.055) / 1.055, 2.4)
  }
  static func colour(of light: Double) -> Double {
    light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055
  }

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
      (
        file(
          "P7\nWIDTH 2\nHEIGHT 1\nDEPTH 2\nMAXVAL 1\nTUPLTYPE BLACKANDWHITE_ALPHA\nENDHDR\n", [0, 1, 1, 0]),
        2,
        [0, 255, 255, 0]
      ),
      (
        file(
          "P7\n\n # c\nMAXVAL\t\t255 \n#WIDTH 9\n  DEPTH  3\nheight \t1\nWidth  1\t\nENDHDR \t\n", [1, 2, 3]),
        3,
        [1, 2, 3]
      ),
      (
        file(
          "P7\nDEPTH 2\nWIDTH 1\nMAXVAL 100\nTUPLTYPE  grayscale_alpha \nHEIGHT 1\n#\nENDHDR\n", [50, 100]),
        2,
        [128, 255]
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
      // coarser depth. PFM holds light, so its floats differ from the integers of other files.
      let step = read.depth == depth ? 0 : ending == "pfm" ? 0x1p-24 : 0.5 / 65535
      for i in 0..<15 * channels where read.channels == channels {
        let value = samples.share(i)
        let expected =
          read.depth == depth || (ending != "pfm" && depth != .float)
          ? value : ending == "pfm" ? Self.light(of: value) : Self.colour(of: value)
        #expect(abs(read.share(i) - expected) <= step)
      }
    }
  }

  @Test("An image with colour or alpha is not written to a format without it")
  func refusals() throws {
    let colour = try Picture(Samples(width: 2, height: 2, channels: 3, depth: .bits8))
    let alpha = try Picture(Samples(width: 2, height: 2, channels: 4, depth: .bits8))
    #expect(throws: ImageDataError.self) { try ImageFile.encode(colour, ending: "pgm") }
    for ending in ["ppm", "pnm"] {
      #expect(throws: ImageDataError.self) { try ImageFile.encode(alpha, ending: ending) }
    }
    #expect(throws: ImageFileError.self) { try ImageFile.checkEnding(of: "a/b.jpeg") }
    #expect(throws: ImageFileError.self) { try ImageFile.checkEnding(of: "a.png/b") }
  }
}

@Suite("Headers and ends of PNM, PAM and PFM files")
struct NetpbmHeaderTests {
  private static func file(_ text: String, _ bytes: [UInt8] = []) -> [UInt8] { Array(text.utf8) + bytes }

  /// The floats 0.25, 0.5, 1 and 0.5, with the least significant byte first.
  private static let floats: [UInt8] = [0, 0, 0x80, 0x3E, 0, 0, 0, 0x3F, 0, 0, 0x80, 0x3F, 0, 0, 0, 0x3F]

  @Test(
    "Comments that touch a number, and lines that end with CRLF or CR, are read",
    arguments: [
      (
        file("P2\n4# feep\n 2 # feep\n15# x\n\n 0 3 6 15 0#\n 3 6#x\n15"), [0, 51, 102, 255, 0, 51, 102, 255]
      ),
      (file("P5#a\n2#b\n1#c\n255#d\n", [7, 8]), [7, 8]), (file("P5\r\n2 1\r\n255\r\n", [10, 8]), [10, 8]),
      (file("P5 2 1 255\r\n", [10, 8]), [10, 8]), (file("P5 2 1 255\r", [10, 8]), [10, 8]),
      (file("P5\n# c\r\n2 1\n255\r", [10, 8]), [10, 8]),
      (file("P5\n# c\r\n2 1\n255\r\n", [10, 8]), [10, 8]),
      (file("P5\r2 1\r255\r", [7, 8]), [7, 8]), (file("P5 # a\r\n2 1\r\n255# b\r\n", [10, 8]), [10, 8]),
      (file("P5 2 1 255 ", [35, 10]), [35, 10]), (file("P5 2 1 255\n", [13, 10]), [13, 10]),
      (file("P5 2 1 255\r", [13, 10]), [13, 10]), (file("P5\n2 1\n255\r\n", [13, 10]), [13, 10]),
      (file("P4\r\n8 1\r\n", [0xF0]), [0, 0, 0, 0, 255, 255, 255, 255]),
      (file("P1 2#\n1\n0#\n1"), [255, 0]),
      (
        file(
          "P7\r\nWIDTH 2\r\nHEIGHT\t1\r\n# c\r\nDEPTH 1\r\nMAXVAL 255\r\nTUPLTYPE GRAYSCALE\r\nENDHDR\r\n",
          [10, 8]),
        [10, 8]
      ),
    ] as [([UInt8], [UInt8])])
  func spaces(file: [UInt8], expected: [UInt8]) throws {
    let picture = try ImageFile.picture(file)
    #expect(try ImageFile.decode(file).bytes == expected)
    #expect(picture.metadata.warnings.isEmpty, "\(picture.metadata.warnings)")
  }

  @Test("PF4 has four channels, and is written for pictures with alpha")
  func pf4() throws {
    for header in ["PF4\n1 1\n-1.0\n", "PF4\r\n1 1\r\n-1\r\n", "PF4 1#\n1 -1#\n"] {
      let picture = try ImageFile.picture(Self.file(header, Self.floats))
      #expect(picture.shape == Samples.Shape(width: 1, height: 1, channels: 4, depth: .float))
      #expect(picture.image.layout.format == .rgbaf32)
      let written = try ImageFile.encode(picture, ending: "pfm")
      #expect(written == Self.file("PF4\n1 1\n-1.0\n", Self.floats))
    }
    // The sRGB values of light 0.25 and 0.5 are 0.537099 and 0.735357. Alpha is not converted.
    let samples = try ImageFile.decode(
      ImageFile.encode(ImageFile.picture(Self.file("PF4 1 1 -1\n", Self.floats)), ending: "png"))
    let values = samples.bytes.withUnsafeBytes { bytes in
      (0..<4).map { bytes.loadUnaligned(fromByteOffset: 2 * $0, as: UInt16.self) }
    }
    #expect(values == [35199, 48192, 65535, 32768])
  }

  @Test(
    "A magic number without a space after it, and a raster that is too short, are errors",
    arguments: [
      file("P52 1 255\n", [1, 2]), file("PF44 1\n-1\n", [UInt8](repeating: 0, count: 64)),
      file("Pf1 1 -1\n", [0, 0, 0, 0]),
      file("P7WIDTH 1\n"), file("P5"), file("P5 2 1 255\n", [1]), file("P5\r\n2 1\r\n255\r\n", [1]),
      file("P2 2 1 255 1"),
      file("P4 9 1\n", [1]), file("PF4 1 1 -1\n", [UInt8](repeating: 0, count: 12)),
      file("P5 +2 1 255\n", [1, 2]), file("P7\nWIDTH +1\nHEIGHT 1\nDEPTH 1\nMAXVAL 255\nENDHDR\n", [1]),
      file("P7\nWIDTH 1 1\nHEIGHT 1\nDEPTH 1\nMAXVAL 255\nENDHDR\n", [1]),
      file("P7\nHEIGHT 1\nDEPTH 1\nMAXVAL 255\nENDHDR\n", [1]),
      file("P7\nWIDTH 1\nHEIGHT 1\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB\nENDHDR\n", [1, 2, 3, 4]),
    ])
  func errors(file: [UInt8]) {
    #expect(throws: ImageDataError.self) { try ImageFile.decode(file) }
  }

  @Test(
    "Bytes after the raster are reported",
    arguments: [
      (file("P5 2 1 255\n", [1, 2]) + file("P5 1 1 255\n", [1]), "12 bytes follow", true),
      (file("P5 1 1 255\n", [1, 2]), "1 byte follows", false),
      (file("P2 1 1 9 1 2\n"), "2 bytes follow", false),
      (file("Pf 1 1 -1\n", [0, 0, 0, 0, 1, 2, 3]), "3 bytes follow", false),
      (file("P1 2 1 0 1 P1 2 1 0 1"), "10 bytes follow", true),
    ])
  func ends(file: [UInt8], count: String, isPicture: Bool) throws {
    let warnings = try ImageFile.picture(file).metadata.warnings
    #expect(warnings.count == 1 && warnings[0].hasPrefix(count), "\(warnings)")
    #expect(warnings[0].contains("perhaps a second picture") == isPicture, "\(warnings)")
  }

  @Test("After a lone carriage return, a second picture does not make the first pixel part of the header")
  func loneReturn() throws {
    let file = Self.file("P5 2 1 255\r", [10, 8]) + Self.file("P5 1 1 255\n", [1])
    let picture = try ImageFile.picture(file)
    #expect(picture.image.bytes == [10, 8])
    #expect(picture.metadata.warnings.first?.hasPrefix("12 bytes follow") == true)
  }

  @Test("The words of several lines with the type of a PAM are joined, and the error lists the types")
  func tupleType() {
    let lines = "TUPLTYPE RGB\nTUPLTYPE  with  depth\n"
    let error = #expect(throws: ImageDataError.self) {
      try ImageFile.decode(
        Self.file("P7\nWIDTH 1\nHEIGHT 1\nDEPTH 3\n\(lines)MAXVAL 255\nENDHDR\n", [1, 2, 3]))
    }
    let text = error?.description ?? ""
    #expect(text.contains("'RGB WITH DEPTH'") && text.contains("BLACKANDWHITE, BLACKANDWHITE_ALPHA, GRAY"))
  }

  @Test(
    "A maximum value of at least 255 and the scale of PFM are kept, and a note names other maximum values")
  func kept() throws {
    let gray = try ImageFile.picture(Self.file("P2 3 1 1023 0 512 1023"))
    #expect(try ImageFile.encode(gray, ending: "pgm") == Self.file("P5\n3 1\n1023\n", [0, 0, 2, 0, 3, 255]))
    let small = try ImageFile.picture(Self.file("P3 1 1 15 1 7 15"))
    #expect(try ImageFile.encode(small, ending: "ppm") == Self.file("P6\n1 1\n255\n", [17, 119, 255]))
    let black = "P7\nWIDTH 2\nHEIGHT 1\nDEPTH 1\nMAXVAL 1\nTUPLTYPE BLACKANDWHITE\nENDHDR\n"
    let white = try ImageFile.picture(Self.file(black, [0, 1]))
    #expect(try ImageFile.encode(white, ending: "pgm") == Self.file("P5\n2 1\n255\n", [0, 255]))
    for (picture, ending, note) in [
      (gray, "pgm", nil), (gray, "png", "from 1023 to 65535"), (gray, "pfm", "from 1023 to 1;"),
      (small, "ppm", "from 15 to 255"), (white, "pam", "from 1 to 255"),
      (try ImageFile.picture(Self.file("P5 1 1 255 ", [9])), "pfm", nil),
    ] {
      let kind = try FileFormat(of: picture.shape, ending: ending)
      let notes = picture.metadata.fitting(ending, kind.shape).notes.joined()
      #expect(note.map(notes.contains) ?? notes.isEmpty, "\(ending) \(notes)")
    }
    let bits = try ImageFile.picture(Self.file("P1 2 1 01"))
    #expect(try ImageFile.encode(bits, ending: "pgm") == Self.file("P5\n2 1\n255\n", [255, 0]))
    let scaled = try ImageFile.picture(Self.file("Pf 1 1 2.5\n", [0x3F, 0, 0, 0]))
    #expect(try ImageFile.encode(scaled, ending: "pfm") == Self.file("Pf\n1 1\n-2.5\n", [0, 0, 0, 0x3F]))
  }

  @Test("Alpha that is not from 0 to 1 is clamped and counted, and the colours are straight")
  func oddAlpha() throws {
    // The sRGB values of light 0.25 and 0.5 are 0.537099 and 0.735357.
    let lights: [UInt16] = [35199, 48192, 65535]
    for (alpha, ending, expected, note) in [
      (Float(1.5), "png", lights + [65535], "1 above 1, 0 below 0 (now 0), 0 not"),
      (1.5, "ppm", lights, "1 above 1, 0 below 0 (now 0), 0 not"), (1, "ppm", lights, nil),
      (-0.5, "png", [0, 0, 0, 0], "0 above 1, 1 below 0 (now 0), 0 not"),
      (.nan, "png", [0, 0, 0, 0], "0 above 1, 0 below 0 (now 0), 4 not"),
    ] as [(Float, String, [UInt16], String?)] {
      let bytes = [0.25, 0.5, 1, alpha].flatMap { (value: Float) in
        withUnsafeBytes(of: value.bitPattern.littleEndian) { Array($0) }
      }
      let picture = try ImageFile.picture(Self.file("PF4 1 1 -1\n", bytes))
      try Scratch.path(".\(ending)") { path in
        let notes = try ImageFile.write(picture, to: path.path).joined()
        #expect(note.map(notes.contains) ?? notes.isEmpty, "\(alpha) \(notes)")
        #expect(try ImageFile.decode(Array(Data(contentsOf: path))).words == expected, "\(alpha) \(ending)")
      }
      if alpha < 1 || alpha.isNaN {
        #expect(throws: ImageDataError.self) { try ImageFile.encode(picture, ending: "ppm") }
      }
    }
  }

  @Test("An image is written without a picture around it")
  func image() throws {
    let layout = try ImageLayout(.gray8, width: 3, height: 2, stride: 5)
    let image = try Image(layout, copying: ([1, 2, 3, 99, 99, 4, 5, 255] as [UInt8]).span.bytes)
    try Scratch.path(".pgm") { path in
      #expect(try ImageFile.write(image, to: path.path).isEmpty)
      let bytes = Array(try Data(contentsOf: path))
      #expect(bytes.starts(with: Array("P5".utf8)) && bytes.suffix(6) == [1, 2, 3, 4, 5, 255])
      #expect(try ImageFile.read(path.path).image == image)
    }
    let error: any Error = MemoryBoundError(bound: 1024, needed: 4096)
    #expect(error.localizedDescription.hasPrefix("memory 1K: blurring a single row of the result takes 4K"))
  }
}
