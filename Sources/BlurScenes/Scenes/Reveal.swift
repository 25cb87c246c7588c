import Blur
import BlurVerification

/// A scene in which a sheet slides over the screen. A sheet is a panel as large as the screen. It looks like
/// frosted glass, through which the screen appears blurred. The sheet is the only layer of the scene.
final class Reveal: Layer {
  /// The number of steps in which the sheet slides in or out. There is one step per frame, so the movement
  /// takes 0.6 seconds.
  static let steps = 36
  /// The number of frames in which the sheet slides in from one side and out again. Each direction has one
  /// more frame than it has steps, because both the first and the last position are shown.
  private static let part = 2 * (steps + 1)
  static let spring = Spring(damping: 0.8, settledAfter: 0.6)

  static let scene = Scene(
    name: "reveal",
    summary: "a sheet springs in from three sides over a blurred snapshot of the screen",
    why: """
      A sheet as large as the screen, with rounded corners and a shadow, slides in from the bottom on a \
      damped spring within 0.6 seconds, and back out. It then does the same from the top and from the left. \
      The sheet looks like frosted glass: each point of it shows the blurred screen at that point, so the \
      snapshot must not move with the sheet. The snapshot is blurred only once, in the first frame, so this \
      frame bears the whole cost, and all other frames only copy pixels. The latency of this first blur \
      matters, because a finger is waiting for it.
      """,
    frames: SheetEdge.Side.allCases.count * part,
    app: .album,
    layers: { (_, stage) throws(BlurError) in [try Reveal(stage)] })

  static func side(_ frame: Int) -> SheetEdge.Side { SheetEdge.Side.allCases[frame / part] }

  /// Returns the position of the sheet's top-left corner in a frame, in pixels. The sheet is as large as the
  /// screen. It starts and ends so far outside the screen that not even its shadow is visible.
  static func origin(_ frame: Int, on device: Device) -> (x: Int, y: Int) {
    // The index of the step rises from 0 while the sheet slides in, and falls back to 0 while it slides out.
    let step = min(frame % part, part - 1 - frame % part)
    let position = step == 0 ? 0 : step == steps ? 1 : spring.position(Double(step) / 60)
    // The fraction of its path that the sheet still has to travel. The spring would move the sheet a little
    // beyond its final position, but the sheet stops at this position. The fraction is therefore never
    // negative.
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

  private let device: Device
  private let backdrop: Backdrop
  private let edges: [SheetEdge.Side: SheetEdge]
  let signs: Overlay
  /// A blurred picture of the screen, made in frame 0. The sheet shows the part of this picture at its
  /// current position, so the picture seems to stay in place while the sheet moves over it.
  private(set) var snapshot: Image
  let blur: LargestBlur?

  init(_ stage: Stage) throws(BlurError) {
    device = stage.device
    backdrop = try Backdrop(.dark, stage, on: device)
    var edges: [SheetEdge.Side: SheetEdge] = [:]
    for side in SheetEdge.Side.allCases {
      edges[side] = try SheetEdge(side, of: device.layout, radius: Form.radius, scale: device.scale)
    }
    self.edges = edges
    signs = try Overlay(width: device.width, height: max(1, device.pixels(130)), scale: device.scale) {
      Self.signs($0, stage.device.box.width, stage.seed)
    }
    snapshot = try device.image()
    blur = (snapshot.layout, BackdropEffect.dark.sigma * device.scale, BackdropEffect.dark.edge)
  }

  /// Draws a grip (a short bar for dragging the sheet), a heading and two lines of text.
  private static func signs(_ canvas: Canvas, _ width: Double, _ seed: UInt64) {
    var random = SplitMix64(seed: seed, 800)
    canvas.fill(Box(width / 2 - 20, 8, 40, 5), Colour.faded, radius: 2.5)
    Lettering(size: 22, colour: Colour.paper, weight: 0.16)
      .line(canvas, x: 24, y: 34, width: width - 48, words: 3, &random)
    Lettering(size: 15, colour: Colour.paper)
      .paragraph(canvas, x: 24, y: 74, width: width - 48, lines: 2, &random)
  }

  func draw(_ frame: Frame, over content: Image, in screen: inout Image) throws(BlurError) {
    if frame.isFirst { try backdrop.show(content, in: &snapshot) }
    let (x, y) = Self.origin(frame.number, on: device)
    if let covered = covered(x, y) { try screen.overwrite(covered, with: snapshot) }
    screen.withMutableView { screen in
      snapshot.withView { sheet in
        content.withView { below in
          edges[Self.side(frame.number)]?.draw(onto: screen, sheet, over: below, left: x, top: y)
        }
      }
      signs.draw(onto: screen, right: x, down: y)
    }
  }

  /// Returns the part of the screen that the sheet covers when its top-left corner is at (x, y). The sheet
  /// counts as a full rectangle, as if its corners were not rounded. The result is nil if the sheet is
  /// outside the screen.
  private func covered(_ x: Int, _ y: Int) -> Region? {
    Region(x: x, y: y, width: device.width, height: device.height).intersection(device.bounds)
  }

  /// Returns the visible part of the sheet without the areas that contain its rounded corners, icons and
  /// text, because these move with the sheet. The result is nil if no such part is on the screen.
  func clear(_ frame: Frame) -> Region? {
    let (x, y) = Self.origin(frame.number, on: device)
    guard let covered = covered(x, y) else { return nil }
    let corner = Int((Form.radius * device.scale).rounded(.up))
    let (left, top) = (covered.x + corner, max(covered.y + corner, y + signs.height))
    let (width, height) = (covered.columns.upperBound - corner - left, covered.rows.upperBound - corner - top)
    return width > 0 && height > 0 ? Region(x: left, y: top, width: width, height: height) : nil
  }
}
