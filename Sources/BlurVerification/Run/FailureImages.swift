import Blur

/// The images of a failed check. Only a part of each image is kept: as many pixels around the worst pixel as
/// fit into a picture.
public struct FailureImages: Sendable {
  /// The pixel format of the images. The properties `width` and `height` are the size of the whole result in
  /// pixels.
  public let format: PixelFormat
  public private(set) var width: Int, height: Int
  /// The part of the image around the worst pixel. Only the pixels in this part are kept.
  public private(set) var region: Region
  /// The components of the source, the result and the expected result within ``region``, row by row and in
  /// the format's own units. Each array is nil if its image is not known.
  public private(set) var source: [Double]?, result: [Double]?, expected: [Double]?

  private static let mostColumns = 160, mostRows = 120

  /// Keeps the part of the images around the pixel with the largest error. The source is left out if its size
  /// differs from the size of the result. The initializer returns nil if both the result and the source are
  /// nil.
  init?(source: Image?, result: Image?, expected: Image?, around place: Deviation?) {
    guard let layout = (result ?? source)?.layout else { return nil }
    self.init(layout, place, rows: 0..<layout.height)
    (self.source, self.result, self.expected) = (part(of: source), part(of: result), part(of: expected))
  }

  /// Keeps the part of the images around the pixel with the largest error. If `truth`, the correct result,
  /// was computed only for some rows, the part is limited to consecutive rows that were computed.
  init(source: Image, result: Image, truth: Truth, around place: Deviation) {
    let rows = Dictionary(uniqueKeysWithValues: zip(truth.rows, truth.rows.indices))
    let y = rows[place.y] == nil ? truth.rows.first ?? 0 : place.y
    let first = (0..<y).reversed().first { rows[$0] == nil }.map { $0 + 1 } ?? 0
    let end = (y..<truth.layout.height).first { rows[$0] == nil } ?? truth.layout.height
    self.init(truth.layout, place, rows: first..<end)
    (self.source, self.result) = (part(of: source), part(of: result))
    let (components, count) = (self.components, truth.layout.rowComponents)
    let values = region.rows.flatMap { y in components.map { truth.values[(rows[y] ?? 0) * count + $0] } }
    // If the correct value is NaN or infinite, every result is accepted, so the result itself counts as
    // expected.
    expected = zip(values, self.result ?? values).map { $0.isFinite ? truth.layout.format.stored($0) : $1 }
  }

  private init(_ layout: ImageLayout, _ place: Deviation?, rows: Range<Int>) {
    func start(_ middle: Int, _ count: Int, in range: Range<Int>) -> Int {
      max(range.lowerBound, min(middle - count / 2, range.upperBound - count))
    }
    (format, width, height) = (layout.format, layout.width, layout.height)
    let (columns, lines) = (min(width, Self.mostColumns), min(rows.count, Self.mostRows))
    region = Region(
      x: start(place?.x ?? 0, columns, in: 0..<width), y: start(place?.y ?? 0, lines, in: rows),
      width: columns, height: lines)
  }

  private var components: Range<Int> {
    region.columns.lowerBound * format.channels..<region.columns.upperBound * format.channels
  }

  private func part(of image: Image?) -> [Double]? {
    guard let image, (image.layout.width, image.layout.height) == (width, height) else { return nil }
    let (components, region) = (components, region)
    return image.withView { view in region.rows.flatMap { y in components.map { view.value($0, y) } } }
  }

  /// A copy in which the rows and columns of all images are exchanged.
  var transposed: FailureImages {
    func transposed(_ values: [Double]?) -> [Double]? {
      guard let values else { return nil }
      let (channels, columns) = (format.channels, region.width)
      return (0..<columns).flatMap { x in
        (0..<region.height).flatMap { y in (0..<channels).map { values[(y * columns + x) * channels + $0] } }
      }
    }
    var copy = self
    (copy.width, copy.height) = (height, width)
    copy.region = Region(x: region.y, y: region.x, width: region.height, height: region.width)
    (copy.source, copy.result) = (transposed(source), transposed(result))
    copy.expected = transposed(expected)
    return copy
  }

  /// The error of each component of the result, in levels. The error is infinite if either the result or the
  /// expected value is NaN, but not both. The array is nil if the result or the expected result is not known.
  public var errors: [Double]? {
    guard let result, let expected else { return nil }
    return zip(result, expected).map { result, expected in
      if result.isSame(as: expected) { return 0 }
      let error = abs(result - expected) / format.fullScale * 255
      return error.isNaN ? .infinity : error
    }
  }
}

extension Check {
  /// The images for a picture of the failure, or nil if no image is known.
  ///
  /// If the check ended before it had a result, the test image is the only image. It is generated again if
  /// its kind and size are known.
  public var images: FailureImages? {
    guard case .failed(let finding) = outcome else { return nil }
    if let images = finding.images { return images }
    guard let sample = subject.image,
      let layout = try? ImageLayout(subject.format, width: sample.width, height: sample.height)
    else { return nil }
    let source = try? sample.kind.image(layout, seed: SampleImage.seed)
    return FailureImages(source: source, result: nil, expected: nil, around: nil)
  }

  /// A copy of the check without images. Keeping the images of many failures would take too much memory.
  var withoutImages: Check {
    guard case .failed(var finding) = outcome else { return self }
    finding.images = nil
    return Check(kernel: kernel, property: property, subject: subject, outcome: .failed(finding))
  }
}
