import Blur
import BlurImageIO
import BlurRecords
import BlurText
import BlurVerification
import Foundation

/// The picture of a failed check: what was blurred, what should have come out, what did, and the difference,
/// in 8 bits. Nothing is blurred for it.
public struct FailurePicture {
  private let check: Check
  private let images: FailureImages
  /// What is black and white.
  private let range: ClosedRange<Double>

  /// Takes the images of a failed check; nil where none is known.
  public init?(_ check: Check) {
    guard let images = check.images else { return nil }
    (self.check, self.images) = (check, images)
    range = Self.range(of: images)
  }

  /// One line: which part of which image is shown, and how.
  public var note: String {
    let (region, size) = (images.region, "\(images.width)x\(images.height)")
    let part =
      region.width == images.width && region.height == images.height
      ? "all of \(size)"
      : "\(region.width)x\(region.height) pixels from x \(region.x), y \(region.y) of \(size)"
    let depth = images.format.component == .uint8 ? "" : ", \(scale)"
    let nothing = images.result == nil ? ", without a result" : ""
    return part + depth + nothing + (hasStrange ? ", no number in magenta" : "")
  }

  /// Writes the picture into a folder, which is made if it is not there.
  ///
  /// - Parameter origin: what tells kernels of one name apart, such as the path of a plug-in; or empty.
  /// - Returns: the path of the file.
  /// - Throws: ``BlurRecords/MeasurementError/file(path:reason:)``, ``BlurImageIO/ImageFileError`` and
  ///   ``Blur/BlurError``.
  public func write(to folder: String, origin: String = "") throws -> String {
    do { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) } catch {
      throw MeasurementError.file(path: folder, reason: "cannot be made: \(error.localizedDescription)")
    }
    let path = URL(filePath: folder).appending(path: name(origin)).relativePath
    try ImageFile.write(Picture(try drawn()), to: path)
    return path
  }

  /// Writes the picture of a check, if there is one: its path, and what it shows, or why there is none.
  public static func written(
    _ check: Check, to folder: String, origin: String
  ) throws -> (path: String?, note: String) {
    guard let picture = FailurePicture(check) else { return (nil, "no wrong pixel is known") }
    return (try picture.write(to: folder, origin: origin), picture.note)
  }

  /// The strip: source, truth and result, as far as they are known; below the result, its difference.
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

  /// Values as a picture without alpha; what is no number is magenta.
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
    return "\(ends[0]) to \(ends[1]) in 8 bits"
  }

  private var hasStrange: Bool {
    [images.source, images.expected, images.result].contains { $0?.contains { !$0.isFinite } == true }
  }

  /// Integers from 0 to full scale. Floats from 0 to 1, or all that should be there.
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
      + (origin.isEmpty ? [] : [Self.hash(origin)])
    // Names of kernels are untrusted: they must not act as paths.
    return words.joined(separator: "-").split(separator: "/").joined(separator: "_") + ".png"
  }

  /// FNV-1a, in hexadecimal digits.
  private static func hash(_ text: String) -> String {
    let hash = text.utf8.reduce(0x811C_9DC5 as UInt32) { ($0 ^ UInt32($1)) &* 16_777_619 }
    return String(hash, radix: 16)
  }
}
