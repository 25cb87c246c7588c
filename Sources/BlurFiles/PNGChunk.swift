/// An optional chunk of a PNG file, as it is in the file. Its data is not unpacked.
public struct PNGChunk: Equatable, Sendable {
  /// The four letters of the chunk's type, such as `iCCP`.
  public let name: String
  /// The bytes of the chunk, without its length, type and checksum.
  public internal(set) var data: [UInt8]
  /// Whether the chunk stands after the pixels.
  public let isAfterPixels: Bool

  /// The registered chunks that stay true if pixels are blurred. The ones that describe the meaning of pixel
  /// values, such as `cICP`, are marked in their names as unsafe to copy, because other changes of pixels can
  /// make them wrong.
  private static let kept: Set = [
    "iCCP", "cICP", "sRGB", "gAMA", "cHRM", "eXIf", "pHYs", "mDCV", "mDCv", "cLLI", "cLLi", "sBIT", "oFFs",
    "sTER", "sCAL", "pCAL", "bKGD", "tEXt", "zTXt", "iTXt",
  ]

  /// The reasons why some chunks are always dropped.
  private static let reasons = [
    "hIST": "it counts the colours of a palette, which the result does not have",
    "sPLT": "it suggests a palette for the colours before the blur",
    "tIME": "it is the time of the last change, and the picture is changed now",
    "acTL": "only the first frame of the animation is used",
    "fcTL": "only the first frame of the animation is used",
    "dSIG": "it is a signature of the file before the blur",
  ]

  /// The reason why the chunk would be wrong after a blur, or nil if it can be copied.
  var reason: String? {
    if Self.kept.contains(name) { return nil }
    if let reason = Self.reasons[name] { return reason }
    // Bit 5 of the last letter, which makes it lowercase, says that a program may copy the chunk although it
    // does not know it.
    let isSafe = name.utf8.last.map { $0 & 0x20 != 0 } ?? false
    return isSafe ? nil : "it is unknown and marked as unsafe to copy if pixels change"
  }

  /// Returns the reason why the chunk does not fit a PNG file with pixels of `shape`, or nil if it fits.
  ///
  /// - Parameter source: The shape of the picture in the file that the chunk comes from.
  func mismatch(with shape: Samples.Shape, from source: Samples.Shape) -> String? {
    let isGray = shape.channels < 3
    switch name {
    case "sBIT":
      let all = [UInt8](repeating: UInt8(8 * shape.depth.bytes), count: shape.channels)
      return data == all ? nil : "a blur fills all bits of the samples"
    case "bKGD":
      let fits = data.count == (isGray ? 2 : 6) && shape.depth == source.depth
      return fits ? nil : "it has another type of colour than the result"
    case "iCCP":
      return isGray == (source.channels < 3) ? nil : "the profile is for another type of colour"
    default: return nil
    }
  }

  /// Converts the background colour of a file with a palette or with fewer than eight bits to the samples of
  /// the decoded picture.
  ///
  /// - Parameters:
  ///   - palette: The red, green and blue of each entry, or nil if the pixels are no indices of a palette.
  ///   - bits: The number of bits per sample in the file.
  mutating func expandBackground(palette: [UInt8]?, bits: Int) {
    if let palette {
      guard data.count == 1, palette.count >= 3 * Int(data[0]) + 3 else { return }
      let first = 3 * Int(data[0])
      data = palette[first..<first + 3].flatMap { [0, $0] }
    } else if bits < 8, data.count == 2 {
      let most = 1 << bits - 1
      data[1] = UInt8(min(Int(data[1]), most) * 255 / most)
    }
  }

  /// Removes the thumbnail from an `eXIf` chunk, because the thumbnail shows the picture before the blur.
  ///
  /// The chunk is a TIFF file (Exif 2.32, section 4.5), whose second directory describes the thumbnail. The
  /// directory and the thumbnail's bytes become zeros, so that all other offsets in the chunk remain valid.
  ///
  /// - Returns: Whether the chunk had a thumbnail, or nil if the chunk cannot be read.
  mutating func removeThumbnail() -> Bool? {
    guard var tiff = TIFFDirectories(data) else { return nil }
    guard let hadThumbnail = tiff.clearSecond() else { return nil }
    data = tiff.bytes
    return hadThumbnail
  }
}

/// The directories of a TIFF file in memory.
private struct TIFFDirectories {
  var bytes: [UInt8]
  /// The position of the TIFF header. Some programs wrongly write the six bytes `Exif␀␀` before this header.
  private let start: Int
  private let isLittleEndian: Bool

  init?(_ bytes: [UInt8]) {
    self.bytes = bytes
    start = bytes.starts(with: Array("Exif\0\0".utf8)) ? 6 : 0
    let mark = bytes.dropFirst(start).prefix(4)
    isLittleEndian = mark.elementsEqual([0x49, 0x49, 42, 0])
    guard isLittleEndian || mark.elementsEqual([0x4D, 0x4D, 0, 42]) else { return nil }
  }

  private func number(at position: Int, bytes count: Int) -> Int? {
    guard position >= 0, start + position + count <= bytes.count else { return nil }
    let part = bytes[start + position..<start + position + count]
    return (isLittleEndian ? Array(part.reversed()) : Array(part)).reduce(0) { $0 << 8 | Int($1) }
  }

  private mutating func clear(_ position: Int, _ count: Int) {
    let range = (start + position..<start + position + count).clamped(to: start..<bytes.count)
    for i in range { bytes[i] = 0 }
  }

  /// Removes the second directory and the thumbnail that it describes.
  ///
  /// - Returns: Whether there was a second directory, or nil if the file is damaged.
  mutating func clearSecond() -> Bool? {
    guard let first = number(at: 4, bytes: 4), let count = number(at: first, bytes: 2),
      let second = number(at: first + 2 + 12 * count, bytes: 4)
    else { return nil }
    guard second != 0 else { return false }
    guard let entries = number(at: second, bytes: 2),
      number(at: second + 2 + 12 * entries - 1, bytes: 1) != nil
    else { return nil }
    var parts = [(second, 2 + 12 * entries + 4)]
    // The tags of an offset and of the matching length: a JPEG file, or the only strip of plain pixels.
    for (offsetTag, countTag) in [(0x201, 0x202), (0x111, 0x117)] {
      if let offset = value(of: offsetTag, in: second, entries),
        let count = value(of: countTag, in: second, entries)
      {
        parts.append((offset, count))
      }
    }
    let end = first + 2 + 12 * count + 4
    // A damaged chunk could otherwise lead to zeros in the first directory, which has the orientation.
    guard parts.allSatisfy({ $0.0 >= end }) else { return nil }
    for part in parts { clear(part.0, part.1) }
    clear(end - 4, 4)
    return true
  }

  /// Returns the value of a tag with a single number of 16 or 32 bits.
  private func value(of tag: Int, in directory: Int, _ entries: Int) -> Int? {
    for entry in 0..<entries {
      let position = directory + 2 + 12 * entry
      guard number(at: position, bytes: 2) == tag else { continue }
      return number(at: position + 8, bytes: number(at: position + 2, bytes: 2) == 3 ? 2 : 4)
    }
    return nil
  }
}
