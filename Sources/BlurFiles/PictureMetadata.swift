/// The data in an image file apart from the pixels. ``ImageFile/write(_:to:)`` writes the parts of this data
/// that the new file can hold and that are still correct after a blur. A table in docs/FILES.md lists these
/// parts.
public struct PictureMetadata: Equatable, Sendable {
  /// Sentences about problems in the file that the user should know about: wrong checksums, other mistakes in
  /// a PNG file, dropped text that may contain an orientation, data after the picture, unread frames of an
  /// animation, and clamped mask values.
  public internal(set) var warnings: [String] = []
  /// Sentences about data that was read but is not kept, because it would be wrong after a blur.
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

  /// Returns the curve that converts between stored values and linear light.
  ///
  /// The chunks cICP, iCCP, sRGB and gAMA can determine the curve. If there are several of them, the first
  /// one in this order counts, as the PNG specification requires. Without any of them, the values are sRGB.
  ///
  /// - Throws: ``ImageDataError`` with advice if the file has a colour profile, or a curve that is not
  ///   supported.
  func curve() throws(ImageDataError) -> TransferCurve {
    if let code = data("cICP") { return try Self.curve(of: code) }
    if let profile = chunk("iCCP") {
      throw .init(
        "has the colour profile '\(profile.keyword)' (chunk iCCP), which cannot be read here; \(Self.advice)")
    }
    if data("sRGB") != nil { return .sRGB }
    guard let gamma = data("gAMA"), gamma.count == 4 else { return .sRGB }
    let exponent = Double(gamma.bigEndianNumber) / 100_000
    guard (0.01...100).contains(exponent) else {
      throw .init("has an impossible gamma of \(exponent) (chunk gAMA); \(Self.advice)")
    }
    return exponent == 1 ? .linear : .power(exponent: exponent)
  }

  /// Adds a note about pixels that have a colour even though their alpha is 0. Adds nothing if `count` is 0.
  mutating func note(hiddenColours count: Int) {
    if count > 0 { notes.append("dropped the colours of \(count) pixel(s) with an alpha of 0") }
  }

  /// Returns the first chunk with this name, or nil if there is none. Chunks that come after the pixels in
  /// the file are ignored.
  private func chunk(_ name: String) -> PNGChunk? {
    chunks.first { $0.name == name && !$0.isAfterPixels }
  }

  private func data(_ name: String) -> [UInt8]? { chunk(name)?.data }

  /// Returns whether the samples of the file are linear light. This is the case for all float samples, and
  /// for integer samples from a PNG file with a chunk that specifies the linear curve.
  func isLinearLight(_ depth: Samples.Depth) -> Bool { depth == .float || (try? curve()) == .linear }

  /// Returns one sentence for each reason why the picture may look different in a file with this extension.
  /// When such a file is written, the values are converted to its transfer curve, but differences in the
  /// primaries and colour profiles are ignored.
  public func warnings(for ending: String) -> [String] {
    guard let target = FileFormat.curve(ending) else { return [] }
    let cannot = ".\(ending) files cannot hold"
    var warnings: [String] = []
    // Unlike the chunks about colours, eXIf may also come after the pixels.
    let exif = chunks.first { $0.name == "eXIf" }
    if let orientation = exif.flatMap({ ExifBlock($0.data)?.orientation }), orientation != 1 {
      warnings.append(
        "\(cannot) the orientation \(orientation) of the source (chunk eXIf), so the picture is shown "
          + "rotated or mirrored; write .png to keep it")
    }
    if let name = chunkOfPrimaries {
      warnings.append(
        "\(cannot) the primaries of the source (chunk \(name)), which differ from the primaries of sRGB, so "
          + "colours may look different; \(Self.advice)")
    }
    do throws(ImageDataError) {
      let curve = try curve()
      if target == .sRGB, curve == .pq || curve == .hlg {
        warnings.append(
          "the HDR values of the source (chunk cICP) were converted to sRGB without tone mapping, so "
            + "the picture may look darker; \(Self.advice)")
      }
    } catch {
      warnings.append(
        "\(cannot) the colour profile or curve of the source, and the values were not converted, so "
          + "colours may look different; the source \(error)")
    }
    return warnings
  }

  /// The name of the chunk that declares primaries other than the sRGB primaries, or nil if there is no such
  /// chunk.
  private var chunkOfPrimaries: String? {
    guard source?.channels ?? 0 > 2 else { return nil }
    // In ITU-T H.273, code 1 means the primaries of BT.709 and sRGB, and code 2 means unspecified primaries.
    if let code = data("cICP")?.first { return [1, 2].contains(code) ? nil : "cICP" }
    guard data("iCCP") == nil, data("sRGB") == nil, let points = data("cHRM"), points.count == 32 else {
      return nil
    }
    // The white point and the primaries of sRGB, in units of 1/100,000.
    let expected = [31270, 32900, 64000, 33000, 30000, 60000, 15000, 6000]
    let isNear = expected.indices.allSatisfy { i in
      abs(points[4 * i..<4 * i + 4].bigEndianNumber - expected[i]) <= 1000
    }
    return isNear ? nil : "cHRM"
  }

  private static let advice =
    "convert the picture to sRGB with another program first (with ImageMagick: "
    + "magick in.png -profile sRGB.icc out.png), or write .png without --linear-light"

  /// Returns the transfer curve that a `cICP` chunk specifies. The bytes in `code` are the ITU-T H.273 code
  /// points for the colour primaries, the transfer function, the matrix and the range.
  private static func curve(of code: [UInt8]) throws(ImageDataError) -> TransferCurve {
    guard code.count == 4, code[2] == 0, code[3] == 1 else {
      throw .init("has a cICP chunk that is not for RGB values of full range; \(advice)")
    }
    switch code[1] {
    case 1, 6, 14, 15: return .bt709
    // H.273 gives the gamma of the display, so the stored value is light to the power of 1 / gamma.
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

  /// Returns the data that a file with this extension and shape can hold, and a note about everything that is
  /// dropped or changed.
  func fitting(_ ending: String, _ shape: Samples.Shape) -> (kept: PictureMetadata, notes: [String]) {
    var (kept, notes) = (self, [String]())
    if ending != "png", !chunks.isEmpty {
      kept.chunks = []
      let names = chunks.map(\.name).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
      notes.append("dropped \(names.joined(separator: ", ")): .\(ending) files cannot hold PNG chunks")
      notes += warnings(for: ending)
    } else if let source {
      kept.chunks = chunks.filter { chunk in
        guard let reason = chunk.mismatch(with: shape, from: source) else { return true }
        notes.append("dropped \(chunk.name): \(reason)")
        return false
      }
    }
    // A maximum value below 255 is not kept, because a blurred picture needs all 256 levels.
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
