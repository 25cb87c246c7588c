import Blur
import Foundation

/// The largest difference between a result and what it should be, and where it is.
public struct Deviation: Sendable, Hashable {
  /// The largest difference in levels: 1/255 of full scale, for every format.
  public var maxLevels: Double
  /// The column, row and channel of the largest difference.
  public var x: Int, y: Int, channel: Int
  /// The image's size; 0x0 where that is not known.
  var width = 0, height = 0
  /// Whether what is there, or should be, is NaN: ``maxLevels`` is infinite then.
  var isNaN = false
  /// Peak signal to noise ratio in dB against full scale; infinite when nothing differs.
  public var psnr: Double

  /// Makes a deviation; by default none at all.
  public init(maxLevels: Double = 0, x: Int = 0, y: Int = 0, channel: Int = 0, psnr: Double = .infinity) {
    (self.maxLevels, self.x, self.y, self.channel, self.psnr) = (maxLevels, x, y, channel, psnr)
  }

  /// "3 levels at x 4, y 5, channel 0 of 37x29"; "NaN at …".
  public var description: String {
    let amount = isNaN ? "NaN" : maxLevels.isFinite ? maxLevels.inLevels : "infinity"
    return "\(amount) at x \(x), y \(y), channel \(channel)" + (width > 0 ? " of \(width)x\(height)" : "")
  }

  /// "off the Gaussian by 3 levels at …"; "NaN at …".
  func off(_ truth: String? = nil) -> String {
    (maxLevels.isFinite ? "off " + (truth.map { $0 + " " } ?? "") + "by " : "") + description
  }

  /// Where it is in the transposed image.
  var transposed: Deviation {
    var copy = self
    (copy.x, copy.y, copy.width, copy.height) = (y, x, height, width)
    return copy
  }

  /// The largest difference between two images of the same format and size; NaN equals NaN.
  static func between(_ a: ImageView, _ b: ImageView) -> Deviation {
    var meter = DeviationMeter(a.layout)
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
    var meter = DeviationMeter(layout)
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

  init(_ layout: ImageLayout) {
    format = layout.format
    (largest.width, largest.height) = (layout.width, layout.height)
  }

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
    largest.isNaN = difference.isNaN
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
  var inLevels: String {
    let digits = String(format: "%.3g", self)
    return digits + (digits == "1" ? " level" : " levels")
  }
}
