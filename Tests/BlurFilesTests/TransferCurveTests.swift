import Blur
import Foundation
import TestSupport
import Testing

@testable import BlurFiles

@Suite("Curves between stored values and light")
struct TransferCurveTests {
  /// A gray PNG file with the 8-bit values 20 and 188.
  private static func file(_ chunks: [(name: String, data: [UInt8])]) -> [UInt8] {
    PlainPNG(width: 2, height: 1, depth: 8, type: .gray, before: chunks) { x, _, _ in x == 0 ? 20 : 188 }
      .bytes
  }

  /// The light of 20/255 and 188/255, computed with Python from the formulas in the standards.
  static let cases: [(chunks: [(name: String, data: [UInt8])], light: [Double])] = [
    ([], [0.006995410187, 0.502886458033]), ([("sRGB", [0])], [0.006995410187, 0.502886458033]),
    ([("gAMA", [0, 1, 134, 160])], [0.078431372549, 0.737254901961]),
    ([("gAMA", [0, 0, 177, 143])], [0.003697446634, 0.511401248334]),
    ([("sRGB", [0]), ("gAMA", [0, 1, 134, 160])], [0.006995410187, 0.502886458033]),
    ([("cICP", [1, 1, 0, 1])], [0.017429193900, 0.544998328630]),
    ([("cICP", [1, 4, 0, 1])], [0.003697239579, 0.511397818885]),
    ([("cICP", [1, 5, 0, 1])], [0.000802733676, 0.425921411184]),
    ([("cICP", [1, 8, 0, 1]), ("gAMA", [0, 0, 177, 143])], [0.078431372549, 0.737254901961]),
    ([("cICP", [12, 13, 0, 1]), ("iCCP", [65, 0, 0])], [0.006995410187, 0.502886458033]),
    ([("cICP", [9, 16, 0, 1])], [0.000017447301, 0.087481113080]),
    ([("cICP", [9, 18, 0, 1])], [0.002050493400, 0.248368148320]),
  ]

  @Test("A PNG file is decoded by its own cICP, sRGB or gAMA, in this order", arguments: cases.indices)
  func decoding(index: Int) throws {
    let (chunks, expected) = Self.cases[index]
    let picture = try ImageFile.picture(Self.file(chunks))
    let floats = try ImageFile.decode(ImageFile.encode(picture, ending: "pfm"))
    #expect((0..<2).allSatisfy { abs(floats.share($0) - expected[$0]) < 1e-7 })
    let light = try picture.linearLight()
    let written = try ImageFile.decode(ImageFile.encode(light, ending: "pfm"))
    // The light of sRGB is stored with 16 bits, and the light of other curves as floats.
    #expect((0..<2).allSatisfy { abs(written.share($0) - expected[$0]) < 0.51 / 65535 })
    #expect(try ImageFile.decode(ImageFile.encode(light, ending: "png")).bytes == [20, 188])
  }

  /// The sRGB values of the light in ``cases``, computed with Python from the formula in IEC 61966-2-1.
  private static let encoded: [[UInt8]] = [
    [20, 188], [20, 188], [79, 223], [12, 189], [20, 188], [36, 195], [12, 189], [3, 174], [79, 223],
    [20, 188], [0, 83], [7, 137],
  ]

  @Test(
    "PNM and PAM files get sRGB values, whatever curve a PNG file has", arguments: cases.indices,
    [true, false])
  func encoding(index: Int, isTiled: Bool) throws {
    let (file, expected) = (Self.file(Self.cases[index].chunks), Self.encoded[index])
    guard isTiled else {
      let picture = try ImageFile.picture(file)
      for ending in ["pgm", "pnm", "pam"] {
        #expect(try ImageFile.decode(ImageFile.encode(picture, ending: ending)).bytes == expected)
        let light = try ImageFile.encode(picture.linearLight(), ending: ending)
        #expect(try ImageFile.decode(light).bytes == expected)
      }
      return
    }
    let copy = try CopyInBands(of: file, to: "pgm", by: "simd-fine", rowsPerBand: 1)
    #expect(try ImageFile.decode(copy.bytes).bytes == expected)
  }

  @Test("Linear light with 8 bits is blurred with 16 bits, and written again without a change")
  func linear() throws {
    for type in [PlainPNG.ColourType.gray, .grayAlpha, .rgb, .rgba] {
      let file = PlainPNG(
        width: 16, height: 16, depth: 8, type: type, before: [("gAMA", [0, 1, 134, 160])]
      ) { x, y, c in c == (type == .grayAlpha ? 1 : 3) ? 255 : (16 * y + x + 85 * c) % 256 }
      let picture = try ImageFile.picture(file.bytes)
      #expect(picture.isLinearLight && picture.image.layout.format.component == .uint16)
      let written = try ImageFile.decode(ImageFile.encode(picture, ending: "png"))
      #expect(try written.bytes == ImageFile.decode(file.bytes).bytes)
    }
  }

