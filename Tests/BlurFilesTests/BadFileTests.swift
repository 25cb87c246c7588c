import Blur
import Foundation
import TestSupport
import Testing

@testable import BlurFiles

@Suite("Bad image files")
struct BadFileTests {
  static let good: [[UInt8]] = [
    PlainPNG(width: 9, height: 7, depth: 8, type: .rgba) { x, y, c in (x * 31 + y * 5 + c * 50) & 255 }.bytes,
    PlainPNG(width: 9, height: 7, depth: 2, type: .palette, palette: [1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2]) {
      x, y, _ in (x + y) % 4
    }.bytes,
    Array("P6 3 2 255\n".utf8) + (0..<18).map { UInt8($0) },
    Array("P3 2 1 99 1 22 33 44 55 66".utf8),
    Array("P7\nWIDTH 2\nHEIGHT 2\nDEPTH 2\nMAXVAL 300\nTUPLTYPE GRAYSCALE_ALPHA\nENDHDR\n".utf8)
      + [UInt8](repeating: 1, count: 16),
    Array("PF 1 1 -1.0\n".utf8) + [UInt8](repeating: 60, count: 12),
  ]

  @Test("A file that is cut short at any byte is rejected", arguments: good.indices)
  func truncated(index: Int) throws {
    let file = Self.good[index]
    _ = try ImageFile.decode(file)
    // A text file that is cut inside its last number is still a complete file, with a smaller last number.
    let isText = index == 3
    for count in 0..<file.count - (isText ? 2 : 0) {
      #expect(throws: ImageDataError.self, "cut to \(count)") {
        try ImageFile.decode(Array(file[..<count]))
      }
    }
  }

  @Test("A PNG file with any bit of its image data flipped is rejected")
  func corrupt() {
    let file = Self.good[0]
    // The changed bytes belong to the chunk of image data with its length, name and checksum. The signature
    // and header before it have 33 bytes, and the final chunk after it has 12.
    for position in 33..<file.count - 12 {
      for bit in 0..<8 {
        var damaged = file
        damaged[position] ^= 1 << bit
        #expect(throws: ImageDataError.self, "bit \(bit) of byte \(position)") {
          try ImageFile.decode(damaged)
        }
      }
    }
  }

  @Test("A randomly damaged file gives an error or an image, never a crash", arguments: good.indices)
  func mutations(index: Int) {
    var state: UInt64 = 42
    func next(_ count: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % count
    }
    var survivors = 0
    for _ in 0..<3000 {
      var file = Self.good[index]
      for _ in 0...next(4) { file[next(file.count)] = UInt8(next(256)) }
      if let samples = try? ImageFile.decode(file) {
        survivors += 1
        #expect(
          samples.bytes.count == samples.width * samples.height * samples.channels * samples.depth.bytes)
      }
    }
    #expect(survivors < 3000)
  }

  @Test("A small file that declares a huge image is rejected before memory is allocated")
  func bombs() {
    let huge = PlainPNG(width: 2, height: 2, depth: 8, type: .rgba) { _, _, _ in 0 }.bytes
    var header = Array(huge[16..<29])
    header.replaceSubrange(0..<8, with: [0, 1, 0x86, 0xA0, 0, 1, 0x86, 0xA0])  // width and height: 100,000
    let png = Array(huge[..<8]) + PlainPNG.chunk("IHDR", header) + Array(huge[33...])
    for file in [
      png, Array("P5 100000 100000 255\n".utf8), Array("P2 99999 99999 255\n1 2 3".utf8),
      Array("PF 16777216 16777216 -1\n".utf8), Array("P6 999999999999 1 255\n".utf8),
      Array("P7\nWIDTH 16777216\nHEIGHT 16777216\nDEPTH 4\nMAXVAL 65535\nENDHDR\n".utf8),
    ] {
      #expect(throws: ImageDataError.self) { try ImageFile.decode(file) }
    }
  }

  /// Chunks of the listed types are never inflated, so it does not matter what they contain.
  @Test(
    "Compressed text, profiles and private chunks of a PNG file are skipped",
    arguments: ["zTXt", "iCCP", "iTXt", "prVt"])
  func passedOver(chunk: String) throws {
    let file = Self.good[0]
    let bomb = PlainPNG.chunk(chunk, Array("key\0\0".utf8) + [UInt8](repeating: 0xA5, count: 100_000))
    let decorated = file[..<33] + bomb + file[33...]
    #expect(try ImageFile.decode(Array(decorated)) == ImageFile.decode(file))
  }

  @Test("A PAM header with too many lines is rejected")
  func endlessHeader() {
    let lines = (0..<100_000).map { "KEY\($0) \($0)\n" }.joined()
    let error = #expect(throws: ImageDataError.self) {
      try ImageFile.decode(Array("P7\n\(lines)".utf8))
    }
    #expect(error?.description.contains("more than 1000 lines") == true)
  }

  @Test("Missing files, empty files, other formats and folders each have their own message")
  func notImages() throws {
    try Scratch.folder { folder in
      let cases: [(String, [UInt8]?, String)] = [
        ("missing.png", nil, "no such file"), ("empty.png", [], "is empty"),
        ("text.png", Array("hello, this is text".utf8), "is not an image"),
      ]
      for (name, bytes, reason) in cases {
        let path = folder.appending(path: name).path
        if let bytes { try Data(bytes).write(to: URL(filePath: path)) }
        let error = #expect(throws: ImageFileError.self) { try ImageFile.read(path) }
        #expect(error?.description.contains(reason) == true, "\(String(describing: error))")
      }
      let error = #expect(throws: ImageFileError.self) { try ImageFile.read(folder.path) }
      #expect(error?.description.contains("is a folder") == true)
    }
  }

  @Test("A failed write leaves the old file unchanged and creates no other file")
  func unwritable() throws {
    let picture = try Picture(Samples(width: 2, height: 2, channels: 1, depth: .bits8))
    let error = #expect(throws: ImageFileError.self) {
      try ImageFile.write(picture, to: "/nonexistent-folder/a.png")
    }
    #expect(
      error?.description.contains("cannot be written: there is no folder /nonexistent-folder") == true)
    try Scratch.folder { folder in
      let alpha = try Picture(Samples(width: 2, height: 2, channels: 4, depth: .bits8))
      let path = folder.appending(path: "old.ppm").path
      try Data([1, 2, 3]).write(to: URL(filePath: path))
      #expect(throws: ImageFileError.self) { try ImageFile.write(alpha, to: path) }
      #expect(try Data(contentsOf: URL(filePath: path)) == Data([1, 2, 3]))
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["old.ppm"])
    }
  }
}
