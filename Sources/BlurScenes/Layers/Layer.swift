import Blur

/// A layer of a scene, such as a blurred bar or the text on it, which is drawn over the screen of an app.
protocol Layer: AnyObject {
  /// The largest blur of the layer, or nil if the layer blurs nothing.
  var blur: LargestBlur? { get }
  /// Prepares a frame. This call may allocate memory, and its time does not count towards the cost of the
  /// frame.
  func prepare(_ frame: Frame) throws(BlurError)
  /// Draws the layer onto the screen, which already shows the app and all lower layers. This call must not
  /// allocate memory.
  ///
  /// - Parameter content: The screen of the app without any layers.
  func draw(_ frame: Frame, over content: Image, in screen: inout Image) throws(BlurError)
  /// Returns a part of the screen that is checked for sudden changes, or nil if there is no suitable part. In
  /// this part, the layer must show only its blurred background, with nothing moving over it.
  func clear(_ frame: Frame) -> Region?
  /// Returns named values that the layer measured for the frame that was drawn last.
  func findings(_ frame: Frame, over content: Image) -> [String: Double]
}

extension Layer {
  var blur: LargestBlur? { nil }
  func prepare(_ frame: Frame) {}
  func clear(_ frame: Frame) -> Region? { nil }
  func findings(_ frame: Frame, over content: Image) -> [String: Double] { [:] }
}

/// The properties of a layer's largest blur: the layout of the blurred image, the standard deviation in
/// pixels, and the edge mode.
typealias LargestBlur = (layout: ImageLayout, sigma: Double, edge: EdgeMode)

/// The frame of a scene that is being prepared or drawn.
struct Frame {
  let number: Int
  /// The index of the device's orientation: 0, or 1 while the device is rotated.
  let orientation: Int
  /// Whether this is the first frame to be drawn since the scene began. Layers that keep a blurred picture of
  /// the screen make it in this frame, which is always frame 0.
  let isFirst: Bool
}
