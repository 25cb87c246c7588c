import Foundation

/// An ancillary (optional) chunk of a PNG file, such as a colour profile or a text. If the data is compressed
/// in the file, it stays compressed here.
public struct PNGChunk: Equatable, Sendable {
  /// The four letters of the chunk's type, such as `iCCP`.
  public let name: String
  /// The bytes of the chunk, without its length, type and checksum.
  public internal(set) var data: [UInt8]
  /// Whether the chunk comes after the pixels.
  public let isAfterPixels: Bool

  /// The registered chunks that are still correct after a blur. Some of them, such as `cICP`, describe what
  /// the pixel values mean. Their names mark them as unsafe to copy after a change of the pixels, but a blur
  /// does not make them wrong.
  private static let kept: Set = [
    "iCCP", "cICP", "sRGB", "gAMA", "cHRM", "eXIf", "pHYs", "mDCV", "mDCv", "cLLI", "cLLi", "sBIT", "oFFs",
    "sTER", "sCAL", "pCAL", "bKGD", "tEXt", "zTXt", "iTXt",
  ]

  /// The chunks that are valid only if they come before the palette and the pixels.
  static let beforePalette: Set = [
    "iCCP", "cICP", "sRGB", "gAMA", "cHRM", "mDCV", "mDCv", "cLLI", "cLLi", "sBIT",
  ]

  /// The number of data bytes in each chunk whose length is fixed by the PNG specification.
  private static let lengths = [
    "cICP": 4, "sRGB": 1, "gAMA": 4, "cHRM": 32, "pHYs": 9, "mDCV": 24, "mDCv": 24, "cLLI": 8, "cLLi": 8,
    "oFFs": 9, "sTER": 1,
  ]

  /// The chunks that are always dropped, each with the reason.
  private static let reasons = [
    "hIST": "it counts the colours of a palette, which the result does not have",
    "sPLT": "it suggests a palette for the colours before the blur",
    "tIME": "it is the time of the last change, which the blur makes outdated",
    "acTL": "the result is not an animation",
    "fcTL": "the result is not an animation",
    "dSIG": "it is a signature of the file before the blur",
    "zxIf": "it is compressed, and can have a thumbnail of the picture before the blur",
  ]

  /// The reason why the chunk must be dropped, or nil if it can be copied.
  var reason: String? {
    if let reason = Self.reasons[name] { return reason }
    if isText { return reasonForText }
    if let length = Self.lengths[name], data.count != length {
      return "it has \(data.count) bytes instead of \(length)"
    }
    // The value of an `sRGB` chunk is a rendering intent. The PNG specification defines the intents 0 to 3.
    if name == "sRGB", data[0] > 3 { return "its value is \(data[0]); it must be from 0 to 3" }
    if Self.kept.contains(name) { return nil }
    // If the last letter of the name is lowercase (bit 5), a program may copy the chunk without knowing what
    // it means.
    let isSafe = name.utf8.last.map { $0 & 0x20 != 0 } ?? false
    guard isSafe else { return "it is unknown and marked as unsafe to copy if pixels change" }
    return data.mayHoldPicture ? "it may show the picture before the blur" : nil
  }

  /// Whether this is a text chunk. A file may have several text chunks, and several unknown chunks with the
  /// same name, but it may not repeat any other chunk.
  private var isText: Bool { ["tEXt", "zTXt", "iTXt"].contains(name) }

  /// Whether a PNG file may have only one chunk with this name.
  var isUnique: Bool { Self.kept.contains(name) && !isText }

  /// The keyword of a text chunk, or the profile name of an `iCCP` chunk.
  var keyword: String { String(decoding: data.prefix(79).prefix { $0 != 0 }, as: UTF8.self) }

  /// Whether this is a text chunk in which ImageMagick stored metadata that may contain an orientation.
  var mayHoldOrientation: Bool {
    isText && ["exif", "app1", "xmp"].map { "raw profile type \($0)" }.contains(keyword.lowercased())
  }

