import Blur

extension Truth {
  /// The definitions of blurs with which the results of kernels can be compared.
  public enum Definition: String, CaseIterable, Sendable {
    case gaussian
    case tripleBox = "triple-box"
    case imageEffectBoxes = "image-effect-boxes"

    /// Returns the weights along one axis from left to right. Their number is odd, and their sum is 1.
    func weights(_ sigma: Double) -> [Double] {
      switch self {
      case .gaussian: Truth.gaussian(sigma)
      case .tripleBox: Truth.tripleBox(sigma)
      case .imageEffectBoxes: Truth.oddBoxes(sigma)
      }
    }

    /// A Boolean value that indicates whether the weights describe the blur completely. They do if the blur
    /// is linear, does not round between its steps, and applies the edge mode only once.
    var isLinear: Bool { self != .imageEffectBoxes }

    /// Returns whether this definition of a blur applies to images of the given format and edge mode.
    func covers(_ format: PixelFormat, edgeName: String) -> Bool {
      isLinear || (format.component == .uint8 && edgeName == EdgeMode.clamp.name)
    }

    /// Creates the definition with the name that a kernel gives in ``Blur/Promise/specification(_:)``.
    /// Returns nil if the name is unknown.
    init?(specification: String) {
      switch specification {
      case "W3C triple box": self = .tripleBox
      case "image effect boxes": self = .imageEffectBoxes
      default: return nil
      }
    }
  }

  /// Returns the weights of the three successive box blurs that the W3C Filter Effects specification allows
  /// as an approximation of `feGaussianBlur`.
  ///
  /// The box size is d = ⌊σ·3√(2π)/4 + ½⌋. If d is odd, all three boxes have size d. If d is even, two boxes
  /// have size d and are shifted by half a pixel in opposite directions, and the third box has size d + 1. If
  /// d = 0, the axis is not blurred.
  private static func tripleBox(_ sigma: Double) -> [Double] {
    let d = Int((sigma * 3 * (2 * Double.pi).squareRoot() / 4 + 0.5).rounded(.down))
    guard d > 0 else { return [1] }
    let box = [Double](repeating: 1 / Double(d), count: d)
    let last = d.isMultiple(of: 2) ? [Double](repeating: 1 / Double(d + 1), count: d + 1) : box
    return convolved(convolved(box, box), last)
  }

  /// Returns the weights of three equal boxes of odd size. This is the blur of Apple's sample code
  /// UIImage+ImageEffects (2013), without its intermediate rounding.
  private static func oddBoxes(_ sigma: Double) -> [Double] {
    let d = oddSize(sigma)
    let box = [Double](repeating: 1 / Double(d), count: d)
    return convolved(convolved(box, box), box)
  }

  private static func oddSize(_ sigma: Double) -> Int {
    let d = Int((sigma * 3 * (2 * Double.pi).squareRoot() / 4 + 0.5).rounded(.down))
    return d.isMultiple(of: 2) ? d + 1 : d
  }

  private static func convolved(_ a: [Double], _ b: [Double]) -> [Double] {
    var sums = [Double](repeating: 0, count: a.count + b.count - 1)
    for i in a.indices { for j in b.indices { sums[i + j] += a[i] * b[j] } }
    return sums
  }
}

extension Truth {
  /// Returns the blur that Apple's sample code UIImage+ImageEffects (2013) computes. It has three passes.
  /// Each pass replaces every pixel with the mean of a rectangle around it, rounded to a whole number. The
  /// rectangle's width and height are odd. Each pass repeats the edge pixels of its own input beyond the
  /// edges.
  static func imageEffectBoxes(_ image: Image, sigma: Sigma, rows: [Int]) -> Truth {
    let (layout, channels) = (image.layout, image.layout.format.channels)
    let (across, down) = (oddSize(sigma.x), oddSize(sigma.y))
    var values = image.withView { view in (0..<layout.height).map(view.blurredValues(ofRow:)) }
    for _ in 0..<3 {
      for y in values.indices {
        for c in 0..<channels {
          let line = stride(from: c, to: layout.rowComponents, by: channels).map { values[y][$0] }
          for (x, sum) in sums(line, across).enumerated() { values[y][x * channels + c] = sum }
        }
      }
      let count = Double(across * down)
      for i in 0..<layout.rowComponents {
        for (y, sum) in sums(values.map { $0[i] }, down).enumerated() {
          values[y][i] = ((sum + (count / 2).rounded(.down)) / count).rounded(.down)
        }
      }
    }
    return Truth(layout: layout, rows: rows, values: rows.flatMap { values[$0] })
  }

  /// Returns, for each position of `line`, the sum of the `size` values centred on it. The end values are
  /// repeated beyond the line. All values are whole numbers, so the running sum is exact.
  private static func sums(_ line: [Double], _ size: Int) -> [Double] {
    let radius = size / 2
    func value(_ i: Int) -> Double { line[max(0, min(line.count - 1, i))] }
    var sum = (-radius...radius).reduce(0) { $0 + value($1) }
    return line.indices.map { i in
      defer { sum += value(i + radius + 1) - value(i - radius) }
      return sum
    }
  }
}