  @Test(
    "A warning names what a file without chunks cannot describe",
    arguments: [
      ([("iCCP", Array("Display P3\0\0".utf8))], "colour profile 'Display P3'"),
      ([("cICP", [1, 9, 0, 1])], "transfer function 9"),
      ([("cICP", [12, 13, 0, 1])], "the primaries of the source (chunk cICP)"),
      ([("cHRM", Array(0..<32))], "the primaries of the source (chunk cHRM)"),
      ([("cICP", [1, 16, 0, 1])], "HDR values"),
      ([("eXIf", ExifBlock.only(orientation: 8))], "the orientation 8"),
      ([("eXIf", ExifBlock.only(orientation: 1))], nil), ([("sRGB", [0]), ("cHRM", Array(0..<32))], nil),
      (
        [
          // The white point and the primaries of sRGB, as libpng writes them.
          (
            "cHRM",
            [31270, 32900, 64000, 33000, 30000, 60000, 15000, 6000].flatMap {
              [0, 0, UInt8($0 >> 8), UInt8($0 & 255)]
            }
          )
        ], nil
      ),
      ([("gAMA", [0, 0, 177, 143])], nil), ([], nil),
    ] as [([(String, [UInt8])], String?)])
  func warnings(chunks: [(String, [UInt8])], words: String?) throws {
    let file = PlainPNG(width: 2, height: 1, depth: 8, type: .rgb, before: chunks) { x, _, c in 40 * x + c }
    let picture = try ImageFile.picture(file.bytes)
    #expect(picture.metadata.warnings(for: "png").isEmpty)
    let warnings = picture.metadata.warnings(for: "ppm")
    #expect(warnings.count == (words == nil ? 0 : 1) && warnings.allSatisfy { $0.contains(words ?? "") })
    let advice = words?.contains("orientation") == true ? "write .png" : "convert the picture to sRGB"
    #expect(warnings.allSatisfy { $0.contains(advice) }, "\(warnings)")
    let losses = try Scratch.path(".ppm") { try ImageFile.write(picture, to: $0.path) }
    #expect(losses.filter { !$0.hasPrefix("dropped ") } == warnings)
    // Values under an unknown curve are kept.
    guard words?.contains("profile") == true else { return }
    #expect(try ImageFile.decode(ImageFile.encode(picture, ending: "ppm")).bytes == [0, 1, 2, 40, 41, 42])
  }

  @Test("Colours under alpha are converted without alpha")
  func alpha() throws {
    let file = PlainPNG(
      width: 2, height: 1, depth: 8, type: .rgba, before: [("gAMA", [0, 0, 177, 143])]
    ) { x, _, c in [188, 20, 3, x == 0 ? 40 : 255][c] }
    let picture = try ImageFile.picture(file.bytes)
    let floats = try ImageFile.decode(ImageFile.encode(picture, ending: "pfm"))
    #expect(floats.channels == 4)
    let expected = [0.511401248334, 0.003697446634, 0.00005696, 40.0 / 255]
    #expect((0..<4).allSatisfy { abs(floats.share($0) - expected[$0]) < 1e-5 })
    let again = try ImageFile.encode(picture.linearLight(), ending: "png")
    #expect(try ImageFile.decode(again).bytes == [188, 20, 3, 40, 188, 20, 3, 255])
  }

  @Test(
    "Profiles and curves that cannot be read are refused with advice",
    arguments: [
      ("iCCP", Array("Display P3\0\0".utf8), "'Display P3'"), ("cICP", [1, 9, 0, 1], "transfer function 9"),
      ("cICP", [1, 13, 0, 0], "full range"), ("gAMA", [0, 0, 0, 0], "gamma"),
    ] as [(String, [UInt8], String)])
  func refusals(name: String, data: [UInt8], reason: String) throws {
    let picture = try ImageFile.picture(Self.file([(name, data)]))
    let error = #expect(throws: ImageFileError.self) { try picture.linearLight() }
    let text = error?.description ?? ""
    #expect(text.contains(reason) && text.contains("convert the picture to sRGB"), "\(text)")
    #expect(throws: ImageFileError.self) { try ImageFile.encode(picture, ending: "pfm") }
    #expect(throws: Never.self) { try ImageFile.encode(picture, ending: "png") }
  }

  @Test(
    "Light that is off by the bound moves no stored value by more than the allowed levels",
    arguments: [
      TransferCurve.sRGB, .linear, .bt709, .power(exponent: 0.45455), .power(exponent: 2), .pq, .hlg,
    ])
  func bounds(curve: TransferCurve) {
    for levels in [0.5, 1, 4] {
      let share = curve.bound(levels: levels, for: .grayf32).levels / 255
      #expect(abs(curve.levels(within: .share(share), for: .grayf32) - levels) < 1e-3)
      for step in 0...1000 {
        let light = pow(Double(step) / 1000, 4) * (1 - share)
        let moved = 255 * (curve.colour(of: light + share) - curve.colour(of: light))
        #expect(moved <= levels * (1 + 1e-6), "\(curve) at \(light)")
        #expect(abs(curve.light(of: curve.colour(of: light)) - light) < 1e-9)
      }
    }
  }
}
