/// How one pixel is stored: the number of channels and the type of each component.
///
/// Components are interleaved and in native byte order. `rgba…` formats hold premultiplied alpha, so that
/// blurring never mixes the hidden colour of transparent pixels into visible ones;
/// ``Image/premultiply()`` converts straight alpha.
///
/// Cases stand in the order of their numbers in C, see ``code``: a new one goes to the end.
public enum PixelFormat: String, CaseIterable, Sendable {
  /// One channel, or red, green, blue and premultiplied alpha, of 8 bits each. Which colour is where does not
  /// matter to a blur: BGRA is `rgba8` too.
  case gray8, rgba8
  /// The same of 16 bits each.
  case gray16, rgba16
  /// The same of floats.
  case grayf32, rgbaf32
  /// Red, green and blue, without padding, of 8 bits, 16 bits or floats each.
  case rgb8, rgb16, rgbf32

  /// Interleaved components per pixel: 1, 3 or 4.
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

  /// The format of that many components of that type; nil where there is none.
  public init?(channels: Int, _ component: Component) {
    guard let format = Self.allCases.first(where: { $0.channels == channels && $0.component == component })
    else { return nil }
    self = format
  }

  /// The format of as many components of another type: every number of channels has all types.
  package func with(_ component: Component) -> PixelFormat {
    PixelFormat(channels: channels, component) ?? self
  }

  /// The format's number in `blur.h` and `blur_plugin.h`.
  public var code: Int { Self.allCases.prefix { $0 != self }.count }

  /// Whether the last component of a pixel is alpha.
  public var hasAlpha: Bool { channels == 4 }

  /// Bytes from one pixel to the next in a row.
  public var bytesPerPixel: Int { channels * component.bytes }

  /// The component value that stands for white: 255, 65535 or 1.
  public var fullScale: Double {
    switch component {
    case .uint8: 255
    case .uint16: 65535
    case .float32: 1
    }
  }

  /// The storage type of one component.
  public enum Component: Sendable {
    case uint8, uint16, float32

    /// Bytes per component: 1, 2 or 4.
    public var bytes: Int {
      switch self {
      case .uint8: 1
      case .uint16: 2
      case .float32: 4
      }
    }
  }
}
