import Blur
import Foundation

/// The curve that converts between linear light and the values that a file stores. Values are fractions of
/// full scale. Below 0, each curve is continued so that f(−x) = −f(x).
public enum TransferCurve: Equatable, Sendable {
  /// The curve of IEC 61966-2-1. It is used for every file with integer samples that does not specify another
  /// curve.
  case sRGB
  /// The stored values are proportional to light.
  case linear
  /// The stored value is light to the power of `exponent`, as in the gAMA chunk of a PNG file.
  case power(exponent: Double)
  /// The curve of ITU-R BT.709, which BT.601 and BT.2020 share.
  case bt709
  /// The curve of SMPTE ST 2084, called PQ. A light value of 1 means 10,000 cd/m².
  case pq
  /// The curve of ARIB STD-B67, called HLG. It encodes the light of the scene, not the light of a display.
  case hlg

  // The constants of PQ, from SMPTE ST 2084.
  private static let (m1, m2) = (2610.0 / 16384, 2523.0 / 32)
  private static let (c1, c2, c3) = (3424.0 / 4096, 2413.0 / 128, 2392.0 / 128)
  // The constants of HLG, from ITU-R BT.2100.
  private static let (a, b, c) = (0.17883277, 0.28466892, 0.55991073)
  // The constants of BT.709, with as many digits as in ITU-R BT.2020, so that the two parts of the curve meet
  // exactly.
  private static let (alpha, beta) = (1.09929682680944, 0.018053968510807)

  /// Converts a stored value to linear light.
  public func light(of colour: Double) -> Double {
    let size = abs(colour)
    let light: Double
    switch self {
    case .sRGB: return LinearLight.light(of: colour)
    case .linear: return colour
    case .power(let exponent): light = pow(size, 1 / exponent)
    case .bt709:
      light =
        size < 4.5 * Self.beta ? size / 4.5 : pow((size + Self.alpha - 1) / Self.alpha, 1 / 0.45)
    case .pq:
      let root = pow(size, 1 / Self.m2)
      light = pow(max(root - Self.c1, 0) / (Self.c2 - Self.c3 * root), 1 / Self.m1)
    case .hlg:
      light = size <= 0.5 ? size * size / 3 : (exp((size - Self.c) / Self.a) + Self.b) / 12
    }
    return colour < 0 ? -light : light
  }

  /// Converts linear light to a stored value.
  public func colour(of light: Double) -> Double {
    let size = abs(light)
    let colour: Double
    switch self {
    case .sRGB: return LinearLight.colour(of: light)
    case .linear: return light
    case .power(let exponent): colour = pow(size, exponent)
    case .bt709: colour = size < Self.beta ? size * 4.5 : Self.alpha * pow(size, 0.45) - (Self.alpha - 1)
    case .pq:
      let power = pow(size, Self.m1)
      colour = pow((Self.c1 + Self.c2 * power) / (1 + Self.c3 * power), Self.m2)
    case .hlg: colour = size <= 1.0 / 12 ? (3 * size).squareRoot() : Self.a * log(12 * size - Self.b) + Self.c
    }
    return light < 0 ? -colour : colour
  }

  /// Returns an error bound for a blur of linear light. If the blur keeps this bound, the stored picture is
  /// off by at most `levels` before rounding.
  ///
  /// A curve enlarges errors most where it is steepest. Most curves are steepest next to black, but a power
  /// above 1 is steepest next to white.
  ///
  /// - Parameters:
  ///   - levels: The largest allowed error of the stored picture. A level is 1/255 of full scale.
  ///   - format: The format of the picture before its conversion to linear light.
  public func bound(levels: Double, for format: PixelFormat) -> ErrorBound {
    switch self {
    case .sRGB: return LinearLight.bound(levels: levels, for: format)
    case .linear: return .levels(levels)
    default:
      let share = min(1, levels / 255)
      return .share(min(light(of: share), 1 - light(of: 1 - share)))
    }
  }

  /// Returns the largest error of the stored picture in levels, before rounding, if the blurred light is off
  /// by at most `bound`. This function is the inverse of ``bound(levels:for:)``.
  public func levels(within bound: ErrorBound, for format: PixelFormat) -> Double {
    switch self {
    case .sRGB: return LinearLight.levels(within: bound, for: format)
    case .linear: return bound.levels
    default:
      let share = min(1, bound.levels / 255)
      return 255 * max(colour(of: share), 1 - colour(of: 1 - share))
    }
  }

  /// Returns the largest error in linear light that can result if a stored value is off by `error`. Both
  /// errors are fractions of full scale.
  public func lightError(of error: Double) -> Double {
    let slope = (light(of: 1) - light(of: 1 - 1e-6)) / 1e-6
    return max(light(of: error), 1.001 * slope * error)
  }
}
