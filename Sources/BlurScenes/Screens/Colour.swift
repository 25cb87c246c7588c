/// An opaque colour, stored as one rgba8 pixel.
struct Colour: Hashable {
  /// The four bytes of the pixel in memory order.
  let bits: UInt32

  init(bits: UInt32) { self.bits = bits }

  init(_ red: Int, _ green: Int, _ blue: Int) {
    let value = UInt32(red & 255) | UInt32(green & 255) << 8 | UInt32(blue & 255) << 16 | 0xFF00_0000
    bits = UInt32(littleEndian: value)
  }

  /// Creates a gray.
  init(_ white: Int) { self.init(white, white, white) }

  /// Creates a colour from its hue in degrees, and its saturation and value from 0 to 1.
  init(hue: Int, saturation: Double, value: Double) {
    let sector = Double(((hue % 360) + 360) % 360) / 60
    func channel(_ shift: Double) -> Int {
      let phase = (shift + sector).truncatingRemainder(dividingBy: 6)
      let part = max(0, min(1, min(phase, 4 - phase)))
      return Int((255 * value * (1 - saturation * part)).rounded())
    }
    self.init(channel(5), channel(3), channel(1))
  }

  private var value: UInt32 { UInt32(littleEndian: bits) }
  var red: Int { Int(value & 255) }
  var green: Int { Int(value >> 8 & 255) }
  var blue: Int { Int(value >> 16 & 255) }

  /// Returns a mixture of this colour and another one. The weight of the other colour is `share`/256.
  @inline(__always)
  func mixed(with other: Colour, _ share: Int) -> Colour {
    func mix(_ a: Int, _ b: Int) -> Int { (a * (256 - share) + b * share + 128) >> 8 }
    return Colour(mix(red, other.red), mix(green, other.green), mix(blue, other.blue))
  }
}

/// The colours that all screens use.
extension Colour {
  static let paper = Colour(255)
  static let ground = Colour(242, 242, 247)
  static let line = Colour(209, 209, 214)
  static let ink = Colour(28, 28, 30)
  static let faded = Colour(142, 142, 147)
  static let accents = [
    Colour(0, 122, 255), Colour(255, 45, 85), Colour(52, 199, 89), Colour(255, 149, 0), Colour(88, 86, 214),
    Colour(255, 59, 48), Colour(90, 200, 250), Colour(255, 204, 0),
  ]
}
