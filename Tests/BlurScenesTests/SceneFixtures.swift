import Blur
import Foundation
import Testing

@testable import BlurScenes

extension Device {
  /// A small screen that shows as much content as a real one, because a pixel is four points wide.
  static let tiny = Device(name: "tiny", width: 96, height: 128, scale: 0.25)

  /// The device in portrait orientation.
  var tall: Device { wide.turned }
}

extension Image {
  /// Returns the bytes of a row, without padding.
  func row(_ y: Int) -> [UInt8] {
    withView { view in [UInt8](UnsafeRawBufferPointer(start: view.unsafeRow(y), count: layout.rowBytes)) }
  }

  /// The bytes of all pixels, without padding.
  var bytes: [UInt8] { (0..<layout.height).flatMap { row($0) } }

  /// Returns the four bytes of a pixel.
  func pixel(_ x: Int, _ y: Int) -> [UInt8] {
    withView { view in (0..<4).map { view.unsafeRow(y).load(fromByteOffset: 4 * x + $0, as: UInt8.self) } }
  }

  /// Returns the largest difference between corresponding bytes, or 256 if the images have different sizes.
  func largestDifference(from other: Image) -> Int {
    guard (layout.width, layout.height) == (other.layout.width, other.layout.height) else { return 256 }
    return zip(bytes, other.bytes).map { abs(Int($0) - Int($1)) }.max() ?? 0
  }

  /// Returns an image of the device's size with what `draw` draws into it.
  static func drawn(_ device: Device, _ draw: (MutableImageView) -> Void) throws -> Image {
    var image = try device.image()
    image.withMutableView(draw)
    return image
  }

  /// Returns this screen with an effect over all of it. Makes a new plan for each call.
  func under(
    _ effect: BackdropEffect, on device: Device, precision: Stage.Precision = .bytes
  ) throws -> Image {
    var result = try Image(layout)
    let plan = try EffectPlan(effect, for: layout, scale: device.scale, precision: precision)
    try withViews(into: &result) { (from, to) throws(BlurError) in try plan.apply(to: from, into: to) }
    return result
  }
}

extension EffectPlan {
  /// Plans an effect for images of one layout, as if they were a whole screen.
  convenience init(
    _ effect: BackdropEffect, for layout: ImageLayout, scale: Double, region: Region? = nil,
    kernel: Kernel? = nil, isa: InstructionSet = .best, threads: Int = 1,
    precision: Stage.Precision = .bytes
  ) throws {
    let device = Device(name: "any", width: layout.width, height: layout.height, scale: scale)
    try self.init(
      effect, for: layout, region: region,
      Stage(device, kernel: kernel, isa: isa, threads: threads, precision: precision))
  }
}

extension ScenePlayer {
  /// Makes a player of a scene, on the tiny screen unless another device is named.
  convenience init(
    _ scene: Scene, on device: Device = .tiny, kernel: Kernel? = nil, threads: Int = 1, seed: UInt64 = 1,
    reduceTransparency: Bool = false, isIsolated: Bool = true, precision: Stage.Precision = .bytes
  ) throws {
    try self.init(
      scene,
      Stage(
        device, kernel: kernel, threads: threads, seed: seed, reduceTransparency: reduceTransparency,
        isIsolated: isIsolated, precision: precision))
  }

  /// Plays the scene, and returns the screens of all frames.
  func all() throws -> [Image] { try (0..<scene.frames).map { try shown($0) } }
}

extension Overlay {
  /// Returns whether an icon or a letter covers the pixel at (x, y), at least partly.
  func covers(x: Int, y: Int) -> Bool { runs.contains { $0.y == y && $0.x.contains(x) } }
}

/// Returns a function that tells whether a pixel lies outside the modal form, which is the dialog with input
/// fields in the middle of the screen.
func aroundForm(on device: Device) -> (Int, Int) -> Bool {
  let size = Form.size(on: device)
  let (width, height) = (device.pixels(size.width), device.pixels(size.height))
  let (left, top) = ((device.width - width) / 2, (device.height - height) / 2)
  return { x, y in !(left..<left + width).contains(x) || !(top..<top + height).contains(y) }
}
