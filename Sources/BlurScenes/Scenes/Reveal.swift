import Blur

/// A scene in which a sheet, a panel as large as the screen, slides over the screen. The sheet shows the
/// blurred screen, as if through frosted glass.
public final class Reveal: Scene {
  public static let name = "reveal"
  public static let summary = "a sheet springs in from three sides over a blurred snapshot of the screen"
  public static let why = """
    A sheet as large as the screen, with rounded corners and a shadow, slides in from the bottom on a damped \
    spring within 0.6 seconds, and back out; then from the top, and from the left. The sheet looks like \
    frosted glass: each point of it shows the blurred screen at that point, so the snapshot must not move \
    with the sheet. The snapshot is blurred only once, in the first frame, which bears the whole cost; all \
    other frames only copy. The latency of this first blur matters, because a finger is waiting for it.
    """

  /// The number of frames of the scene. The sheet slides in and out again from each of three sides, and the
  /// first and the last position are shown in each direction.
  public static let frames = SheetEdge.Side.allCases.count * part
  private static let part = 2 * (steps + 1)
  /// The number of frames in which the sheet, a panel as large as the screen, slides in or out. They take 0.6
  /// seconds.
  static let steps = 36
  static let spring = Spring(damping: 0.8, settledAfter: 0.6)

  private let stage: Stage
  private let backdrop: Backdrop
  private let edges: [SheetEdge.Side: SheetEdge]
  let signs: Overlay
  /// The height of the upper part of the sheet that contains icons and text, in pixels.
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
    var edges: [SheetEdge.Side: SheetEdge] = [:]
    for side in SheetEdge.Side.allCases {
      edges[side] = try SheetEdge(
        side, of: device.layout, radius: Form.radius, scale: device.scale)
    }
    self.edges = edges
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

  static func side(_ frame: Int) -> SheetEdge.Side { SheetEdge.Side.allCases[frame / part] }

  /// Returns the step of the sheet's movement in a frame. The sheet is a panel as large as the screen. The
  /// step rises from 0 to ``steps`` while the sheet slides in, and falls back to 0 while the sheet slides
  /// out.
  static func step(_ frame: Int) -> Int {
    let frame = frame % part
    return frame <= steps ? frame : part - 1 - frame
  }

  /// Returns the position of the sheet's top-left corner in a frame, in pixels. The sheet is as large as the
  /// screen. It starts and ends so far outside the screen that not even its shadow is visible.
  static func origin(_ frame: Int, on device: Device) -> (x: Int, y: Int) {
    let step = step(frame)
    let position = step == 0 ? 0 : step == steps ? 1 : spring.position(Double(step) / 60)
    // The fraction of its path that the sheet still has to go. A spring moves the sheet and would carry it a
    // little beyond its final position, but the sheet stops there. The fraction is therefore never negative.
    let missing = max(0, 1 - position)
    func distance(_ side: Int) -> Int {
      Int((missing * Double(side + SheetEdge.pixels(device.scale))).rounded())
    }
    return switch side(frame) {
    case .bottom: (0, distance(device.height))
    case .top: (0, -distance(device.height))
    case .left: (-distance(device.width), 0)
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
    let (x, y) = Self.origin(frame, on: stage.device)
    let (width, height) = (screen.layout.width, screen.layout.height)
    let (columns, rows) = Self.sheet(x, y, screen.layout)
    // While the sheet slides over the screen, it leaves a strip along one side of the screen uncovered.
    let strip =
      switch Self.side(frame) {
      case .bottom: (columns: 0..<width, rows: 0..<rows.lowerBound)
      case .top: (columns: 0..<width, rows: rows.upperBound..<height)
      case .left: (columns: columns.upperBound..<width, rows: 0..<height)
      }
    try copy(snapshot, columns, rows)
    try copy(content, strip.columns, strip.rows)
    screen.withMutableView { screen in
      snapshot.withView { sheet in
        content.withView { below in
          edges[Self.side(frame)]?.draw(onto: screen, sheet, over: below, left: x, top: y)
        }
      }
      signs.draw(onto: screen, x: x, y: y)
    }
  }

  /// Returns the columns and rows of the screen that the sheet covers, if its top-left corner is at (x, y).
  /// They include the sheet's rounded corners. The ranges are empty if the sheet is outside the screen.
  private static func sheet(
    _ x: Int, _ y: Int, _ layout: ImageLayout
  ) -> (columns: Range<Int>, rows: Range<Int>) {
    (
      (x..<x + layout.width).clamped(to: 0..<layout.width),
      (y..<y + layout.height).clamped(to: 0..<layout.height)
    )
  }

  /// Returns the part of the sheet that shows only blurred content. The sheet's corners, icons and text are
  /// left out, because they move with the sheet. The result is nil if no such part is on the screen.
  public func backdrop(_ frame: Int) -> Region? {
    let (x, y) = Self.origin(frame, on: stage.device)
    let (columns, rows) = Self.sheet(x, y, screen.layout)
    let corner = Int((Form.radius * stage.device.scale).rounded(.up))
    let (left, top) = (columns.lowerBound + corner, max(rows.lowerBound + corner, y + signRows))
    let (width, height) = (columns.upperBound - corner - left, rows.upperBound - corner - top)
    return width > 0 && height > 0 ? Region(x: left, y: top, width: width, height: height) : nil
  }

  private func copy(_ image: Image, _ columns: Range<Int>, _ rows: Range<Int>) throws(BlurError) {
    guard !columns.isEmpty, !rows.isEmpty else { return }
    let region = Region(
      x: columns.lowerBound, y: rows.lowerBound, width: columns.count, height: rows.count)
    try image.withView { (image) throws(BlurError) in
      try screen.withMutableView { (screen) throws(BlurError) in
        Compositing.copy(try image.cropped(to: region), into: try screen.cropped(to: region))
      }
    }
  }
}
