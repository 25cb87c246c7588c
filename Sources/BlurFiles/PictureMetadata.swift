/// The data that a file stores about its picture in addition to the pixels. ``ImageFile/write(_:to:)`` writes
/// as much of this data as the new file can hold and as is true for a blurred picture. docs/FILES.md has a
/// table.
public struct PictureMetadata: Equatable, Sendable {
  /// Sentences about the file that the user should know: checksums that are wrong, data after the picture,
  /// frames of an animation that are not read, and values of a mask that were clamped.
  public internal(set) var warnings: [String] = []
  /// Sentences about data that was read but that would be wrong after a blur, and that is therefore not kept.
  public internal(set) var notes: [String] = []
  /// The chunks of a PNG file that can be written to another PNG file.
  public internal(set) var chunks: [PNGChunk] = []
  /// The largest sample value that a PNM or PAM file declares, or nil for other files and for PBM.
  var maximum: Int?
  /// The absolute value of the scale that a PFM file declares, or nil for other files.
  var scale: Double?
  /// The shape of the picture in its file, or nil if the picture does not come from a file.
  var source: Samples.Shape?

  init() {}

  /// Returns the curve between the stored values and linear light.
  ///
  /// The first of these chunks counts, in the order of the PNG specification: cICP, iCCP, sRGB, gAMA. Without
  /// any of them, the values are sRGB.
  ///
  /// - Throws: ``ImageDataError`` with advice if the file has a colour profile, or a curve that is not
  ///   supported.
  func curve() throws(ImageDataError) -> TransferCurve {
    func data(_ name: String) -> [UInt8]? { chunks.first { $0.name == name && !$0.isAfterPixels }?.data }
    if let code = data("cICP") { return try Self.curve(of: code) }
    if let profile = data("iCCP") {
      let name = String(decoding: profile.prefix(79).prefix { $0 != 0 }, as: UTF8.self)
      throw .init(
        "has the colour profile '\(name)' (chunk iCCP), which cannot be converted to linear light here; "
          + Self.advice
      )
    }
    if data("sRGB") != nil { return .sRGB }
    guard let gamma = data("gAMA"), gamma.count == 4 else { return .sRGB }
    let exponent = Double(gamma.reduce(0) { $0 << 8 | Int($1) }) / 100_000
    guard (0.01...100).contains(exponent) else {
      throw .init("has an impossible gamma of \(exponent) (chunk gAMA); \(Self.advice)")
    }
    return exponent == 1 ? .linear : .power(exponent: exponent)
  }

  private static let advice =
    "convert the picture to sRGB with another program first (with ImageMagick: "
    + "magick in.png -profile sRGB.icc out.png), or omit --linear-light and write .png"

  /// Returns the curve for the code points of a `cICP` chunk (ITU-T H.273): colour primaries, transfer
  /// function, matrix and range.
  private static func curve(of code: [UInt8]) throws(ImageDataError) -> TransferCurve {
    guard code.count == 4, code[2] == 0, code[3] == 1 else {
      throw .init("has a cICP chunk that is not for RGB values of full range; \(advice)")
    }
    switch code[1] {
    case 1, 6, 14, 15: return .bt709
    // H.273 gives the gamma of the display, so the stored value is light to the power of its inverse.
    case 4: return .power(exponent: 1 / 2.2)
    case 5: return .power(exponent: 1 / 2.8)
    case 8: return .linear
    case 13: return .sRGB
    case 16: return .pq
    case 18: return .hlg
    default:
      throw .init("has the transfer function \(code[1]) (chunk cICP), which is not supported; \(advice)")
    }
  }

  /// Returns the data that a file with this extension and shape can hold, and a note about each loss.
  func fitting(_ ending: String, _ shape: Samples.Shape) -> (kept: PictureMetadata, notes: [String]) {
    var (kept, notes) = (self, [String]())
    if ending != "png", !chunks.isEmpty {
      kept.chunks = []
      let names = chunks.map(\.name).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
      notes.append("dropped \(names.joined(separator: ", ")): .\(ending) files cannot hold PNG chunks")
    } else if let source {
      kept.chunks = chunks.filter { chunk in
        guard let reason = chunk.mismatch(with: shape, from: source) else { return true }
        notes.append("dropped \(chunk.name): \(reason)")
        return false
      }
    }
    // With a maximum value below 255, a blurred picture would have too few levels.
    let isKept = shape.depth == .bits16 && ending != "png" && maximum ?? 0 > 255
    kept.maximum = isKept ? maximum : nil
    if let maximum, ![255, 65535, kept.maximum].contains(maximum) {
      notes.append(
        "changed the maximum value from \(maximum) to \(Int(shape.depth.full)); all samples were scaled")
    }
    if let scale, scale != 1 {
      notes.append(
        ending == "pfm"
          ? "kept the scale \(scale) of the PFM file; no sample is multiplied by it"
          : "dropped the scale \(scale) of the PFM file; no sample was multiplied by it")
    }
    return (kept, notes)
  }
}
