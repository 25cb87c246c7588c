/// A PNG encoder that shares no code with libpng. It writes stored deflate blocks with filter type 0, and
/// supports every colour type and depth.
struct PlainPNG {
  enum ColourType: UInt8 {
    case gray = 0
    case rgb = 2
    case palette = 3
    case grayAlpha = 4
    case rgba = 6
  }

  let width: Int
  let height: Int
  let depth: Int
  let type: ColourType
  var palette: [UInt8] = []
  var transparency: [UInt8] = []
  var interlaced = false
  /// Other chunks with their data, to be written before and after the pixels.
  var before: [(name: String, data: [UInt8])] = []
  var after: [(name: String, data: [UInt8])] = []
  /// Returns channel `c` of the pixel at (x, y), as an integer of `depth` bits.
  let sample: (_ x: Int, _ y: Int, _ c: Int) -> Int

  private var channels: Int {
    switch type {
    case .gray, .palette: 1
    case .grayAlpha: 2
    case .rgb: 3
    case .rgba: 4
    }
  }

  var bytes: [UInt8] {
    var header = Self.word(width) + Self.word(height)
    header += [UInt8(depth), type.rawValue, 0, 0, interlaced ? 1 : 0]
    var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    file += Self.chunk("IHDR", header)
    // Only these two chunks depend on the palette, so they come after it.
    let late = palette.isEmpty ? [] : ["bKGD", "hIST"]
    for (name, data) in before where !late.contains(name) { file += Self.chunk(name, data) }
    if !palette.isEmpty { file += Self.chunk("PLTE", palette) }
    if !transparency.isEmpty { file += Self.chunk("tRNS", transparency) }
    for (name, data) in before where late.contains(name) { file += Self.chunk(name, data) }
    file += Self.chunk("IDAT", Self.stored(scanlines))
    for (name, data) in after { file += Self.chunk(name, data) }
    return file + Self.chunk("IEND", [])
  }

  /// The seven passes of Adam7 as (first column, first row, column step, row step). An image that is not
  /// interlaced has a single pass.
  private var passes: [(Int, Int, Int, Int)] {
    guard interlaced else { return [(0, 0, 1, 1)] }
    return [
      (0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2),
    ]
  }

  private var scanlines: [UInt8] {
    var lines: [UInt8] = []
    for (x0, y0, dx, dy) in passes {
      let columns = Array(stride(from: x0, to: width, by: dx))
      guard !columns.isEmpty else { continue }
      for y in stride(from: y0, to: height, by: dy) {
        lines.append(0)
        lines += packed(columns.flatMap { x in (0..<channels).map { sample(x, y, $0) } })
      }
    }
    return lines
  }

  /// Packs samples of `depth` bits into bytes, with the most significant bits first.
  private func packed(_ samples: [Int]) -> [UInt8] {
    if depth == 16 { return samples.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] } }
    var bytes = [UInt8](repeating: 0, count: (samples.count * depth + 7) / 8)
    for (i, value) in samples.enumerated() {
      bytes[i * depth / 8] |= UInt8(value << (8 - depth - i * depth % 8))
    }
    return bytes
  }

  /// Returns a zlib stream that holds `data` in uncompressed blocks.
  private static func stored(_ data: [UInt8]) -> [UInt8] {
    var stream: [UInt8] = [0x78, 0x01]
    for start in stride(from: 0, to: data.count, by: 65535) {
      let block = data[start..<min(start + 65535, data.count)]
      let (low, high) = (UInt8(block.count & 255), UInt8(block.count >> 8))
      stream += [block.endIndex == data.count ? 1 : 0, low, high, ~low, ~high] + block
    }
    var (a, b) = (1, 0)
    for byte in data {
      a = (a + Int(byte)) % 65521
      b = (b + a) % 65521
    }
    return stream + word(b << 16 | a)
  }

  static func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
    let body = Array(name.utf8) + data
    var crc: UInt32 = 0xFFFF_FFFF
    for byte in body {
      crc ^= UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
    }
    return word(data.count) + body + word(Int(~crc))
  }

  private static func word(_ value: Int) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
  }
}
