import ArgumentParser
import Blur
import BlurFiles
import BlurText

/// The colour of the pixels beyond the image in `blurbench blur --edge constant`. The colour is not
/// premultiplied by alpha.
struct EdgeColour {
  /// Red, green, blue and alpha, as fractions of full scale.
  private let colour: SIMD4<Double>
  private let text: String

  /// Parses a colour such as `#ff8800`, `#ff880080` with alpha, or `1,0.5,0`.
  ///
  /// - Throws: `ValidationError` if the text is not a colour.
  init(_ text: String) throws {
    self.text = text
    guard let numbers = text.hasPrefix("#") ? Self.digits(text.dropFirst()) : Self.fractions(text) else {
      throw ValidationError(
        "--constant '\(text)': must be a colour such as #ff8800 or, with alpha, #ff880080; "
          + "or a gray such as 0.5, where 0 is black and 1 is white; "
          + "or red, green and blue such as 1,0.5,0, with alpha as an optional fourth number")
    }
    let grays = numbers.count == 1 ? [numbers[0], numbers[0], numbers[0]] : numbers
    colour = SIMD4(grays[0], grays[1], grays[2], grays.count > 3 ? grays[3] : 1)
  }

  private static func digits(_ text: Substring) -> [Double]? {
    guard text.allSatisfy(\.isHexDigit), [3, 6, 8].contains(text.count) else { return nil }
    let digits = text.compactMap { $0.hexDigitValue }
    guard digits.count > 3 else { return digits.map { Double($0) / 15 } }
    return stride(from: 0, to: digits.count, by: 2).map { Double(digits[$0] * 16 + digits[$0 + 1]) / 255 }
  }

  private static func fractions(_ text: String) -> [Double]? {
    let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map {
      Double.decimal($0.trimmingPrefix(" "))
    }
    let finite = numbers.compactMap { $0?.finite }
    return [1, 3, 4].contains(numbers.count) && finite.count == numbers.count ? finite : nil
  }

  /// Returns an image with a single pixel of this colour.
  ///
  /// - Parameters:
  ///   - format: The pixel format in which the picture is blurred.
  ///   - channels: The number of channels in the picture's file. It can be smaller than the number of
  ///     channels in `format`, because a gray picture with alpha is blurred as RGBA.
  /// - Throws: `ValidationError` if no pixel of the picture's file can have this colour.
  func pixel(_ format: PixelFormat, channels: Int) throws -> Image {
    let (red, green, blue, alpha) = (colour.x, colour.y, colour.z, colour.w)
    try require(
      channels > 2 || (red == green && green == blue),
      "--constant \(text): must be a gray such as #808080 or 0.5, because the picture is gray")
    try require(
      format.hasAlpha || alpha == 1,
      "--constant \(text): must have no alpha, because the picture has no alpha")
    let isFloat = format.component == .float32
    try require(
      [red, green, blue, alpha].allSatisfy { isFloat || (0...1).contains($0) } && (0...1).contains(alpha),
      "--constant \(text): must consist of numbers from 0 to 1, where 1 is full scale")
    var image = try Image(format, width: 1, height: 1)
    let values = [red * alpha, green * alpha, blue * alpha, alpha].prefix(format.channels)
    image.withMutableView { view in
      for (index, value) in values.enumerated() {
        // SAFETY: the row holds one pixel, and `index` is less than the number of channels in a pixel, so the
        // component is inside the row.
        let address = view.unsafeRow(0) + index * format.component.bytes
        let scaled = value * format.fullScale
        switch format.component {
        case .uint8: address.storeBytes(of: UInt8(scaled.rounded()), as: UInt8.self)
        case .uint16: address.storeBytes(of: UInt16(scaled.rounded()), as: UInt16.self)
        case .float32: address.storeBytes(of: Float(scaled), as: Float.self)
        }
      }
    }
    return image
  }
}

extension EdgeMode {
  /// Returns the constant edge mode with the colour of the first pixel of an image.
  static func constant(firstPixelOf image: Image) -> EdgeMode {
    let format = image.layout.format
    var pixel = SIMD4<Float>.zero
    image.withView { view in
      for index in 0..<format.channels {
        // SAFETY: the image has at least one pixel, and `index` is less than the number of channels in a
        // pixel, so the component is inside the first row.
        let address = view.unsafeRow(0) + index * format.component.bytes
        pixel[index] =
          switch format.component {
          case .uint8: Float(address.load(as: UInt8.self))
          case .uint16: Float(address.load(as: UInt16.self))
          case .float32: address.load(as: Float.self)
          }
      }
    }
    return .constant(pixel)
  }
}
