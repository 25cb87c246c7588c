import Blur

/// A device on whose screen scenes are played.
public struct Device: Hashable, Sendable, Encodable {
  /// The stable name of the device, such as `phone-3x`.
  public let name: String
  /// The size of the screen in pixels, in the device's usual orientation.
  public let width: Int, height: Int
  /// The number of pixels per point.
  public let scale: Double

  /// Creates a device.
  ///
  /// - Throws: ``Blur/BlurError/invalidLayout(_:)`` if no image can have this size, or if the scale is
  ///   outside 0.1…10.
  public init(_ name: String, width: Int, height: Int, scale: Double) throws(BlurError) {
    _ = try ImageLayout(.rgba8, width: width, height: height)
    guard (0.1...10).contains(scale) else {
      throw .invalidLayout("scale \(scale): must be from 0.1 to 10 pixels per point")
    }
    self.init(known: name, width, height, scale)
  }

  private init(known name: String, _ width: Int, _ height: Int, _ scale: Double) {
    self.name = name
    self.width = width
    self.height = height
    self.scale = scale
  }

  /// The kinds of devices that scenes are measured on.
  public static let all = [
    Device(known: "phone-2x", 750, 1334, 2),
    Device(known: "phone-3x", 1179, 2556, 3),
    Device(known: "tablet-2x", 1668, 2388, 2),
    Device(known: "desktop-4k", 3840, 2160, 2),
  ]

  /// Returns the device with the given name, or nil if there is none.
  public static func named(_ name: String) -> Device? { all.first { $0.name == name } }

  /// The same device, turned by 90 degrees.
  var turned: Device { Device(known: name, height, width, scale) }
  /// The device in landscape orientation, so that the screen is at least as wide as it is high.
  var wide: Device { width >= height ? self : turned }

  /// Returns an rgba8 image that fills the screen.
  ///
  /// - Throws: ``Blur/BlurError/outOfMemory(bytes:)``.
  func image() throws(BlurError) -> Image { try Image(layout) }

  /// The layout of an image that fills the screen.
  var layout: ImageLayout {
    get throws(BlurError) { try ImageLayout(.rgba8, width: width, height: height) }
  }

  /// The whole screen in pixels.
  var bounds: Region { Region(x: 0, y: 0, width: width, height: height) }

  /// Returns the part of the screen that a bar at the top covers. The height of the bar is in points.
  func bar(height: Double) -> Region {
    Region(x: 0, y: 0, width: width, height: min(self.height, max(1, pixels(height))))
  }

  /// The whole screen as a box in points.
  var box: Box { Box(0, 0, Double(width) / scale, Double(height) / scale) }

  /// Returns a length in points as a whole number of pixels.
  func pixels(_ points: Double) -> Int { Int((points * scale).rounded()) }
}

/// A rectangle in points.
struct Box: Hashable {
  var x: Double, y: Double, width: Double, height: Double

  init(_ x: Double, _ y: Double, _ width: Double, _ height: Double) {
    (self.x, self.y, self.width, self.height) = (x, y, width, height)
  }

  /// Returns the rectangle, reduced by a margin on each side.
  func inset(_ margin: Double) -> Box {
    Box(x + margin, y + margin, width - 2 * margin, height - 2 * margin)
  }
}
