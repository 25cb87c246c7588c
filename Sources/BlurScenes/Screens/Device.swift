import Blur

/// A device, such as a phone, with a screen that shows scenes.
public struct Device: Hashable, Sendable, Encodable {
  /// The stable name of the device, such as `phone-3x`.
  public let name: String
  /// The size of the screen in pixels, in the device's usual orientation.
  public let width: Int, height: Int
  /// The number of pixels per point.
  public let scale: Double

  /// The devices on which scenes are measured.
  public static let all = [
    Device(name: "phone-2x", width: 750, height: 1334, scale: 2),
    Device(name: "phone-3x", width: 1179, height: 2556, scale: 3),
    Device(name: "tablet-2x", width: 1668, height: 2388, scale: 2),
    Device(name: "desktop-4k", width: 3840, height: 2160, scale: 2),
  ]

  /// Returns the device with the given name, or nil if there is none.
  public static func named(_ name: String) -> Device? { all.first { $0.name == name } }

  /// A copy of this device that is rotated by 90 degrees.
  var turned: Device { Device(name: name, width: height, height: width, scale: scale) }
  /// This device in landscape orientation, in which the screen is at least as wide as it is high.
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

  /// Converts a length in points to pixels, rounded to a whole number.
  func pixels(_ points: Double) -> Int { Int((points * scale).rounded()) }
}

/// A rectangle in points.
struct Box: Hashable {
  var x: Double, y: Double, width: Double, height: Double

  init(_ x: Double, _ y: Double, _ width: Double, _ height: Double) {
    (self.x, self.y, self.width, self.height) = (x, y, width, height)
  }

  /// Returns this rectangle, made smaller by a margin on each side.
  func inset(_ margin: Double) -> Box {
    Box(x + margin, y + margin, width - 2 * margin, height - 2 * margin)
  }
}
