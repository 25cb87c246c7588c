import Foundation
import TestSupport
import Testing

@Suite("Blurs in linear light on the command line")
struct LinearLightCommandTests {
  private static let (width, height) = (64, 24)

  /// Writes a gray picture of 8 bits whose pixels are a function of their column and row.
  private func write(_ name: String, in folder: URL, _ value: (Int, Int) -> UInt8) throws {
    let pixels = (0..<Self.height).flatMap { y in (0..<Self.width).map { value($0, y) } }
    let header = Data("P5\n\(Self.width) \(Self.height)\n255\n".utf8)
    try (header + Data(pixels)).write(to: folder.appending(path: name))
  }

  private func pixels(_ name: String, in folder: URL) throws -> [UInt8] {
    try Array(Data(contentsOf: folder.appending(path: name)).suffix(Self.width * Self.height))
  }

  /// The curve of sRGB (IEC 61966-2-1), in levels.
  private static func light(of level: UInt8) -> Double {
    let colour = Double(level) / 255
    return colour <= 0.04045 ? colour / 12.92 : pow((colour + 0.055) / 1.055, 2.4)
  }
  private static func level(of light: Double) -> Double {
    255 * (light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055)
  }

  @Test("An edge is blurred as light is, within a level", arguments: [(0, 255), (2, 14)] as [(UInt8, UInt8)])
  func edge(dark: UInt8, bright: UInt8) throws {
    try Scratch.folder { folder in
      try write("in.pgm", in: folder) { x, _ in x < 32 ? dark : bright }
      let command = try Command(
        ["blur", "in.pgm", "out.pgm", "--sigma", "5", "--linear-light", "-v"], in: folder)
      #expect(command.code == 0, "\(command.errors)")
      #expect(command.errors.contains("gray16 64x24"), "\(command.errors)")
      let found = try pixels("out.pgm", in: folder)
      let (low, high) = (Self.light(of: dark), Self.light(of: bright))
      for x in 0..<Self.width {
        // The integral of the Gaussian sampled at pixels: the edge is between columns 31 and 32.
        let offsets = (-60...60).map { Double($0) }
        let weights = offsets.map { exp(-$0 * $0 / 50) }
        let share =
          zip(offsets, weights).reduce(0) { $0 + (Double(x) + $1.0 >= 32 ? $1.1 : 0) }
          / weights.reduce(0, +)
        let expected = Self.level(of: low + (high - low) * share)
        for y in [0, 11, 23] {
          #expect(abs(Double(found[64 * y + x]) - expected) <= 1.5, "column \(x), row \(y)")
        }
      }
    }
  }

  @Test("Under a white mask it is the blur without one; levels of mixing are those of the picture")
  func mask() throws {
    try Scratch.folder { folder in
      try write("in.pgm", in: folder) { x, y in UInt8((x * 7 + y * 5) % 11) }
      try write("white.pgm", in: folder) { _, _ in 255 }
      let blur = ["blur", "in.pgm", "--sigma", "3", "--linear-light"]
      let plain = try Command(blur + ["plain.pgm"], in: folder)
      let masked = try Command(blur + ["masked.pgm", "--mask", "white.pgm", "-v"], in: folder)
      #expect(plain.code == 0 && masked.code == 0, "\(plain.errors)\(masked.errors)")
      #expect(try pixels("masked.pgm", in: folder) == pixels("plain.pgm", in: folder))

      let stored = try Command(
        ["blur", "in.pgm", "x.pgm", "--sigma", "3", "--mask", "white.pgm", "-v"], in: folder)
      let ofLight = try #require(Self.levels(in: stored.errors), "\(stored.errors)")
      let ofPicture = try #require(Self.levels(in: masked.errors), "\(masked.errors)")
      // The same mixing of light: its error is largest where black was right.
      #expect(ofLight < 1 && abs(ofPicture - Self.level(of: ofLight / 255)) < 0.1, "\(ofPicture)")
    }
  }

  /// The levels that a message states.
  private static func levels(in message: String) -> Double? {
    message.firstMatch(of: /at most ([0-9.]+) levels by mixing/).flatMap { Double($0.1) }
  }

  @Test("Pictures that are light already, and bands, are refused by a message that says so")
  func refusals() throws {
    try Scratch.folder { folder in
      try write("in.pgm", in: folder) { x, _ in UInt8(x) }
      let floats = (Data("Pf\n2 1\n-1.0\n".utf8) + Data(repeating: 0, count: 8))
      try floats.write(to: folder.appending(path: "in.pfm"))
      let blur = ["blur", "--sigma", "2", "--linear-light"]
      let light = try Command(blur + ["in.pfm", "out.pfm"], in: folder)
      #expect(light.code == 1 && light.errors.contains("only 8 and 16 bits"), "\(light.errors)")
      let tiled = try Command(blur + ["in.pgm", "out.pgm", "--tiled"], in: folder)
      #expect(tiled.code == 64 && tiled.errors.contains("exclude each other"), "\(tiled.errors)")
    }
  }
}
