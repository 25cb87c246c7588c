/// The data of an `eXIf` chunk, which is a TIFF file in memory (Exif 2.32, section 4.5). Its first directory
/// describes the picture. Each further directory describes a thumbnail.
struct ExifBlock {
  private(set) var bytes: [UInt8]
  /// The byte offset of the TIFF header. It is usually 0, but some programs wrongly write the six bytes
  /// `Exif␀␀` before the header.
  private let start: Int
  private let isLittleEndian: Bool

  /// The size of one value in bytes, by TIFF type number. Only integer types are listed: BYTE, SHORT, LONG,
  /// their signed versions, and IFD (the offset of a directory).
  private static let sizes = [1: 1, 3: 2, 4: 4, 6: 1, 8: 2, 9: 4, 13: 4]

  /// Pairs of tags. The entry with the first tag holds the offsets of pixel data, and the entry with the
  /// second tag holds the byte counts of this data. There is one pair for strips, one for tiles, and one for
  /// JPEG files.
  private static let pixelTags = [(0x111, 0x117), (0x144, 0x145), (0x201, 0x202)]
  /// The tag of an entry that holds the offsets of further directories, which may have pixels as well.
  private static let subdirectories = 0x14A

  /// One entry of a directory. `position` is the offset of the last four bytes of the entry. They hold the
  /// value or, if the value is longer than four bytes, the offset of the value. All offsets are relative to
  /// the TIFF header.
  private struct Entry {
    let tag: Int, type: Int, count: Int, position: Int
  }

  /// Creates a block from the data of a chunk. The result is nil if the data does not begin like a TIFF file.
  init?(_ bytes: [UInt8]) {
    self.bytes = bytes
    start = bytes.starts(with: Array("Exif\0\0".utf8)) ? 6 : 0
    let mark = bytes.dropFirst(start).prefix(2)
    isLittleEndian = mark.elementsEqual("II".utf8)
    guard isLittleEndian || mark.elementsEqual("MM".utf8) else { return nil }
  }

  /// Returns the data of a block that contains only an orientation.
  static func only(orientation: UInt8) -> [UInt8] {
    [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 0]
  }

  /// The orientation, from 1 to 8, or nil if the block has no valid orientation. Even a truncated block may
  /// have an orientation.
  var orientation: UInt8? {
    guard let first = number(at: 4, bytes: 4), let entries = directory(at: first)?.entries else { return nil }
    let found = entries.filter { $0.tag == 0x112 }.compactMap { values(of: $0)?.first }
    return found.first { (1...8).contains($0) }.map { UInt8($0) }
  }

  /// Overwrites all directories after the first one, and the pixels of their thumbnails, with zeros. Nothing
  /// is moved, so the other offsets in the block remain valid.
  ///
  /// - Returns: Whether there was a directory after the first one. The result is nil if the block is damaged
  ///   or may still hold pixels. In this case, ``bytes`` must not be used.
  mutating func removeThumbnails() -> Bool? {
    guard number(at: 2, bytes: 2) == 42, let first = number(at: 4, bytes: 4), first >= 8,
      let main = directory(at: first), main.isWhole,
      !main.entries.contains(where: Self.mayHavePixels)
    else { return nil }
    let end = first + 2 + 12 * main.entries.count
    // If there is no second directory, some programs leave out its offset instead of writing 0.
    var next = number(at: end, bytes: 4) ?? 0
    let hadThumbnail = next != 0
    var (parts, byteCount) = ([Range<Int>](), 0)
    while next != 0 {
      guard let (found, after) = thumbnail(at: next) else { return nil }
      parts += found
      // All parts together can be at most as long as the block. This limit ends the loop if directories refer
      // to each other in a circle. It also keeps the loop short if many thumbnails refer to the same pixels.
      byteCount += found.reduce(0) { $0 + $1.count }
      guard byteCount <= bytes.count else { return nil }
      next = after
    }
    let kept = [0..<8, first..<end]
    guard parts.allSatisfy({ part in kept.allSatisfy { !part.overlaps($0) } }) else { return nil }
    if hadThumbnail { parts.append(end..<end + 4) }
    for i in parts.joined() { bytes[start + i] = 0 }
    return bytes.mayHoldPicture ? nil : hadThumbnail
  }

  /// Returns the byte ranges of a thumbnail's directory and pixels, and the offset of the next directory. The
  /// offset is 0 if this directory is the last one. The result is nil if a range lies outside the block, or
  /// if the directory is damaged or has subdirectories.
  private func thumbnail(at position: Int) -> (parts: [Range<Int>], next: Int)? {
    guard let directory = directory(at: position), directory.isWhole else { return nil }
    let entries = directory.entries
    let end = position + 2 + 12 * entries.count
    let pointer = number(at: end, bytes: 4)
    var parts = [position..<end + (pointer == nil ? 0 : 4)]
    guard !entries.contains(where: { $0.tag == Self.subdirectories }) else { return nil }
    for (offsetTag, countTag) in Self.pixelTags {
      func numbers(_ tag: Int) -> [Int]? {
        guard let entry = entries.first(where: { $0.tag == tag }) else { return [] }
        return values(of: entry)
      }
      guard let offsets = numbers(offsetTag), let counts = numbers(countTag), offsets.count == counts.count
      else { return nil }
      parts += zip(offsets, counts).map { $0..<$0 + $1 }
    }
    guard parts.allSatisfy({ start + $0.upperBound <= bytes.count }) else { return nil }
    return (parts, pointer ?? 0)
  }

  private static func mayHavePixels(_ entry: Entry) -> Bool {
    entry.tag == subdirectories || pixelTags.contains { $0.0 == entry.tag }
  }

  /// Returns the entries of a directory that lie inside the block, and whether all of its entries do. The
  /// result is nil if the directory begins outside the block.
  private func directory(at position: Int) -> (entries: [Entry], isWhole: Bool)? {
    guard let count = number(at: position, bytes: 2) else { return nil }
    let entries = (0..<count).lazy.map { position + 2 + 12 * $0 }.prefix {
      number(at: $0 + 8, bytes: 4) != nil
    }
    .map { place in
      Entry(
        tag: number(at: place, bytes: 2) ?? 0, type: number(at: place + 2, bytes: 2) ?? 0,
        count: number(at: place + 4, bytes: 4) ?? 0, position: place + 8)
    }
    return (Array(entries), entries.count == count)
  }

  /// Returns the values of an entry, or nil if they are not integers or lie outside the block. If the values
  /// take at most four bytes, they are stored inside the entry.
  private func values(of entry: Entry) -> [Int]? {
    guard let size = Self.sizes[entry.type] else { return nil }
    let byteCount = size * entry.count
    guard let first = byteCount <= 4 ? entry.position : number(at: entry.position, bytes: 4),
      start + first + byteCount <= bytes.count
    else { return nil }
    return (0..<entry.count).compactMap { number(at: first + size * $0, bytes: size) }
  }

  /// Returns the unsigned number at a position relative to the TIFF header, or nil if the number lies outside
  /// the block.
  private func number(at position: Int, bytes count: Int) -> Int? {
    guard position >= 0, start + position + count <= bytes.count else { return nil }
    return (0..<count).reduce(0) { number, i in
      number << 8 | Int(bytes[start + position + (isLittleEndian ? count - 1 - i : i)])
    }
  }
}
