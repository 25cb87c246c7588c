import Blur

/// A sheet that slides over the screen and shows it blurred, as through frosted glass.
public final class Reveal: Scene {
  public static let name = "reveal"
  public static let summary = "a sheet springs in from three sides over a blurred snapshot of the screen"
  public static let why = """
    A sheet as large as the screen slides in from the bottom on a damped spring over 0.6 seconds, and back; then from \
    the top, then from the left. It is as if it were frosted glass: what is seen through it is the blurred screen at \
    that very place, so the blurred snapshot must not move with the sheet. The snapshot is blurred once, in the first \
    frame, which pays for all of them; the others copy. Everything hangs on the latency of that first blur, as a finger \
    waits for it.
    """

  /// Where a sheet comes from.
  enum Side: CaseIterable { case bottom, top, left }

  /// In from each side and out again, each with both ends.
  public static let frames = Side.allCases.count * part
  private static let part = 2 * (steps + 1)
  /// Frames of 0.6 seconds.
  static let steps = 36
  static let spring = Spring(damping: 0.8, settledAfter: 0.6)

  private let stage: Stage
  private let backdrop: Backdrop
  let signs: Overlay
  /// The rows of the sheet that hold signs.
  private let signRows: Int
  private var content: Image
  private var isDrawn = false
  private(set) var snapshot: Image
  private var hasSnapshot = false
  public private(set) var screen: Image

  public init(_ stage: Stage) throws(BlurError) {
    self.stage = stage
    let device = stage.device
    backdrop = try Backdrop(.dark, stage, on: device)
    signRows = max(1, device.pixels(130))
    signs = try Overlay(width: device.width, height: signRows, scale: device.scale) {
      SheetSigns(seed: stage.seed).draw($0, width: device.box.width)
    }
    content = try device.image()
    snapshot = try device.image()
    screen = try device.image()
  }

  public var blurred: ImageLayout { screen.layout }
  public var sigma: Double { BackdropEffect.dark.radius * stage.device.scale }
  public var edge: EdgeMode { BackdropEffect.dark.edge }

  static func side(_ frame: Int) -> Side { Side.allCases[frame / part] }

  /// How many frames the sheet has been on its way: 0…``steps``, in and then out again.
  static func step(_ frame: Int) -> Int {
    let frame = frame % part
    return frame <= steps ? frame : part - 1 - frame
  }

  /// The sheet's top left at a frame, in pixels; it is as large as the screen.
  static func origin(_ frame: Int, _ layout: ImageLayout) -> (x: Int, y: Int) {
    let step = step(frame)
    let position = step == 0 ? 0 : step == steps ? 1 : spring.position(Double(step) / 60)
    // How far it is from its place. It stops there, where the spring would go on a little.
    let missing = max(0, 1 - position)
    return switch side(frame) {
    case .bottom: (0, Int((missing * Double(layout.height)).rounded()))
    case .top: (0, -Int((missing * Double(layout.height)).rounded()))
    case .left: (-Int((missing * Double(layout.width)).rounded()), 0)
    }
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
    let (x, y) = Self.origin(frame, screen.layout)
    let (width, height) = (screen.layout.width, screen.layout.height)
    // What the sheet leaves uncovered is a strip along one side.
    let strip =
      switch Self.side(frame) {
      case .bottom: Region(x: 0, y: 0, width: width, height: y)
      case .top: Region(x: 0, y: height + y, width: width, height: -y)
      case .left: Region(x: width + x, y: 0, width: -x, height: height)
      }
    try copy(snapshot, Self.sheet(x, y, screen.layout))
    try copy(content, strip)
    screen.withMutableView { signs.draw(onto: $0, x: x, y: y) }
  }

  /// The part of the screen that a sheet covers; without pixels where it is outside.
  private static func sheet(_ x: Int, _ y: Int, _ layout: ImageLayout) -> Region {
    Region(x: max(0, x), y: max(0, y), width: layout.width - abs(x), height: layout.height - abs(y))
  }

  /// The sheet without its signs, which move.
  public func backdrop(_ frame: Int) -> Region? {
    let (x, y) = Self.origin(frame, screen.layout)
    let sheet = Self.sheet(x, y, screen.layout)
    let top = max(sheet.y, y + signRows)
    let height = sheet.y + sheet.height - top
    return sheet.width > 0 && height > 0
      ? Region(x: sheet.x, y: top, width: sheet.width, height: height) : nil
  }

  private func copy(_ image: Image, _ region: Region) throws(BlurError) {
    guard region.width > 0, region.height > 0 else { return }
    try image.withView { (image) throws(BlurError) in
      try screen.withMutableView { (screen) throws(BlurError) in
        Compositing.copy(try image.cropped(to: region), into: try screen.cropped(to: region))
      }
    }
  }
}
