import Blur
import Foundation
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
