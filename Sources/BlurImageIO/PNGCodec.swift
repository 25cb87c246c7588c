import PNGShim

/// PNG of every colour type and depth, by libpng.
enum PNGCodec {
  static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  /// Deflate makes at most 1032 bytes of one.
  private static let bestRatio = 1032

  static func decode(_ file: [UInt8]) throws(ImageFileError.Fault) -> Samples {
    var header = png_shim_header()
    try call { png_shim_read_header(file, file.count, &header, $0) }
    let (width, height, channels) = (Int(header.width), Int(header.height), Int(header.channels))
    let depth = header.bits == 16 ? Samples.Depth.bits16 : .bits8
    let count = try Samples.byteCount(width: width, height: height, channels: channels, depth: depth)
    guard width * Int(header.bits_per_pixel) / 8 * height <= file.count * bestRatio else {
      throw .init("declares \(width)x\(height) pixels, more than its \(file.count) bytes can hold")
    }
    var samples = try Samples.zeros(width: width, height: height, channels: channels, depth: depth)
    try call { png_shim_decode(file, file.count, &samples.bytes, count, $0) }
    return samples
  }

  static func encode(_ samples: Samples) throws(ImageFileError.Fault) -> [UInt8] {
    var bytes: UnsafeMutablePointer<UInt8>?
    var size = 0
    try call {
      png_shim_encode(
        samples.bytes, UInt32(samples.width), UInt32(samples.height), UInt32(samples.channels),
        UInt32(samples.depth.bytes * 8), &bytes, &size, $0)
    }
    defer { png_shim_free(bytes) }
    return Array(UnsafeBufferPointer(start: bytes, count: size))
  }

  private static func call(
    _ body: (UnsafeMutablePointer<CChar>) -> Bool
  ) throws(ImageFileError.Fault) {
    let reason = withUnsafeTemporaryAllocation(of: CChar.self, capacity: PNG_SHIM_MESSAGE) {
      text -> String? in
      text[0] = 0
      return body(text.baseAddress!) ? nil : String(cString: text.baseAddress!)
    }
    if let reason { throw .init("is a damaged PNG: \(reason)") }
  }
}
