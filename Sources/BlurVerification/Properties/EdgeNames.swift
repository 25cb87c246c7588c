import Blur

extension Subject {
  /// The edge modes checked: those of the library, and `constant-colour`, whose pixel is not black.
  public static let edgeNames = EdgeMode.all.map(\.name) + ["constant-colour"]

  /// The mode of that name; the colour is given in the format's own units.
  static func edge(named name: String, for format: PixelFormat) -> EdgeMode? {
    guard name == "constant-colour" else { return EdgeMode(name: name) }
    let colour = SIMD4<Double>(200, 30, 90, 250) / 255 * format.fullScale
    return .constant(SIMD4<Float>(colour))
  }

  /// The name of the edge mode among ``edgeNames``.
  public var edgeName: String {
    if case .constant(let pixel) = edge, pixel != .zero { "constant-colour" } else { edge.name }
  }
}
