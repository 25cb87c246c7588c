/// The format of a pixel: the number of channels and the type of each component.
///
/// Components are interleaved and in native byte order. The `rgba…` formats hold premultiplied alpha, so that
/// blurring never mixes the hidden colour of transparent pixels into visible ones. An ``ImageLayout`` can say
/// that alpha is straight, that all pixels are opaque, or that the channels have a different order.
///
/// The C interface refers to a case by its index (see `code`), so a new case must go to the end.
public enum PixelFormat: String, CaseIterable, Sendable {
  /// One gray channel, or red, green, blue and alpha, with 8 bits each.
  case gray8, rgba8
  /// One gray channel, or red, green, blue and alpha, with 16 bits each.
  case gray16, rgba16
  /// One gray channel, or red, green, blue and alpha, each a 32-bit float. White is 1. For images with
  /// another range of values, see ``ErrorBound/difference(_:ofFullScale:)``.
  case grayf32, rgbaf32
  /// Red, green and blue without padding, with 8 bits, 16 bits or a 32-bit float each.
  case rgb8, rgb16, rgbf32

  /// The number of interleaved components per pixel: 1, 3 or 4.
  public var channels: Int {
    switch self {
    case .gray8, .gray16, .grayf32: 1
    case .rgb8, .rgb16, .rgbf32: 3
    case .rgba8, .rgba16, .rgbaf32: 4
    }
  }

  /// The type of each component.
  public var component: Component {
    switch self {
    case .gray8, .rgb8, .rgba8: .uint8
    case .gray16, .rgb16, .rgba16: .uint16
    case .grayf32, .rgbf32, .rgbaf32: .float32
    }
  }

  /// Creates the format that has the given number of components per pixel, of the given type. Returns nil if
  /// there is no such format.
  public init?(channels: Int, _ component: Component) {
    guard let format = Self.allCases.first(where: { $0.channels == channels && $0.component == component })
    else { return nil }
    self = format
  }

  /// Returns the format that has as many channels as this one, and components of the given type. There always
  /// is such a format, because each component type comes with one, three and four channels.
  package func with(_ component: Component) -> PixelFormat {
    PixelFormat(channels: channels, component) ?? self
  }

  /// The number that stands for this format in the C headers `blur.h` and `blur_plugin.h`.
  package var code: Int { Self.allCases.prefix { $0 != self }.count }

  /// Whether a pixel has a fourth component, which is alpha.
  public var hasAlpha: Bool { channels == 4 }

  /// The number of bytes from one pixel to the next in a row.
  public var bytesPerPixel: Int { channels * component.bytes }

  /// The component value that stands for white: 255, 65535 or 1. Float images may use another value for
  /// white, because the errors of a blur scale with the values; see
  /// ``ErrorBound/difference(_:ofFullScale:)``. However, alpha must be from 0 to 1, and ``LinearLight``
  /// treats 1 as white.
  public var fullScale: Double {
    switch component {
    case .uint8: 255
    case .uint16: 65535
    case .float32: 1
    }
  }

  /// The type in which a component is stored.
  public enum Component: Sendable {
    case uint8, uint16, float32

    /// The number of bytes per component: 1, 2 or 4.
    public var bytes: Int {
      switch self {
      case .uint8: 1
      case .uint16: 2
      case .float32: 4
      }
    }
  }
}
