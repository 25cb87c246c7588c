import Blur

extension Subject {
  /// The names of the edge modes that are checked: those of the library, and `constant-colour`, which is the
  /// constant mode with a colour other than black.
  public static let edgeNames = EdgeMode.all.map(\.name) + ["constant-colour"]

  /// Returns the edge mode with the given name, or nil if the name is unknown. The colour of
  /// `constant-colour` is expressed in the units of `format`.
  static func edge(named name: String, for format: PixelFormat) -> EdgeMode? {
    guard name == "constant-colour" else { return EdgeMode(name: name) }
    let colour = SIMD4<Double>(200, 30, 90, 250) / 255 * format.fullScale
    return .constant(SIMD4<Float>(colour))
  }

  /// The name of the subject's edge mode. It is an element of ``edgeNames``.
  public var edgeName: String {
    if case .constant(let pixel) = edge, pixel != .zero { "constant-colour" } else { edge.name }
  }
}
