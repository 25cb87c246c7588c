import Testing

@testable import BlurFiles

@Suite("The orientation and the thumbnails in eXIf chunks")
struct ExifTests {
  /// Builds TIFF files by hand.
  struct Builder {
    let isLittleEndian: Bool

    func number(_ value: Int, _ count: Int) -> [UInt8] {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
      return isLittleEndian ? bytes : bytes.reversed()
    }

    func header(first: Int) -> [UInt8] {
      Array((isLittleEndian ? "II" : "MM").utf8) + number(42, 2) + number(first, 4)
    }

    /// Returns an entry whose type is SHORT (3) or LONG (4). Values that take more than four bytes stand
    /// elsewhere, and `value` is their offset.
    func entry(_ tag: Int, type: Int = 4, count: Int = 1, _ value: Int) -> [UInt8] {
      let isShort = type == 3 && count == 1
      return number(tag, 2) + number(type, 2) + number(count, 4)
        + (isShort ? number(value, 2) + [0, 0] : number(value, 4))
    }

    func directory(_ entries: [[UInt8]], next: Int? = 0) -> [UInt8] {
      number(entries.count, 2) + entries.joined() + (next.map { number($0, 4) } ?? [])
    }

    /// A directory of 18 bytes with orientation 6.
    func main(next: Int? = 0) -> [UInt8] { directory([entry(0x112, type: 3, 6)], next: next) }

    /// A directory of 30 bytes that describes a thumbnail as a JPEG file.
    func thumbnail(at offset: Int, count: Int, next: Int = 0) -> [UInt8] {
      directory([entry(0x201, offset), entry(0x202, count)], next: next)
    }
  }

  private static let pixels = Array("PIXELS".utf8)
  /// A chunk with orientation 6 and nothing else.
  private static let rebuilt: [UInt8] = [
    0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0,
  ]

  private func cleaned(_ data: [UInt8]) -> (data: [UInt8], note: String?) {
    var chunk = PNGChunk(name: "eXIf", data: data, isAfterPixels: false)
    let note = chunk.removeThumbnails()
    return (chunk.data, note)
  }

  @Test("A chunk without a thumbnail is unchanged, also without the offset of a second directory")
  func unchanged() {
    for isLittleEndian in [true, false] {
      let make = Builder(isLittleEndian: isLittleEndian)
      let long = make.directory([make.entry(0x112, 6)])
      for directory in [make.main(), make.main(next: nil), make.main(next: nil) + [0, 0], long] {
        let data = make.header(first: 8) + directory
        #expect(cleaned(data) == (data, nil))
      }
    }
  }

  @Test("A thumbnail becomes zeros, wherever its directory and its pixels are")
  func zeros() {
    for isLittleEndian in [true, false] {
      let make = Builder(isLittleEndian: isLittleEndian)
      let zeros = { [UInt8](repeating: 0, count: $0) }
      let header = make.header(first: 8)
      var cases: [(before: [UInt8], after: [UInt8])] = [
        (
          header + make.main(next: 26) + make.thumbnail(at: 56, count: 6) + Self.pixels,
          header + make.main() + zeros(36)
        ),
        (
          make.header(first: 44) + make.thumbnail(at: 38, count: 6) + Self.pixels + make.main(next: 8),
          make.header(first: 44) + zeros(36) + make.main()
        ),
        (
          header + make.main(next: 26) + make.thumbnail(at: 86, count: 3, next: 56)
            + make.thumbnail(at: 89, count: 3) + Self.pixels,
          header + make.main() + zeros(66)
        ),
      ]
      // Three strips of two bytes, in another order than their offsets.
      let strips = make.directory(
        [make.entry(0x111, type: 4, count: 3, 56), make.entry(0x117, type: 3, count: 3, 68)])
      let lists = [76, 74, 78].flatMap { make.number($0, 4) } + [2, 2, 2].flatMap { make.number($0, 2) }
      cases.append(
        (
          header + make.main(next: 26) + strips + lists + Self.pixels,
          header + make.main() + zeros(30) + lists + zeros(6)
        ))
      // Some programs write six more bytes before the header.
      let prefix = Array("Exif\0\0".utf8)
      cases.append((prefix + cases[0].before, prefix + cases[0].after))
      for (before, after) in cases {
        let (data, note) = cleaned(before)
        #expect(data == after)
        #expect(note == "dropped the thumbnail in eXIf: it shows the picture before the blur")
      }
    }
  }

  @Test("If a chunk is damaged or may still have pixels, only the orientation stays")
  func rebuilt() {
    for isLittleEndian in [true, false] {
      let make = Builder(isLittleEndian: isLittleEndian)
      let header = make.header(first: 8)
      let orientation = make.entry(0x112, type: 3, 6)
      let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0]
      let cases: [[UInt8]] = [
        // The thumbnail, its directory or the first directory is cut short.
        header + make.main(next: 26) + make.thumbnail(at: 56, count: 7) + Self.pixels,
        header + make.main(next: 26) + make.thumbnail(at: 56, count: 6).prefix(20),
        header + make.main(next: 9999) + Self.pixels,
        header + make.number(9, 2) + orientation + [1, 2, 3],
        // The pixels overlap the header or the orientation.
        header + make.main(next: 26) + make.thumbnail(at: 0, count: 9) + Self.pixels,
        header + make.main(next: 26) + make.thumbnail(at: 20, count: 9) + Self.pixels,
        // The directories refer to each other in a circle.
        header + make.main(next: 26) + make.thumbnail(at: 56, count: 6, next: 26) + Self.pixels,
        header + make.main(next: 26) + make.thumbnail(at: 56, count: 6, next: 8) + Self.pixels,
        // The first directory has pixels itself, or there is a JPEG file that no directory mentions.
        header + make.directory([orientation, make.entry(0x111, 50), make.entry(0x117, 6)]) + Self.pixels,
        header + make.main() + jpeg,
        // A number in the header is wrong.
        header.prefix(2) + make.number(43, 2) + header.dropFirst(4) + make.main(),
        // The orientation is a LONG, and there are fewer byte counts than strips.
        header + make.directory([make.entry(0x112, 6)], next: 26)
          + make.directory([make.entry(0x111, count: 2, 56), make.entry(0x117, 1)])
          + make.number(64, 4) + make.number(65, 4) + Self.pixels,
      ]
      for (index, data) in cases.enumerated() {
        let (data, note) = cleaned(data)
        #expect(data == Self.rebuilt, "case \(index)")
        #expect(note?.hasPrefix("dropped everything in eXIf except the orientation: ") == true)
      }
    }
  }

  @Test("A damaged chunk without a valid orientation is dropped")
  func dropped() {
    let make = Builder(isLittleEndian: false)
    let invalid = make.directory([make.entry(0x112, type: 3, 9)], next: 9999)
    for data in [[], [1, 2, 3], make.header(first: 8), make.header(first: 8) + invalid] {
      let (data, note) = cleaned(data)
      #expect(data.isEmpty && note?.hasPrefix("dropped eXIf: it is damaged") == true)
    }
  }
}
