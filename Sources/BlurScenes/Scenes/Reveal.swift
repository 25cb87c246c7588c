import Blur

/// A sheet that slides up and shows the blurred screen behind it, as through frosted glass.
public final class Reveal: Scene {
  public static let name = "reveal"
  public static let summary = "a sheet springs up from the bottom over a blurred snapshot of the screen"
  public static let why = """
    A sheet slides up from the bottom on a damped spring over 0.6 seconds, and back. It is as if it were frosted glass: \
    what is seen through it is the blurred screen at that very place, so the blurred snapshot must not move with the \
    sheet. The snapshot is blurred once, in the first frame, which pays for all of them; the others copy. Everything \
    hangs on the latency of that first blur, as a finger waits for it.
    """
  /// Up and down again, each with both ends.
  public static let frames = 2 * (steps + 1)
  /// Frames of 0.6 seconds.
  static let steps = 36
  /// The height of the sheet as a share of the screen's.
  static let share = 0.62
  static let spring = Spring(damping: 0.75, settledAfter: 0.6)

  private let stage: Stage
  private let backdrop: Backdrop
  let signs: Overlay
  private var content: Image
  private var isDrawn = false
  private(set) var snapshot: Image
  private var hasSnapshot = false
  public private(set) var screen: Image

  public init(_ stage: Stage) throws(BlurError) {
    self.stage = stage
    let device = stage.device
    backdrop = try Backdrop(.light, stage, on: device)
    signs = try Overlay(width: device.width, height: max(1, device.pixels(130)), scale: device.scale) {
      SheetSigns(seed: stage.seed).draw($0, width: device.box.width)
    }
    content = try device.image()
    snapshot = try device.image()
    screen = try device.image()
  }

  public var blurred: ImageLayout { screen.layout }
  public var sigma: Double { BackdropEffect.light.radius * stage.device.scale }
  public var edge: EdgeMode { .clamp }

  /// How far the sheet is on its way at a frame: 0…``steps``, up and then down again.
  static func step(_ frame: Int) -> Int { frame <= steps ? frame : frames - 1 - frame }

  /// The first row of the sheet at a frame, in pixels; the screen's height where nothing is seen of it.
  static func top(_ frame: Int, height: Int) -> Int {
    let step = step(frame)
    let position = step == 0 ? 0 : step == steps ? 1 : spring.position(Double(step) / 60)
    return height - Int((position * share * Double(height)).rounded())
  }

  public func prepare(_ frame: Int) {
    if frame == 0 { hasSnapshot = false }
    guard !isDrawn else { return }
    content.withMutableView { Album(seed: stage.seed, scale: stage.device.scale).draw(into: $0) }
    isDrawn = true
  }

  public func present(_ frame: Int) throws(BlurError) {
    if !hasSnapshot {
      try backdrop.show(content, in: &snapshot)
      hasSnapshot = true
    }
    let (width, height) = (screen.layout.width, screen.layout.height)
    let top = Self.top(frame, height: height)
    try copy(content, Region(x: 0, y: 0, width: width, height: top))
    try copy(snapshot, Region(x: 0, y: top, width: width, height: height - top))
    screen.withMutableView { signs.draw(onto: $0, y: top) }
  }

  private func copy(_ image: Image, _ region: Region) throws(BlurError) {
    guard region.height > 0 else { return }
    try image.withView { (image) throws(BlurError) in
      try screen.withMutableView { (screen) throws(BlurError) in
        Compositing.copy(try image.cropped(to: region), into: try screen.cropped(to: region))
      }
    }
  }
}
