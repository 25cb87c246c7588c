/// One axis of an image whose edge mode repeats the image.
struct PeriodicAxis: Equatable {
  let count: Int
  let edge: EdgeMode
  let sigma: Double
  /// Whether sigma is so large that the blur replaces all pixels along this axis by their mean.
  let isMean: Bool

  /// Returns descriptions of the horizontal and the vertical axis of the image to blur. Returns nil for the
  /// edge modes `clamp` and `constant`, because they do not repeat the image.
  static func both(of problem: BlurProblem) -> (x: PeriodicAxis, y: PeriodicAxis)? {
    let (layout, edge, sigma) = (problem.layout, problem.edge, problem.sigma)
    func isMean(_ sigma: Double, _ count: Int) -> Bool {
      count == 1 || sigma >= Sigma.periodsOfMean * Double(edge.period(count) ?? .max) * (1 - 1e-9)
    }
    guard edge.period(1) != nil else { return nil }
    let means = (x: isMean(sigma.x, layout.width), y: isMean(sigma.y, layout.height))
    // If sigma is so large that the blur along an axis gives the mean of all pixels, a still larger sigma
    // gives the same mean. So the sigma of this axis can be raised to the sigma of the other axis. The
    // pyramid can then have more levels, because the smaller of the two sigmas limits the number of levels.
    let most = max(sigma.x, sigma.y)
    return (
      PeriodicAxis(count: layout.width, edge: edge, sigma: means.x ? most : sigma.x, isMean: means.x),
      PeriodicAxis(count: layout.height, edge: edge, sigma: means.y ? most : sigma.y, isMean: means.y)
    )
  }

  /// Whether the first and the last pixel of the axis get only half their weight. This is true in the edge
  /// mode `mirror`, because the image and its mirror image share these pixels. Each of the two images gets
  /// half of the weight.
  var halvesEnds: Bool { edge == .mirror && count > 1 }

  /// The position of pixel 0 in the mirror image that lies before the start of the axis. Pixel i of the image
  /// has the position `turned` − i there. Nil if the edge mode does not mirror the image.
  var turned: Int? {
    switch edge {
    case .mirror: count > 1 ? 0 : nil
    case .reflect: -1
    case .wrap, .clamp, .constant: nil
    }
  }

  /// Returns the factor by which blurring the smallest level of the pyramid along this axis can enlarge
  /// errors that come from halving the image. The factor is above 1 if the pixels of the level cover more
  /// than the image. For example, 27 pixels that each represent 4 image pixels cover 108 image pixels. If the
  /// image has only 100 pixels along this axis, the factor is 1.08.
  func gain(_ design: PyramidDesign) -> Double {
    let pixels = design.orders.reduce(design.shift..<design.shift + count) { PyramidAxis.coarser($0, $1) }
    return Double(pixels.count << design.levels) / Double(halvesEnds ? count - 1 : count)
  }
}
