import Blur

/// A layer of cards that move over the screen and show a blurred version of the screen below them. All cards
/// have the same size, and they have rounded corners, icons and text.
final class CardLayer: Layer {
  /// The picture that the cards show.
  enum Backing {
    /// Each card blurs the part of the screen below it, in every frame.
    case live
    /// The whole screen is blurred once in every frame. Each card shows the part of the blurred screen that
    /// lies below the card.
    case shared
    /// In frame 0, the part of the screen over which the cards will move is blurred once. In every frame,
    /// each card shows the part of this blurred picture that lies below the card.
    case snapshot
  }

  /// The index of a card, and the position of its top-left corner in pixels.
  typealias Place = (number: Int, x: Double, y: Double)

  /// A part of one card that shows only the blurred picture. The box is in points, relative to the top-left
  /// corner of the card.
  typealias Clear = (number: Int, box: Box)

  let blur: LargestBlur?
  private let devices: [Device]
  /// The card (`panes`), and the icons and text on the cards (`signs`), for each orientation of the device.
  /// `signs` contains several overlays for each orientation, and the cards use them in turn: card n shows the
  /// overlay at index n modulo their count.
  private let panes: [Pane]
  private let signs: [[Overlay]]
  /// For each frame, the places of the visible cards (`places`), and the kind of picture that the cards show
  /// (`backings`).
  private let places: [[Place]]
  private let backings: [Backing]
  private let clear: (Device) -> Clear
  /// The plan that blurs the part of the screen that the cards show (`backdrop`), and the blurred image
  /// (`kept`).
  private var backdrop: Backdrop?
  private var kept: Image?
  /// Memory for a blurred image of the current screen, which is compared with the snapshot from frame 0. It
  /// is nil until the first comparison.
  private var fresh: Image?

  /// Plans a layer of cards.
  ///
  /// - Parameters:
  ///   - radius: The radius of the rounded corners in points.
  ///   - size: A closure that returns the width and the height of a card in pixels.
  ///   - backing: A closure that returns the kind of picture that the cards show in a frame.
  ///   - places: A closure that returns the places of the visible cards in a frame.
  ///   - clear: A closure that returns a part of a card that shows only the blurred picture.
  ///   - signs: A closure that draws the icons and text on the cards.
  init(
    _ scene: Scene, _ stage: Stage, _ effect: BackdropEffect, radius: Double,
    size: (Device) -> (width: Int, height: Int), backing: (_ frame: Int) -> Backing = { _ in .live },
    places: (_ frame: Int, Device) -> [Place], clear: @escaping (Device) -> Clear,
    signs: (Device) throws(BlurError) -> [Overlay]
  ) throws(BlurError) {
    let devices = scene.orientations(of: stage.device)
    var panes: [Pane] = []
    var allSigns: [[Overlay]] = []
    for device in devices {
      let (width, height) = size(device)
      panes.append(
        try Pane(
          effect, stage, width: width, height: height, radius: radius, sharingMemoryOf: panes.first))
      allSigns.append(try signs(device))
    }
    (self.devices, self.panes, self.signs) = (devices, panes, allSigns)
    self.places = (0..<scene.frames).map { places($0, devices[scene.orientation($0)]) }
    backings = (0..<scene.frames).map(backing)
    self.clear = clear
    let isShared = backings.contains(.shared)
    blur = (
      isShared ? try stage.device.layout : panes[0].blurred, effect.sigma * stage.device.scale, effect.edge
    )
    let region =
      isShared ? stage.device.bounds : passed(backings.indices.filter { backings[$0] == .snapshot })
    guard let region else { return }
    backdrop = try Backdrop(effect, stage, on: stage.device, region: region, isIsolated: true)
    kept = try stage.device.image()
  }

  /// Returns the smallest region that contains all parts of the screen that the cards cover in the given
  /// frames, in the device's first orientation. The result is nil if all cards are outside the screen.
  func passed(_ frames: [Int]) -> Region? {
    let touched = frames.flatMap { places[$0] }
      .compactMap { panes[0].touched(x: $0.x, y: $0.y, of: devices[0].bounds) }
    guard let left = touched.map(\.x).min(), let top = touched.map(\.y).min(),
      let right = touched.map(\.columns.upperBound).max(),
      let bottom = touched.map(\.rows.upperBound).max()
    else { return nil }
    return Region(x: left, y: top, width: right - left, height: bottom - top)
  }

  func draw(_ frame: Frame, over content: Image, in screen: inout Image) throws(BlurError) {
    let backing = backings[frame.number]
    if let backdrop, backing == .shared || backing == .snapshot && frame.isFirst {
      try backdrop.show(content, in: &kept!)
    }
    let (pane, signs) = (panes[frame.orientation], signs[frame.orientation])
    for (number, x, y) in places[frame.number] {
      try pane.show(content, in: &screen, x: x, y: y, prepared: backing == .live ? nil : kept)
      screen.withMutableView {
        signs[number % signs.count].draw(onto: $0, right: Int(x.rounded()), down: Int(y.rounded()))
      }
    }
  }

  func clear(_ frame: Frame) -> Region? {
    let device = devices[frame.orientation]
    let (number, box) = clear(device)
    guard let card = places[frame.number].first(where: { $0.number == number }) else { return nil }
    let left = Int((card.x + box.x * device.scale).rounded(.up))
    let top = Int((card.y + box.y * device.scale).rounded(.up))
    let right = Int(card.x + (box.x + box.width) * device.scale)
    let bottom = Int(card.y + (box.y + box.height) * device.scale)
    guard left < right, right <= device.width, top < bottom, bottom <= device.height else { return nil }
    return Region(x: left, y: top, width: right - left, height: bottom - top)
  }

  /// Returns three values if the cards show a snapshot in at least one frame of the scene, and no values
  /// otherwise. `live` is 1 if the blur is computed anew in this frame, and 0 if the card shows the snapshot.
  /// `stale_levels` and `stale_mean_levels` are the largest and the mean difference, within the card, between
  /// the snapshot and a blur of the current screen. If `live` is 1, these two differences are 0.
  func findings(_ frame: Frame, over content: Image) -> [String: Double] {
    guard backings.contains(.snapshot) else { return [:] }
    let isLive = backings[frame.number] == .live
    var difference = (largest: 0.0, mean: 0.0)
    if !isLive, let backdrop, let kept, let region = passed([frame.number]) {
      do throws(BlurError) {
        var image = if let fresh { fresh } else { try devices[0].image() }
        fresh = nil
        try backdrop.show(content, in: &image)
        fresh = image
        difference = kept.difference(from: image, in: region)
      } catch { return [:] }
    }
    return [
      "live": isLive ? 1 : 0, "stale_levels": difference.largest, "stale_mean_levels": difference.mean,
    ]
  }
}
