import Blur
import Foundation

/// A cache of test images, correct results and blurs that have already been computed. Checks that differ only
/// in their instruction set and number of threads share a cache.
///
/// Only one thread at a time may use an instance.
final class SharedWork: @unchecked Sendable {
  private var judges: [(image: Image, sigma: Sigma, edge: EdgeMode, rows: [Int]?, judge: Judge)] = []
  private var results: [(image: Image, subject: Subject, thresholds: Thresholds, result: Image)] = []

  /// Decides which check makes the long series of blurs. All checks of one property and one kernel share this
  /// object.
  let longSeries: LongSeries
  /// A closure that a check with very many blurs calls for each blur, to show that the check does not hang.
  var progresses: () -> Void = {}

  private var images: [(kind: TestImage, layout: ImageLayout, seed: UInt64, image: Image)] = []

  typealias SubjectResult = (subject: Subject, result: Image)

  /// Creates an empty cache.
  init(_ longSeries: LongSeries = LongSeries()) { self.longSeries = longSeries }

  /// Returns a test image. Each image is generated only once, because generating it takes longer than
  /// blurring it.
  func image(_ kind: TestImage, _ layout: ImageLayout, seed: UInt64) throws -> Image {
    if let known = images.first(where: { $0.kind == kind && $0.layout == layout && $0.seed == seed }) {
      return known.image
    }
    let image = try kind.image(layout, seed: seed)
    images.append((kind, layout, seed, image))
    return image
  }

  /// Returns a ``Judge``, which compares blurs of `image` with the correct result. The judge is cached for
  /// later calls with the same arguments, so that the correct result is computed only once.
  func judge(_ image: Image, _ sigma: Sigma, _ edge: EdgeMode, rows: [Int]? = nil) -> Judge {
    if let known = judges.first(where: {
      $0.sigma == sigma && $0.edge == edge && $0.rows == rows && $0.image.layout == image.layout
        && $0.image == image
    }) {
      return known.judge
    }
    let judge = Judge(image, sigma: sigma, edge: edge, rows: rows)
    judges.append((image, sigma, edge, rows, judge))
    return judge
  }

  /// Returns earlier results for a comparison with `result`: blurs of the same image with the same sigma,
  /// edge mode and thresholds, but with a different instruction set or number of threads. Also stores
  /// `result` for later comparisons.
  func otherResults(
    _ image: Image, _ subject: Subject, _ thresholds: Thresholds, _ result: Image
  ) -> [SubjectResult] {
    let others = results.filter {
      $0.subject.sigma == subject.sigma && $0.subject.edge == subject.edge
        && $0.thresholds == thresholds && $0.image.layout == image.layout && $0.image == image
    }
    results.append((image, subject, thresholds, result))
    return others.map { ($0.subject, $0.result) }
  }
}
