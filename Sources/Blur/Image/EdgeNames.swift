extension EdgeMode {
  /// The names of each mode in OpenCV, SciPy, NumPy, PyTorch, MATLAB, OpenGL and other libraries, without
  /// hyphens and underscores.
  private static let otherNames: [(mode: EdgeMode, names: String)] = [
    (.clamp, "replicate nearest edge border repeatedge clamptoedge copy duplicate extend"),
    (.mirror, "reflect101 default mirrorinterior"),
    (.reflect, "symmetric gridmirror mirroredrepeat mirrorimage"),
    (.wrap, "circular gridwrap repeat tile periodic cyclic repeatimage"),
    (
      .transparent,
      "zero zeros zeropad zeropadding gridconstant fill constantexterior black transparent clamptoborder"
    ),
  ]

  /// The modes that have the numbers 0 to 4 in OpenCV, in this order.
  private static let openCV: [EdgeMode] = [.transparent, .clamp, .reflect, .wrap, .mirror]

  /// Returns the mode that other libraries call `name`, or nil if the name stands for none of our modes.
  ///
  /// Our own names take precedence if another library gives the same name to a different mode. For example,
  /// `reflect` returns our own `reflect`, although NumPy's `reflect` is our ``mirror``.
  package static func named(elsewhere name: String) -> EdgeMode? {
    if let number = Int(name) { return openCV.indices.contains(number) ? openCV[number] : nil }
    var word = name.lowercased().filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
    let prefix = ["cv2border", "cvborder", "border", "gl"].first {
      word.hasPrefix($0) && word.count > $0.count
    }
    if let prefix { word.removeFirst(prefix.count) }
    // OpenCV's mode BORDER_TRANSPARENT leaves pixels near the edge as they are. None of our modes does this.
    if prefix != nil && word == "transparent" { return nil }
    return EdgeMode(name: word)
      ?? otherNames.first { $0.names.split(separator: " ").contains { $0 == word } }?.mode
  }
}
