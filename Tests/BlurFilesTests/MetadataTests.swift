import Blur
import Foundation
import TestSupport
import Testing

@testable import BlurFiles

@Suite("The chunks of PNG files besides the pixels")
struct MetadataTests {
  typealias Chunk = (name: String, data: [UInt8])

  /// Returns the chunks of a PNG file in their order. This code shares nothing with the program.
  static func chunks(_ file: [UInt8]) -> [Chunk] {
    var (chunks, start) = ([Chunk](), 8)
    while start + 12 <= file.count {
      let count = file[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
      let name = String(decoding: file[start + 4..<start + 8], as: UTF8.self)
      chunks.append((name, Array(file[start + 8..<start + 8 + count])))
      start += 12 + count
    }
    return chunks
  }

  private static func file(
    _ type: PlainPNG.ColourType = .rgb, depth: Int = 8, palette: [UInt8] = [], transparency: [UInt8] = [],
    before: [Chunk] = [], after: [Chunk] = []
  ) -> [UInt8] {
    PlainPNG(
      width: 4, height: 3, depth: depth, type: type, palette: palette, transparency: transparency,
      before: before, after: after
    ) { x, y, c in (x + y + c) % 2 }.bytes
  }

  /// Reads a file, writes it again, and returns the chunks of the new file with all messages.
  private static func copied(_ file: [UInt8], ending: String = "png") throws -> (
    chunks: [Chunk], said: String
  ) {
    try Scratch.folder { folder in
      let picture = try ImageFile.picture(file)
      let path = folder.appending(path: "out.\(ending)")
      let losses = try ImageFile.write(picture, to: path.path)
      let said = (picture.metadata.warnings + picture.metadata.notes + losses).joined(separator: "\n")
      return (ending == "png" ? chunks(try Array(Data(contentsOf: path))) : [], said)
    }
  }

  /// An eXIf chunk with orientation 6.
  private static let exif: [UInt8] = [
    0x49, 0x49, 42, 0, 8, 0, 0, 0, 1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0,
  ]

  static let kept: [Chunk] = [
    ("cICP", [1, 13, 0, 1]), ("iCCP", Array("p\0\0junk".utf8)), ("sRGB", [0]), ("gAMA", [0, 0, 177, 143]),
    ("cHRM", Array(0..<32)), ("mDCV", Array(0..<24)), ("cLLI", Array(0..<8)), ("sBIT", [8, 8, 8]),
    ("pHYs", [0, 0, 11, 19, 0, 0, 11, 19, 1]), ("oFFs", [0, 0, 0, 1, 0, 0, 0, 2, 0]), ("sTER", [1]),
    ("bKGD", [0, 1, 0, 2, 0, 3]), ("tEXt", Array("k\0v".utf8)), ("zTXt", Array("k\0\0junk".utf8)),
    ("iTXt", Array("k\0\0\0\0\0v".utf8)), ("vpAg", Array(0..<9)), ("prVt", []),
    ("eXIf", [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0]),
  ]

  @Test("Chunks that stay true after a blur are copied byte by byte", arguments: kept.indices)
  func copies(index: Int) throws {
    let chunk = Self.kept[index]
    let (chunks, said) = try Self.copied(Self.file(before: [chunk]))
    #expect(chunks.map(\.name) == ["IHDR", chunk.name, "IDAT", "IEND"])
    #expect(chunks[1].data == chunk.data)
    #expect(said.isEmpty, "\(said)")
  }

  @Test("All chunks keep their order and their side of the pixels, also in bands and with 3000 texts")
  func order() throws {
    let texts = (0..<3000).map { (name: "tEXt", data: Array("\($0)\0v".utf8)) }
    let file = Self.file(
      before: Self.kept.dropLast() + texts, after: [("tEXt", [65, 0]), ("eXIf", Self.exif)])
    let (chunks, _) = try Self.copied(file)
    let names = Self.kept.dropLast().map(\.name) + texts.map(\.name)
    #expect(chunks.map(\.name) == ["IHDR"] + names + ["IDAT", "tEXt", "eXIf", "IEND"])
    let banded = Self.chunks(try CopyInBands(of: file, to: "png").bytes)
    #expect(banded.map(\.name) == chunks.map(\.name) && banded.map(\.data) == chunks.map(\.data))
  }

  @Test(
    "Chunks that would be wrong after a blur are dropped, and a note says so",
    arguments: [
      ("hIST", [0, 1]), ("sPLT", [65, 0, 8]), ("tIME", [7, 234, 1, 1, 0, 0, 0]), ("sBIT", [5, 6, 5]),
      ("prVT", [1]), ("dSIG", [1]), ("acTL", [0, 0, 0, 2, 0, 0, 0, 0]), ("eXIf", [1, 2, 3]),
      ("gAMA", [0, 0, 1]), ("pHYs", [0, 0, 0, 1, 0]), ("cICP", [1, 13, 0]), ("sRGB", [9]),
      ("cHRM", Array(0..<31)), ("sRGB", []),
    ] as [Chunk])
  func drops(chunk: Chunk) throws {
    let (chunks, said) = try Self.copied(Self.file(before: [chunk]))
    #expect(chunks.map(\.name) == ["IHDR", "IDAT", "IEND"])
    #expect(said.contains("dropped \(chunk.name): "), "\(said)")
  }

  @Test(
    "A chunk about colours that stands after the palette or the pixels does not count, so it is dropped",
    arguments: ["cICP", "iCCP", "sRGB", "gAMA", "cHRM", "mDCV", "cLLI", "sBIT"])
  func misplaced(name: String) throws {
    let chunk = try #require(Self.kept.first { $0.name == name })
    for file in [Self.file(before: [("PLTE", [1, 2, 3]), chunk]), Self.file(after: [chunk])] {
      let (chunks, said) = try Self.copied(file)
      #expect(chunks.map(\.name) == ["IHDR", "IDAT", "IEND"])
      #expect(said.contains("dropped \(name), because it is out of place"), "\(said)")
    }
  }

  @Test("Of several chunks that may appear only once, the first valid one is kept", arguments: [false, true])
  func duplicates(isAfter: Bool) throws {
    let names = ["IHDR", "gAMA", "sRGB", "eXIf", "IDAT", "IEND"]
    let first: [Chunk] = [("gAMA", [0, 0, 177, 143]), ("sRGB", [0]), ("eXIf", Self.exif)]
    let second: [Chunk] = [("gAMA", [0, 1, 134, 160]), ("sRGB", [1]), ("eXIf", Self.exif)]
    let (chunks, said) = try Self.copied(
      Self.file(before: [("gAMA", [1])] + first + (isAfter ? [] : second), after: isAfter ? second : []))
    #expect(chunks.map(\.name) == names && chunks[1].data == first[0].data && chunks[2].data == [0])
    let why = isAfter ? ", because it is out of place" : ": a file may have only one"
    for (name, reason) in [("gAMA", why), ("sRGB", why), ("eXIf", ": a file may have only one")] {
      #expect(said.contains("dropped \(name)\(reason)"), "\(said)")
    }
  }

  @Test(
    "A warning says that a file without chunks loses an orientation after the pixels",
    arguments: [false, true])
  func orientationAfterPixels(isTiled: Bool) throws {
    let file = Self.file(after: [("eXIf", Self.exif)])
    let words = "cannot hold the orientation 6"
    guard isTiled else { return #expect(try Self.copied(file, ending: "ppm").said.contains(words)) }
    #expect(try CopyInBands(of: file, to: "ppm").losses.contains { $0.contains(words) })
  }

  @Test("Mistakes that do not damage the pixels are warnings, as in other programs that use libpng")
  func harmlessMistakes() throws {
    let plain = Self.file()
    let pixels = try #require(Self.chunks(plain).first { $0.name == "IDAT" }).data
    let start = 33
    let end = plain.count - 12
    let surplus = plain[..<start] + PlainPNG.chunk("IDAT", pixels + [1, 2, 3]) + plain[end...]
    let palette: [UInt8] = [1, 2, 3, 4, 5, 6]
    for (file, mistake) in [
      (Self.file(.palette, palette: palette, transparency: [1, 2, 3]), "tRNS: "),
      (Self.file(.gray, palette: palette), "PLTE: "),
      (Self.file(.rgba, transparency: [0, 0, 0, 0, 0, 0]), "tRNS: "),
      (plain[..<end] + PlainPNG.chunk("IEND", [1]), "IEND: "), (Array(surplus), "IDAT: "),
    ] {
      let warnings = try ImageFile.picture(Array(file)).metadata.warnings
      #expect(warnings.count == 1 && warnings[0].contains("mistakes that do not damage"), "\(warnings)")
      #expect(warnings.first?.contains(mistake) == true)
    }
    // The last bytes of the pixels are their checksum in zlib.
    let wrong = plain[..<start] + PlainPNG.chunk("IDAT", pixels.dropLast() + [pixels[pixels.count - 1] ^ 1])
    #expect(throws: ImageDataError.self) { try ImageFile.decode(Array(wrong + plain[end...])) }
  }

  @Test("The frames of an animation are skipped, also if they are larger than other chunks may be")
  func largeFrame() throws {
    let frame = [UInt8](repeating: 1, count: 9_000_000)
    let (chunks, said) = try Self.copied(
      Self.file(before: [("acTL", Array(0..<8)), ("fcTL", [])], after: [("fdAT", frame)]))
    #expect(chunks.map(\.name) == ["IHDR", "IDAT", "IEND"])
    #expect(said.contains("is an animation; only its first frame is used"), "\(said)")
  }

  @Test(
    "A message about an animation says which picture is used, and nothing is said if there is no other one",
    arguments: [
      (2, true, "is an animation; only its first frame is used"), (1, true, nil), (0, false, nil),
      (1, false, "only the default image is used"), (2, false, "only the default image is used"),
    ] as [(UInt8, Bool, String?)])
  func animation(frames: UInt8, hasPixels: Bool, words: String?) throws {
    let frame: Chunk = ("fcTL", [UInt8](repeating: 0, count: 26))
    let control: Chunk = ("acTL", [0, 0, 0, frames, 0, 0, 0, 0])
    for before in hasPixels ? [[control, frame], [frame, control]] : [[control]] {
      let warnings = try ImageFile.picture(Self.file(before: before, after: [frame])).metadata.warnings
      #expect(warnings.count == (words == nil ? 0 : 1) && warnings.allSatisfy { $0.contains(words ?? "") })
    }
  }

  @Test(
    "Text that has or can have a picture from before the blur is dropped",
    arguments: [
      ("tEXt", "Raw profile type exif\0\nexif\n 4\n4578", false),
      ("zTXt", "raw profile type APP1\0\0x", false), ("tEXt", "Raw profile type xmp\0\nxmp\n 0\n", false),
      ("zTXt", "Raw profile type icc\0\0x", true),
      ("iTXt", "XML:com.adobe.xmp\0\0\0\0\0<x:xmpmeta tiff:Orientation='6'/>", true),
      ("iTXt", "XML:com.adobe.xmp\0\0\0\0\0<xmp:Thumbnails>", false),
      ("iTXt", "XML:com.adobe.xmp\0\0\0\0\0<xmpGImg:image>", false),
      ("iTXt", "XML:com.adobe.xmp\0\u{1}\0\0\0x", false), ("iTXt", "Comment\0\u{1}\0\0\0x", true),
      ("tEXt", "Comment\0/9j/4AAQ", false), ("tEXt", "Comment\0iVBORw0KGgoAAAA", false),
      ("tEXt", "Comment\0 9j/4AAQ", true),
    ] as [(String, String, Bool)])
  func text(name: String, text: String, isKept: Bool) throws {
    let (chunks, said) = try Self.copied(Self.file(before: [(name, Array(text.utf8))]))
    #expect(chunks.map(\.name) == ["IHDR"] + (isKept ? [name] : []) + ["IDAT", "IEND"])
    #expect(said.contains("dropped \(name): ") == !isKept, "\(said)")
    // A text that may have had an orientation is a warning, which is shown without -v.
    let warnings = try ImageFile.picture(Self.file(before: [(name, Array(text.utf8))])).metadata.warnings
    let isRaw = !isKept && text.lowercased().hasPrefix("raw profile type ")
    #expect(warnings.count == (isRaw ? 1 : 0) && warnings.allSatisfy { $0.contains("an orientation") })
  }

  @Test("An unknown chunk with a JPEG file is dropped, although it is marked as safe to copy")
  func unknownPicture() throws {
    let (chunks, said) = try Self.copied(Self.file(before: [("abCd", [1, 0xFF, 0xD8, 0xFF, 0xE0])]))
    #expect(chunks.count == 3 && said.contains("dropped abCd: it may show"), "\(said)")
  }

  @Test("A note counts the pixels whose colours are lost because their alpha is 0", arguments: [false, true])
  func hiddenColours(isTiled: Bool) throws {
    // Two of the pixels have a colour and an alpha of 0.
    let pixels = [[1, 2, 3, 0], [0, 0, 0, 0], [9, 9, 9, 255], [0, 0, 7, 0], [5, 0, 0, 1], [0, 0, 0, 9]]
    let file = PlainPNG(width: 2, height: 3, depth: 8, type: .rgba) { x, y, c in pixels[2 * y + x][c] }.bytes
    let note = "dropped the colours of 2 pixel(s) with an alpha of 0"
    guard isTiled else { return #expect(try ImageFile.picture(file).metadata.notes == [note]) }
    #expect(try CopyInBands(of: file, to: "png").metadata.notes == [note])
  }

  @Test("A palette becomes RGB: the background is converted, and PLTE and tRNS are noted")
  func palette() throws {
    let palette: [UInt8] = [10, 20, 30, 40, 50, 60]
    let (chunks, said) = try Self.copied(
      Self.file(.palette, palette: palette, transparency: [128], before: [("bKGD", [1])]))
    #expect(chunks.first { $0.name == "bKGD" }?.data == [0, 40, 0, 50, 0, 60])
    #expect(said.contains("dropped PLTE: ") && said.contains("dropped tRNS: "), "\(said)")
    // In a gray image of two bits, 2 of 3 is 170 of 255.
    let gray = try Self.copied(Self.file(.gray, depth: 2, before: [("bKGD", [0, 2]), ("sBIT", [2])]))
    #expect(gray.chunks.map(\.name) == ["IHDR", "bKGD", "IDAT", "IEND"] && gray.chunks[1].data == [0, 170])
    // A palette has 8 bits, so that its sBIT also fits RGB, but not RGB with alpha.
    for transparency in [[], [128]] as [[UInt8]] {
      let (chunks, said) = try Self.copied(
        Self.file(.palette, palette: palette, transparency: transparency, before: [("sBIT", [8, 8, 8])]))
      #expect(chunks.contains { $0.name == "sBIT" } == transparency.isEmpty)
      #expect(said.contains("dropped sBIT: the result has a different type") == !transparency.isEmpty)
    }
  }

  @Test("Wrong checksums are counted beyond the chunks that are named", arguments: [16, 17, 40])
  func manyWrongChecksums(count: Int) throws {
    let texts = (0..<count).map { (name: "tEXt", data: Array("key\0\($0)value".utf8)) }
    var file = Self.file(before: texts)
    for i in file.indices where file[i...].starts(with: Array("value".utf8)) { file[i] ^= 1 }
    let warnings = try ImageFile.picture(file).metadata.warnings
    #expect(warnings.filter { $0.hasPrefix("dropped tEXt, ") }.count == 16)
    let more = "dropped \(count - 16) more chunk(s), because the checksum (CRC) is wrong"
    #expect(warnings.dropFirst(16) == (count > 16 ? [more] : []))
  }

  @Test("A wrong checksum in an optional chunk is a warning, and the chunk is dropped", arguments: [0, 1])
  func wrongChecksum(place: Int) throws {
    let text: Chunk = ("tEXt", Array("key\0value".utf8))
    var file = Self.file(before: [("gAMA", [0, 1, 134, 160]), text], after: [text])
    let values = file.indices.filter { file[$0...].starts(with: Array("value".utf8)) }
    file[values[place]] ^= 1
    let (chunks, said) = try Self.copied(file)
    #expect(
      chunks.map(\.name) == ["IHDR", "gAMA"] + (place == 0 ? ["IDAT", "tEXt"] : ["tEXt", "IDAT"]) + ["IEND"])
    #expect(said == "dropped tEXt, because its checksum (CRC) is wrong")
  }

  @Test("An unknown chunk that decoding needs is an error")
  func critical() {
    let error = #expect(throws: ImageDataError.self) {
      try ImageFile.decode(Self.file(before: [("CgBI", [1])]))
    }
    #expect(error?.description.contains("CgBI") == true, "\(String(describing: error))")
  }

  @Test("Other formats cannot hold chunks, and a note names all of them")
  func otherFormats() throws {
    let (_, said) = try Self.copied(
      Self.file(before: [("pHYs", Array(0..<9)), ("tEXt", [65, 0])]), ending: "ppm")
    #expect(said == "dropped pHYs, tEXt: .ppm files cannot hold PNG chunks")
  }
}
