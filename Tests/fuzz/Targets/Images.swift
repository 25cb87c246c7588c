import Blur

@testable import BlurFiles

extension FuzzTarget {
  /// PNG files, both as they are and with corrected checksums, because hardly any mutation keeps a checksum
  /// right.
  static let png = FuzzTarget(
    name: "png", seeds: pngSeeds,
    run: { bytes in
      checkImage(bytes)
      checkImage(withChecksums(bytes))
    })

  /// Files in the formats PNM, PAM and PFM.
  static let netpbm = FuzzTarget(name: "netpbm", seeds: { netpbmSeeds }, run: checkImage)

  /// Reads a file. An image that can be read must also be written, and must be read back unchanged.
  @Sendable private static func checkImage(_ file: [UInt8]) {
    guard let samples = try? ImageFile.decode(file) else { return }
    let count = samples.width * samples.height * samples.channels
    require(samples.bytes.count == count * samples.depth.bytes, "\(samples.bytes.count) bytes of samples")
    guard count <= 1 << 16 else { return }
    do {
      let picture = try Picture(samples)
      let ending = samples.depth == .float ? "pfm" : "pam"
      let again = try ImageFile.decode(ImageFile.encode(picture, ending: ending))
      require(again.isSame(as: samples), "a picture written as .\(ending) reads back otherwise")
    } catch {
      fatalError("what was read cannot be written: \(error)")
    }
  }

  private static let netpbmSeeds: [[UInt8]] = [
    Array("P1 3 2 10 1 # a\n01 1".utf8), Array("P2\n2 2\n9\n1 2 3 4\n".utf8),
    Array("P3 2 1 99 1 22 33 44 55 66".utf8), Array("P4 9 2\n".utf8) + [1, 128, 255, 0],
    Array("P5 3 2 255\nabcdef".utf8), Array("P5 3 1 300\n".utf8) + [0, 1, 1, 2, 1, 44],
    Array("P6 3 2 255\n".utf8) + (0..<18).map { $0 * 14 },
    Array("P7\nWIDTH 2\nHEIGHT 2\nDEPTH 2\nMAXVAL 300\nTUPLTYPE GRAYSCALE_ALPHA\nENDHDR\n".utf8)
      + [UInt8](repeating: 1, count: 16),
    Array("P7\n# c\nWIDTH 1\nHEIGHT 2\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n12345678".utf8),
    Array("PF 1 1 -1.0\n".utf8) + [UInt8](repeating: 60, count: 12), Array("Pf 2 1 1\nabcdefgh".utf8),
    Array("PF4\r\n1 1#\r\n-1\r\nabcdefghijklmnop".utf8), Array("P5\r\n2 1 # c\r\n9#\n".utf8) + [1, 2, 3],
    Array("P5 16777216 16777216 255\n".utf8), Array("P5 46000 46000 255\n".utf8),
    Array("P1 46000 46000 1".utf8), Array("P4 46000 46000\n".utf8), Array("Pf 46000 46000 1\n".utf8),
    Array("Pf 16777216 16777216 -1\n".utf8),
    Array("P7\nWIDTH 16777216\nHEIGHT 16777216\nDEPTH 4\nMAXVAL 65535\nENDHDR\n".utf8),
  ]

  /// Returns files with each colour type and depth that the writer supports, and files whose headers claim a
  /// huge size.
  @Sendable private static func pngSeeds() throws -> [[UInt8]] {
    var files: [[UInt8]] = []
    for depth in [Samples.Depth.bits8, .bits16] {
      for channels in 1...4 {
        let count = 9 * 7 * channels * depth.bytes
        files.append(
          try ImageFile.encode(
            Picture(
              Samples(
                width: 9, height: 7, channels: channels, depth: depth,
                bytes: (0..<count).map { UInt8(truncatingIfNeeded: $0 * 31) })), ending: "png"))
      }
    }
    // A file with chunks that describe the picture.
    var described = PictureMetadata()
    described.chunks = ["eXIf", "bKGD", "sBIT", "tEXt", "gAMA"].map { name in
      PNGChunk(name: name, data: exif, isAfterPixels: name == "tEXt")
    }
    let small = Samples(width: 2, height: 2, channels: 3, depth: .bits8)
    files.append(try ImageFile.encode(Picture(small, described), ending: "png"))
    // The sides have 16,777,216 pixels, or 46,000 pixels, for which the samples would take 8 GB.
    for side: [UInt8] in [[1, 0, 0, 0], [0, 0, 179, 176]] {
      var bomb = files[3]
      bomb.replaceSubrange(16..<24, with: side + side)
      files.append(withChecksums(bomb))
    }
    return files
  }

  /// The data of an eXIf chunk with an orientation and a thumbnail of one byte.
  private static let exif: [UInt8] = [
    0x49, 0x49, 42, 0, 8, 0, 0, 0, 1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, 6, 0, 0, 0, 26, 0, 0, 0,
    2, 0, 1, 2, 4, 0, 1, 0, 0, 0, 56, 0, 0, 0, 2, 2, 4, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 7,
  ]

  /// Returns the file with a corrected checksum in each complete chunk.
  private static func withChecksums(_ bytes: [UInt8]) -> [UInt8] {
    var file = bytes
    var start = PNGReader.signature.count
    while start + 12 <= file.count {
      let length = file[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
      let end = start + 8 + length
      guard end + 4 <= file.count else { break }
      let checksum = crc(file[start + 4..<end])
      for i in 0..<4 { file[end + i] = UInt8(truncatingIfNeeded: checksum >> (24 - 8 * i)) }
      start = end + 4
    }
    return file
  }

  /// Returns the checksum of a PNG chunk (ISO 3309, reflected 0xEDB88320).
  private static func crc(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    ~bytes.reduce(~0) { crc, byte in
      (0..<8).reduce(crc ^ UInt32(byte)) { crc, _ in crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
    }
  }
}

extension Samples {
  /// Returns whether the samples are the same, except for colours with alpha 0, which premultiplying loses,
  /// and for float colours with another alpha than 1.
  fileprivate func isSame(as other: Samples) -> Bool {
    guard width == other.width, height == other.height, channels == other.channels, depth == other.depth
    else { return false }
    return (0..<width * height).allSatisfy { pixel in
      let first = pixel * channels
      if hasAlpha && share(first + channels - 1) == 0 { return other.share(first + channels - 1) == 0 }
      // Multiplying floats by alpha and dividing them again can change the last bit.
      if hasAlpha && depth == .float && share(first + channels - 1) != 1 { return true }
      return (first..<first + channels).allSatisfy { i in
        share(i) == other.share(i) || (share(i).isNaN && other.share(i).isNaN)
      }
    }
  }
}
