import Blur
import Foundation
import Testing

@testable import BlurScenes

extension Device {
  /// A small screen that shows as much as a real one: four points for each pixel.
  static let tiny = try! Device("tiny", width: 96, height: 128, scale: 0.25)
}

extension Image {
  /// The bytes of a row.
  func row(_ y: Int) -> [UInt8] {
    withView { view in [UInt8](UnsafeRawBufferPointer(start: view.row(y), count: layout.rowBytes)) }
  }

  /// All bytes of the pixels.
  var bytes: [UInt8] { (0..<layout.height).flatMap { row($0) } }

  /// The bytes of a pixel.
  func pixel(_ x: Int, _ y: Int) -> [UInt8] {
    withView { view in (0..<4).map { view.row(y).load(fromByteOffset: 4 * x + $0, as: UInt8.self) } }
  }

  /// The largest difference of a byte.
  func largestDifference(from other: Image) -> Int {
    guard (layout.width, layout.height) == (other.layout.width, other.layout.height) else { return 256 }
    return zip(bytes, other.bytes).map { abs(Int($0) - Int($1)) }.max() ?? 0
  }

  /// An image of a device's size that `draw` has drawn.
  static func drawn(_ device: Device, _ draw: (MutableImageView) -> Void) throws -> Image {
    var image = try device.image()
    image.withMutableView(draw)
    return image
  }

  /// The whole of this screen under an effect, by a plan of its own.
  func under(_ effect: BackdropEffect, on device: Device) throws -> Image {
    var result = try Image(layout)
    let plan = try EffectPlan(effect, for: layout, scale: device.scale)
    try withView { (from) throws(BlurError) in
      try result.withMutableView { (to) throws(BlurError) in try plan.apply(to: from, into: to) }
    }
    return result
  }
}

extension ScenePlayer {
  /// A scene on the tiny screen.
  convenience init(
    _ scene: any Scene.Type, kernel: Kernel? = nil, threads: Int = 1, seed: UInt64 = 1,
    settings: SceneSettings = SceneSettings()
  ) throws {
    try self.init(scene, on: .tiny, kernel: kernel, threads: threads, seed: seed, settings: settings)
  }

  /// All screens in order.
  func all() throws -> [Image] { try (0..<frames).map { try shown($0) } }
}

/// The pixels around a form that are not hidden by it.
func aroundForm(on device: Device) -> (Int, Int) -> Bool {
  let size = Form.size(on: device)
  let (width, height) = (device.pixels(size.width), device.pixels(size.height))
  let (left, top) = ((device.width - width) / 2, (device.height - height) / 2)
  return { x, y in !(left..<left + width).contains(x) || !(top..<top + height).contains(y) }
}
