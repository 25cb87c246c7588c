import Blur
import Foundation

/// The largest difference between a result and the expected image, and the pixel where it occurs.
public struct Deviation: Sendable, Hashable {
  /// The largest difference in levels. A level is 1/255 of full scale in every format.
  public var maxLevels: Double
  /// The column, row and channel of the largest difference.
  public var x: Int, y: Int, channel: Int
  /// The width and height of the compared image in pixels, or 0 if they are not known.
  var width = 0, height = 0
  /// A Boolean value that indicates whether either the result or the expected value is NaN at this position.
  /// In that case, ``maxLevels`` is infinite.
  var isNaN = false
  /// The peak signal-to-noise ratio in dB relative to full scale. It is infinite if the images do not differ.
  public var psnr: Double

  /// Creates a deviation. The default arguments describe two equal images.
  public init(maxLevels: Double = 0, x: Int = 0, y: Int = 0, channel: Int = 0, psnr: Double = .infinity) {
    (self.maxLevels, self.x, self.y, self.channel, self.psnr) = (maxLevels, x, y, channel, psnr)
  }

  /// The deviation in words, such as "3 levels at x 4, y 5, channel 0 of 37x29" or "NaN at …".
  public var description: String {
    let amount = isNaN ? "NaN" : maxLevels.isFinite ? maxLevels.inLevels : "infinity"
    return "\(amount) at x \(x), y \(y), channel \(channel)" + (width > 0 ? " of \(width)x\(height)" : "")
  }

  /// Returns the deviation in words for an error message, such as "off the Gaussian by 3 levels at …" or "NaN
  /// at …".
  ///
  /// - Parameter truth: The name of the reference that the result was compared with, such as "the Gaussian".
  func off(_ truth: String? = nil) -> String {
    (maxLevels.isFinite ? "off " + (truth.map { $0 + " " } ?? "") + "by " : "") + description
  }

  /// A copy of the deviation for the transposed image, with the column and the row of its position exchanged.
  var transposed: Deviation {
    var copy = self
    (copy.x, copy.y, copy.width, copy.height) = (y, x, height, width)
    return copy
  }

  /// Returns the largest difference between two images of the same format and size. Two NaN values count as
  /// equal.
  static func between(_ a: ImageView, _ b: ImageView) -> Deviation {
    var meter = DeviationMeter(a.layout)
    for y in 0..<a.layout.height {
      // SAFETY: both images have the same format and size, so each row holds `rowBytes` bytes in both.
      if memcmp(a.unsafeRow(y), b.unsafeRow(y), a.layout.rowBytes) == 0 {
        meter.addEqual(a.layout.rowComponents)
        continue
      }
      let (left, right) = (a.values(ofRow: y), b.values(ofRow: y))
      for i in left.indices {
        if left[i].isSame(as: right[i]) { meter.addEqual(1) } else { meter.add(left[i] - right[i], i, y) }
      }
    }
    return meter.deviation
  }

  /// Returns the largest difference between two images of the same format and size. Two NaN values count as
  /// equal.
  static func between(_ a: Image, _ b: Image) -> Deviation {
    a.withView { a in b.withView { b in between(a, b) } }
  }
}

extension Truth {
  /// Returns how much `result` differs from this correct result: the largest difference, its position, and
  /// the PSNR.
  ///
  /// Before the comparison, the correct values are rounded in 8- and 16-bit formats, but not in float
  /// formats. The PSNR always refers to the unrounded correct values. The colours of a result with straight
  /// alpha are multiplied by alpha, and differences that can come from rounding the colour and alpha do not
  /// count.
  ///
  /// Where the correct value is not finite, any value is accepted. If `result` has a different format or
  /// size, the deviation is infinite.
  ///
  /// - Parameter tieMargin: A distance in code values. A correct value that lies at most this far from the
  ///   middle between two code values may be rounded either way.
  public func deviation(of result: ImageView, tieMargin: Double = 0) -> Deviation {
    let found = result.layout
    guard (found.format, found.width, found.height) == (layout.format, layout.width, layout.height) else {
      return Deviation(maxLevels: .infinity, psnr: -.infinity)
    }
    let (isFloat, isStraight) = (layout.format.component == .float32, layout.alpha == .straight)
    var meter = DeviationMeter(layout)
    for (row, y) in rows.enumerated() {
      let stored = result.values(ofRow: y)
      let found = isStraight ? layout.blurredValues(stored) : stored
      for i in found.indices {
        let truth = values[row * found.count + i]
        guard truth.isFinite else { continue }
        let error = found[i] - truth
        let isTie = abs(abs(truth - truth.rounded(.down)) - 0.5) <= tieMargin && abs(error) <= 0.5 + tieMargin
        let visible =
          isStraight
          ? abs(error).beyond(layout.roundingOfProduct(stored, i))
          : isFloat ? error : isTie ? 0 : found[i] - layout.format.stored(truth)
        meter.add(visible, unrounded: error, same: visible == 0, i, y)
      }
    }
    return meter.deviation
  }

  /// Returns the largest difference between `result` and the unrounded correct values.
  func unroundedDeviation(of result: ImageView) -> Deviation {
    var meter = DeviationMeter(layout)
    for (row, y) in rows.enumerated() {
      for (i, value) in result.values(ofRow: y).enumerated() {
        meter.add(value - values[row * layout.rowComponents + i], same: false, i, y)
      }
    }
    return meter.deviation
  }
}

/// Accumulates the differences between two images into a ``Deviation``.
private struct DeviationMeter {
  private let format: PixelFormat
  private var largest = Deviation()
  private var squares = 0.0
  private var count = 0

  init(_ layout: ImageLayout) {
    format = layout.format
    (largest.width, largest.height) = (layout.width, layout.height)
  }

  /// Records that `values` components do not differ.
  mutating func addEqual(_ values: Int) { count += values }

  /// Records the difference between two values at component `i` of row `y`, in the format's own units.
  ///
  /// If `same` is true, the values count as equal. Otherwise, a difference of NaN counts as infinite.
  /// `unrounded` is the difference from the unrounded correct value, and is used only for the PSNR.
  mutating func add(_ difference: Double, unrounded: Double? = nil, same: Bool = false, _ i: Int, _ y: Int) {
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
  /// Returns by how much the number is larger than `limit`, or 0 if it is not larger. NaN stays NaN.
  fileprivate func beyond(_ limit: Double) -> Double { self <= limit ? 0 : self - limit }

  /// Returns whether the two numbers are equal or both are NaN.
  func isSame(as other: Double) -> Bool { self == other || (isNaN && other.isNaN) }

  /// The number as text, followed by the word "level" or "levels", such as "1 level", "0.25 levels" or "3e-05
  /// levels".
  var inLevels: String {
    let digits = String(format: "%.3g", self)
    return digits + (digits == "1" ? " level" : " levels")
  }
}
