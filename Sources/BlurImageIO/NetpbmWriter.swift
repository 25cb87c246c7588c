/// Writes binary PGM, PPM, PAM and PFM.
enum NetpbmWriter {
  /// PGM for gray, PPM for RGB.
  static func pnm(_ samples: Samples) throws(ImageFileError.Fault) -> [UInt8] {
    guard !samples.hasAlpha else { throw .init("PNM holds no alpha; write .png or .pam") }
    return header("P\(samples.channels == 1 ? 5 : 6)\n\(samples.width) \(samples.height)", "\n", samples)
  }

  static func pam(_ samples: Samples) throws(ImageFileError.Fault) -> [UInt8] {
    let types = ["GRAYSCALE", "GRAYSCALE_ALPHA", "RGB", "RGB_ALPHA"]
    let head = "P7\nWIDTH \(samples.width)\nHEIGHT \(samples.height)\nDEPTH \(samples.channels)\nMAXVAL"
    return header(head, "\nTUPLTYPE \(types[samples.channels - 1])\nENDHDR\n", samples)
  }

  /// Rows from the bottom up, least significant byte first.
  static func pfm(_ samples: Samples) throws(ImageFileError.Fault) -> [UInt8] {
    guard !samples.hasAlpha else { throw .init("PFM holds no alpha; write .png or .pam") }
    let magic = samples.channels == 1 ? "Pf" : "PF"
    var bytes = Array("\(magic)\n\(samples.width) \(samples.height)\n-1.0\n".utf8)
    let perRow = samples.width * samples.channels
    for y in (0..<samples.height).reversed() {
      for i in 0..<perRow {
        withUnsafeBytes(of: Float(samples.share(y * perRow + i)).bitPattern.littleEndian) {
          bytes.append(contentsOf: $0)
        }
      }
    }
    return bytes
  }

  /// A header around the maximum value, then the samples, most significant byte first.
  private static func header(_ head: String, _ tail: String, _ samples: Samples) -> [UInt8] {
    let maximum = samples.depth == .bits16 ? 65535 : 255
    let separator = tail == "\n" ? "\n" : " "
    let header = Array("\(head)\(separator)\(maximum)\(tail)".utf8)
    guard samples.depth == .bits16 else { return header + samples.bytes }
    var bytes = header
    bytes.reserveCapacity(header.count + samples.bytes.count)
    for i in stride(from: 0, to: samples.bytes.count, by: 2) {
      let value = samples.bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: i, as: UInt16.self) }
      bytes.append(UInt8(value >> 8))
      bytes.append(UInt8(value & 255))
    }
    return bytes
  }
}