  /// The reason why a text chunk must be dropped, or nil if it can be copied. Compressed text is not
  /// decompressed. It is dropped if its keyword suggests that it may contain a thumbnail.
  private var reasonForText: String? {
    let lowercase = keyword.lowercased()
    // If a keyword begins with "raw profile type", the text is metadata that ImageMagick stored as
    // hexadecimal digits. Of these texts, only colour profiles (icc, icm) are kept.
    if lowercase.hasPrefix("raw profile type "), !lowercase.hasSuffix(" icc"), !lowercase.hasSuffix(" icm") {
      let reason = "'\(keyword)' can have a thumbnail of the picture before the blur"
      return mayHoldOrientation ? reason + ", and an orientation, which is lost" : reason
    }
    // In an iTXt chunk, a zero byte ends the keyword. The next byte is 1 if the text is compressed.
    let flag = data.drop { $0 != 0 }.dropFirst().first
    let isCompressed = name == "zTXt" || name == "iTXt" && flag == 1
    if isCompressed {
      return lowercase == "xml:com.adobe.xmp"
        ? "'\(keyword)' is compressed, and can have a thumbnail of the picture before the blur" : nil
    }
    return data.mayHoldPicture ? "'\(keyword)' has a thumbnail or another picture" : nil
  }

  /// Returns the reason why the chunk does not fit a PNG file with pixels of `shape`, or nil if it fits.
  ///
  /// - Parameter source: The shape of the picture in the file that the chunk comes from.
  func mismatch(with shape: Samples.Shape, from source: Samples.Shape) -> String? {
    let isGray = shape.channels < 3
    switch name {
    case "sBIT":
      let isFull = data.allSatisfy { $0 == UInt8(8 * shape.depth.bytes) }
      guard isFull else { return "a blur fills all bits of the samples" }
      return data.count == shape.channels ? nil : "the result has a different type of colour"
    case "bKGD":
      let fits = data.count == (isGray ? 2 : 6) && shape.depth == source.depth
      return fits ? nil : "the result has a different type of colour"
    case "iCCP":
      return isGray == (source.channels < 3) ? nil : "the profile is for a different type of colour"
    default: return nil
    }
  }

  /// Converts the background colour in a `bKGD` chunk to samples of the decoded picture. This is needed if
  /// the file has a palette or fewer than eight bits per sample.
  ///
  /// - Parameters:
  ///   - palette: The red, green and blue of each entry, or nil if the pixels are not indices into a palette.
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

  /// Removes the thumbnails from an `eXIf` chunk, because they show the picture before the blur. If the
  /// thumbnails cannot be removed, only the orientation is kept. If there is no orientation either, ``data``
  /// becomes empty.
  ///
  /// - Returns: A note about what was dropped, or nil if the chunk is unchanged.
  mutating func removeThumbnails() -> String? {
    guard var block = ExifBlock(data) else {
      data = []
      return "dropped eXIf: it is damaged"
    }
    if let hadThumbnail = block.removeThumbnails() {
      data = block.bytes
      return hadThumbnail ? "dropped the thumbnail in eXIf: it shows the picture before the blur" : nil
    }
    let reason = "is damaged or may show the picture before the blur"
    guard let orientation = block.orientation else {
      data = []
      return "dropped eXIf: it \(reason), and it has no orientation"
    }
    data = ExifBlock.only(orientation: orientation)
    return "dropped everything in eXIf except the orientation: the rest \(reason)"
  }
}

extension Sequence<UInt8> {
  /// The unsigned number that these bytes store in big-endian order.
  var bigEndianNumber: Int { reduce(0) { $0 << 8 | Int($1) } }
}

extension [UInt8] {
  /// Byte sequences that indicate a picture: the first bytes of JPEG and PNG files, both raw and in base64,
  /// and the names that XMP uses for thumbnails.
  private static let signs: [Data] =
    [Data([0xFF, 0xD8, 0xFF]), Data([0x89, 0x50, 0x4E, 0x47])]
    + ["/9j/", "iVBORw0KGgo", ":Thumbnails", "xmpGImg:"].map { Data($0.utf8) }

  /// Whether these bytes look as if they hold another picture, such as a thumbnail.
  var mayHoldPicture: Bool {
    let data = Data(self)
    return Self.signs.contains { data.range(of: $0) != nil }
  }
}
