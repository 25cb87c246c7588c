import Blur
import Foundation

/// The largest difference between a result and what it should be, and where it is.
public struct Deviation: Sendable, Hashable {
  /// The largest difference in levels: 1/255 of full scale, for every format.
  public var maxLevels: Double
  /// The column, row and channel of the largest difference.
  public var x: Int, y: Int, channel: Int
  /// Peak signal to noise ratio in dB against full scale; infinite when nothing differs.
  public var psnr: Double

  /// Makes a deviation; by default none at all.
  public init(maxLevels: Double = 0, x: Int = 0, y: Int = 0, channel: Int = 0, psnr: Double = .infinity) {
    (self.maxLevels, self.x, self.y, self.channel, self.psnr) = (maxLevels, x, y, channel, psnr)
  }

  /// "3 levels at x 4, y 5, channel 0".
  public var description: String { "\(maxLevels.inLevels) at x \(x), y \(y), channel \(channel)" }

  /// The largest difference between two images of the same format and size; NaN equals NaN.
  static func between(_ a: ImageView, _ b: ImageView) -> Deviation {
    var meter = DeviationMeter(a.layout.format)
    for y in 0..<a.layout.height {
      let (left, right) = (a.values(ofRow: y), b.values(ofRow: y))
      for i in left.indices { meter.add(left[i] - right[i], same: left[i].isSame(as: right[i]), i, y) }
    }
    return meter.deviation
  }
}

extension Truth {
  /// How far `result` is from this truth.
  ///
  /// Stored 8- and 16-bit values are compared to the correctly rounded truth, float values to the truth
  /// itself, `psnr` always to the truth itself. Where the truth is not finite, anything goes; a result of
  /// another format or size deviates infinitely.
  public func deviation(of result: ImageView) -> Deviation { deviation(of: result, tieMargin: 0) }

  /// As above, but where the truth is within `tieMargin` stored units of halfway, either rounding is right.
  func deviation(of result: ImageView, tieMargin: Double) -> Deviation {
    let found = result.layout
    guard (found.format, found.width, found.height) == (layout.format, layout.width, layout.height) else {
      return Deviation(maxLevels: .infinity, psnr: -.infinity)
    }
    let isFloat = layout.format.component == .float32
    var meter = DeviationMeter(layout.format)
    for (row, y) in rows.enumerated() {
      let found = result.values(ofRow: y)
      for i in found.indices {
        let truth = values[row * found.count + i]
        guard truth.isFinite else { continue }
        let error = found[i] - truth
        let isTie = abs(abs(truth - truth.rounded(.down)) - 0.5) <= tieMargin && abs(error) <= 0.5 + tieMargin
        let visible = isFloat ? error : isTie ? 0 : found[i] - layout.format.stored(truth)
        meter.add(visible, unrounded: error, same: visible == 0, i, y)
      }
    }
    return meter.deviation
  }
}

/// Collects differences into a ``Deviation``.
struct DeviationMeter {
  private let format: PixelFormat
  private var largest = Deviation()
  private var squares = 0.0
  private var count = 0

  init(_ format: PixelFormat) { self.format = format }

  /// Adds a difference in the format's own units, found at component `i` of row `y`. A difference that is
  /// not a number counts as infinite unless the values are the `same`.
  mutating func add(_ difference: Double, unrounded: Double? = nil, same: Bool, _ i: Int, _ y: Int) {
    count += 1
    let error = same ? 0 : difference.isNaN ? .infinity : abs(difference)
    let unrounded = unrounded ?? error
    squares += unrounded.isNaN ? .infinity : unrounded * unrounded
    let levels = error / format.fullScale * 255
    guard levels > largest.maxLevels else { return }
    largest.maxLevels = levels
    (largest.x, largest.y, largest.channel) = (i / format.channels, y, i % format.channels)
  }

  var deviation: Deviation {
    var deviation = largest
    let meanSquare = squares / Double(max(count, 1)) / (format.fullScale * format.fullScale)
    deviation.psnr = meanSquare == 0 ? .infinity : -10 * log10(meanSquare)
    return deviation
  }
}

extension Double {
  /// Whether both are the same number, or both no number.
  func isSame(as other: Double) -> Bool { self == other || (isNaN && other.isNaN) }

  /// "1 level", "0.25 levels", "3e-05 levels".
  var inLevels: String { String(format: "%.3g ", self) + (self == 1 ? "level" : "levels") }
}
