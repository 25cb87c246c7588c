import Blur

extension Truth {
  /// Which blur is meant.
  public enum Definition: String, CaseIterable, Sendable {
    case gaussian
    case tripleBox = "triple-box"
    case imageEffectBoxes = "image-effect-boxes"

    /// The weights of one axis from left to right; an odd number of them that sum to 1.
    func weights(_ sigma: Double) -> [Double] {
      switch self {
      case .gaussian: Truth.gaussian(sigma)
      case .tripleBox: Truth.tripleBox(sigma)
      case .imageEffectBoxes: Truth.oddBoxes(sigma)
      }
    }

    /// Whether it is those weights and nothing else: no rounding between steps, and one edge for all of them.
    var isLinear: Bool { self != .imageEffectBoxes }

    /// Whether it says something about images of this format and edge mode.
    func covers(_ format: PixelFormat, edgeName: String) -> Bool {
      isLinear || (format.component == .uint8 && edgeName == EdgeMode.clamp.name)
    }

    /// The definition that a kernel's ``Blur/Promise/specification(_:)`` names, if it is known here.
    init?(specification: String) {
      switch specification {
      case "W3C triple box": self = .tripleBox
      case "image effect boxes": self = .imageEffectBoxes
      default: return nil
      }
    }
  }

  /// The three boxes that the W3C's Filter Effects name in place of a Gaussian (`feGaussianBlur`):
  /// d = ⌊σ·3√(2π)/4 + ½⌋; three boxes of d where d is odd; two of d, half a pixel to either side, and one
  /// of d + 1 where it is even. d = 0 leaves the axis as it is.
  private static func tripleBox(_ sigma: Double) -> [Double] {
    let d = Int((sigma * 3 * (2 * Double.pi).squareRoot() / 4 + 0.5).rounded(.down))
    guard d > 0 else { return [1] }
    let box = [Double](repeating: 1 / Double(d), count: d)
    let last = d.isMultiple(of: 2) ? [Double](repeating: 1 / Double(d + 1), count: d + 1) : box
    return convolved(convolved(box, box), last)
  }

  /// Three boxes of the same size, which is made odd: those of the image effects without their rounding.
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
  /// The blur of the image effects of 2013: three times the mean of a square of odd sides, rounded each time
  /// to a whole number, with the edge pixel repeated each time anew.
  static func imageEffectBoxes(_ image: Image, sigma: Sigma, rows: [Int]) -> Truth {
    let (layout, channels) = (image.layout, image.layout.format.channels)
    let (across, down) = (oddSize(sigma.x), oddSize(sigma.y))
    var values = image.withView { view in (0..<layout.height).map(view.values(ofRow:)) }
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

  /// The sum of `size` values around each of a line whose ends are repeated. Whole numbers: nothing is
  /// rounded.
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
