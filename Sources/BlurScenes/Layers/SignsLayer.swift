import Blur

/// A layer of icons and text, which fades in and out.
final class SignsLayer: Layer {
  /// The icons and text, with one overlay for each orientation of the device. An overlay is nil if it is
  /// never visible in its orientation.
  private var signs: [Overlay?] = []
  private let devices: [Device]
  private let opacity: (Int) -> Double
  private let height: ((Int) -> Double)?
  private let turning: Transition?
  /// The icons and text while they move from their place on the old screen to their place on the rotated
  /// screen. The value is nil in frames in which they do not move.
  private var turningSigns: Overlay?

  /// Draws the icons and text of a layer.
  ///
  /// - Parameters:
  ///   - opacity: A closure that returns the opacity in a frame.
  ///   - height: A closure that returns the height of the bar that carries the icons and text. The argument
  ///     is the index of a frame, and the height is in points. Anything that extends below the bar is cut
  ///     off. Pass nil to cut nothing off.
  ///   - turning: The transition that moves the icons and text to their new places after the device was
  ///     rotated, or nil if they appear there at once.
  ///   - draw: A closure that draws the icons and text for one orientation of the device.
  init(
    _ scene: Scene, _ stage: Stage, opacity: @escaping (Int) -> Double, height: ((Int) -> Double)? = nil,
    turning: Transition? = nil, draw: (Device) throws(BlurError) -> Overlay
  ) throws(BlurError) {
    devices = scene.orientations(of: stage.device)
    for (orientation, device) in devices.enumerated() {
      let isVisible = (0..<scene.frames).contains { scene.orientation($0) == orientation && opacity($0) > 0 }
      signs.append(isVisible ? try draw(device) : nil)
    }
    self.opacity = opacity
    self.height = height
    self.turning = turning
  }

  func prepare(_ frame: Frame) throws(BlurError) {
    turningSigns = nil
    guard frame.orientation == 1, let turning, turning.progress(frame.number) < 1, let old = signs[0],
      let new = signs[1]
    else { return }
    turningSigns = try old.becoming(
      new, turning.progress(frame.number), from: devices[0].layout, to: devices[1].layout)
  }

  func draw(_ frame: Frame, over content: Image, in screen: inout Image) throws(BlurError) {
    let opacity = opacity(frame.number)
    guard opacity > 0, let signs = turningSigns ?? signs[frame.orientation] else { return }
    var region = devices[frame.orientation].bounds
    if let height { region = devices[frame.orientation].bar(height: height(frame.number)) }
    try screen.withMutableView { (screen) throws(BlurError) in
      signs.draw(onto: try screen.cropped(to: region), opacity: opacity)
    }
  }

  /// Returns the part of the screen that lies above the icons and text in every orientation of the device.
  func clear(_ frame: Frame) -> Region? {
    let height = signs.compactMap { $0?.y }.min() ?? 0
    return height > 0 ? Region(x: 0, y: 0, width: devices[frame.orientation].width, height: height) : nil
  }
}
