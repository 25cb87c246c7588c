import Blur
import BlurFiles
import BlurRecords
import BlurText
import BlurVerification
import Foundation

/// An 8-bit picture of a failed check, with the source, the expected result, the actual result, and the
/// difference between the two results. It is made from images that the check has kept, so nothing is blurred
/// again.
public struct FailurePicture {
  private let check: Check
  private let images: FailureImages
  /// The range of values to draw. Its lower end is drawn as black, and its upper end as white.
  private let range: ClosedRange<Double>

  /// Creates the picture of a failed check, or returns nil if the check kept no images.
  public init?(_ check: Check) {
    guard let images = check.images else { return nil }
    (self.check, self.images) = (check, images)
    range = Self.range(of: images)
  }

  /// A line of text that says which part of the image is shown, and which values are drawn as black and
  /// white.
  public var note: String {
    let (region, size) = (images.region, "\(images.width)x\(images.height)")
    let part =
      region.width == images.width && region.height == images.height
      ? "the whole \(size) image"
      : "the \(region.width)x\(region.height) pixels at x \(region.x), y \(region.y) of a \(size) image"
    let depth = images.format.component == .uint8 ? "" : ", \(scale)"
    let nothing = images.result == nil ? ", without a result" : ""
    return part + depth + nothing + (hasStrange ? ", NaN and infinity in magenta" : "")
  }

  /// Writes the picture into a folder, which is created if it does not exist.
  ///
  /// - Parameter origin: A text that distinguishes kernels with the same name, such as the path of a plug-in.
  ///   The text may be empty.
  /// - Returns: The path of the file.
  /// - Throws: ``BlurRecords/MeasurementError/file(path:reason:)``, ``BlurFiles/ImageFileError`` and
  ///   ``Blur/BlurError``.
  public func write(to folder: String, origin: String = "") throws -> String {
    try TextFile.makeFolder(folder)
    let path = URL(filePath: folder).appending(path: name(origin)).relativePath
    try ImageFile.write(Picture(try drawn()), to: path)
    return path
  }

  /// Writes the picture of a check into a folder. Returns the picture's path and a note about its contents.
  /// If there is no picture, the path is nil and the note gives the reason.
  public static func written(
    _ check: Check, to folder: String, origin: String
  ) throws -> (path: String?, note: String) {
    guard let picture = FailurePicture(check) else { return (nil, "no wrong pixel is known") }
    return (try picture.write(to: folder, origin: origin), picture.note)
  }

  /// Returns a picture with the source, the expected result and the actual result side by side, and the
  /// difference below the actual result. Images that the check did not keep are left out.
  func drawn() throws(BlurError) -> Image {
    let layout = try ImageLayout(.rgb8, width: images.region.width, height: images.region.height)
    let pictures = [("source", images.source), ("expected", images.expected)].filter { $1 != nil }
    var sheet = try StripSheet(of: layout, columns: pictures.count + 1)
    for (column, (name, values)) in pictures.enumerated() {
      try sheet.put(try shown(values ?? [], layout), name, column: column, row: 0)
    }
    if !pictures.isEmpty {
      try sheet.put(nil, "from x \(images.region.x), y \(images.region.y)", column: 0, row: 1)
    }
    if pictures.count > 1 { try sheet.put(nil, scale, column: 1, row: 1) }
    guard let result = images.result else {
      try sheet.put(nil, "no result", column: pictures.count, row: 0)
      return sheet.image
    }
    try sheet.put(try shown(result, layout), check.kernel.name, column: pictures.count, row: 0)
    guard let errors = images.errors else { return sheet.image }
    let difference = try PictureDifference(errors, images.format.channels, layout)
    try sheet.put(
      difference.isNone ? nil : difference.picture, difference.caption, column: pictures.count, row: 1)
    return sheet.image
  }

  /// Returns an opaque picture of the values, from black at the lower end of the drawn range to white at its
  /// upper end. Pixels with NaN or infinite components are magenta.
  private func shown(_ values: [Double], _ layout: ImageLayout) throws(BlurError) -> Image {
    let channels = images.format.channels
    let width = range.upperBound - range.lowerBound
    var bytes: [UInt8] = []
    for start in stride(from: 0, to: values.count, by: channels) {
      let pixel = values[start..<start + channels]
      let isStrange = pixel.contains { !$0.isFinite }
      bytes += (0..<3).map { c in
        if isStrange { return c == 1 ? 0 : 255 }
        let share = (pixel[start + min(c, channels - 1)] - range.lowerBound) / width
        return UInt8(max(0, min(255, (255 * share).rounded())))
      }
    }
    return try Image(layout, copying: bytes.span.bytes)
  }

  private var scale: String {
    let ends = [range.lowerBound, range.upperBound].map { end in
      end == end.rounded() && abs(end) < 1e6 ? end.short : end.threeDigits
    }
    return "black is \(ends[0]), white is \(ends[1])"
  }

  private var hasStrange: Bool {
    [images.source, images.expected, images.result].contains { $0?.contains { !$0.isFinite } == true }
  }

  /// Returns the range of values to draw, from black to white. For integer formats, it is the range from 0 to
  /// full scale. For float formats, the range from 0 to 1 is extended so that it contains all source and
  /// expected values.
  private static func range(of images: FailureImages) -> ClosedRange<Double> {
    let full = images.format.fullScale
    guard images.format.component == .float32 else { return 0...full }
    let values = [images.source, images.expected].flatMap { ($0 ?? []).filter(\.isFinite) }
    return min(values.min() ?? 0, 0)...max(values.max() ?? full, full)
  }

  private func name(_ origin: String) -> String {
    let subject = check.subject
    let words =
      [
        check.kernel.name, check.property.name, subject.format.rawValue,
        "sigma\(subject.sigma.x)x\(subject.sigma.y)", subject.edgeName,
        subject.instructionSet.name,
      ] + (check.property.choosesThreads ? [] : ["threads\(subject.threads)"])
      + (subject.image.map { ["\($0.width)x\($0.height)", $0.kind.rawValue] } ?? [])
      + (origin.isEmpty ? [] : [FNV1a(of: origin).digits])
    // The names of kernels are untrusted. Slashes are replaced, so that a name cannot lead to another folder.
    return words.joined(separator: "-").split(separator: "/").joined(separator: "_") + ".png"
  }
}
