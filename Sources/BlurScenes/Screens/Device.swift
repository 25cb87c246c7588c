import Blur

/// A screen that scenes play on.
public struct Device: Hashable, Sendable {
  /// The stable name, such as `phone-3x`.
  public let name: String
  /// Pixels across and down, held as it mostly is.
  public let width: Int, height: Int
  /// Pixels of a point.
  public let scale: Double

  /// Describes a screen.
  ///
  /// - Throws: ``Blur/BlurError/invalidLayout(_:)`` for sides that no image has, or a scale outside 0.1…10.
  public init(_ name: String, width: Int, height: Int, scale: Double) throws(BlurError) {
    _ = try ImageLayout(.rgba8, width: width, height: height)
    guard (0.1...10).contains(scale) else {
      throw .invalidLayout("scale \(scale): must be from 0.1 to 10 pixels of a point")
    }
    self.init(known: name, width, height, scale)
  }

  private init(known name: String, _ width: Int, _ height: Int, _ scale: Double) {
    self.name = name
    self.width = width
    self.height = height
    self.scale = scale
  }

  /// The device classes that scenes are measured on.
  public static let all = [
    Device(known: "phone-2x", 750, 1334, 2),
    Device(known: "phone-3x", 1179, 2556, 3),
    Device(known: "tablet-2x", 1668, 2388, 2),
    Device(known: "desktop-4k", 3840, 2160, 2),
  ]

  /// The device of that name, or nil.
  public static func named(_ name: String) -> Device? { all.first { $0.name == name } }

  /// Held the other way: turned by a quarter.
  public var turned: Device { Device(known: name, height, width, scale) }
  /// Held so that it is at least as wide as high.
  public var wide: Device { width >= height ? self : turned }
  /// Held so that it is at least as high as wide.
  public var tall: Device { width >= height ? turned : self }

  /// An image that fills the screen, in rgba8.
  ///
  /// - Throws: ``Blur/BlurError/outOfMemory(bytes:)``.
  func image() throws(BlurError) -> Image { try Image(layout) }

  /// The layout of an image that fills the screen.
  var layout: ImageLayout {
    get throws(BlurError) { try ImageLayout(.rgba8, width: width, height: height) }
  }

  /// The whole screen in points.
  var box: Box { Box(0, 0, Double(width) / scale, Double(height) / scale) }

  /// Whole pixels of a length in points.
  func pixels(_ points: Double) -> Int { Int((points * scale).rounded()) }
}

/// A rectangle in points.
struct Box: Hashable {
  var x: Double, y: Double, width: Double, height: Double

  init(_ x: Double, _ y: Double, _ width: Double, _ height: Double) {
    (self.x, self.y, self.width, self.height) = (x, y, width, height)
  }

  /// The rectangle with a margin taken off each side.
  func inset(_ margin: Double) -> Box {
    Box(x + margin, y + margin, width - 2 * margin, height - 2 * margin)
  }
}
