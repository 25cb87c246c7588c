import Blur
import Foundation
import Testing

@testable import BlurVerification

/// Tests of the triple box against the specification, which is followed word by word. Integer formats must
/// match exactly, with ties rounded up.
@Suite struct BoxDefinitionTests {
  /// The widths and heights of the test images. The three boxes together span up to 35 pixels, so most
  /// windows are larger than the second and the third image.
  private static let sizes = [(40, 21), (5, 3), (1, 9)]

  @Test(
    "The triple box gives the means of three boxes with the offsets of the specification",
    arguments: PixelFormat.allCases, 1...12)
  func threeBoxMeansWithTheirOffsets(_ format: PixelFormat, _ d: Int) throws {
    // With boxes of d pixels along one axis and 13 − d along the other, one of the two sizes is odd and one
    // is even. With d pixels along both axes and an even d, the result often lies exactly between two code
    // values, which tests rounding.
    for (across, down) in [(d, 13 - d), (d, d)] {
      for (width, height) in Self.sizes {
        let layout = try ImageLayout(format, width: width, height: height)
        for image in [try TestImage.noise.image(layout, seed: 5), try Self.stripes(layout)] {
          for edge in Subject.edgeNames { try Self.check(image, across, down, edge) }
        }
      }
    }
  }

  /// Returns an image whose columns alternate between two neighbouring values. The mean of an even number of
  /// columns is halfway between these values.
  private static func stripes(_ layout: ImageLayout) throws -> Image {
    let step = layout.format.component == .float32 ? 0.5 : 1
    return try .painted(layout) { x, _, c in Double(x & 1 + c) * step }
  }

  @Test("Boxes of an even size have ties at stripes, and ties are rounded up")
  func evenBoxesOfStripesAreTies() throws {
    let image = try Self.stripes(ImageLayout(.gray8, width: 19, height: 1))
    let boxes = BoxDefinition(image, across: 4, down: 1, edge: .reflect)
    #expect(boxes.sum(x: 9, y: 0, channel: 0) * 2 == boxes.gain)
    #expect(boxes.stored(x: 9, y: 0, channel: 0) == 1)
  }

  private static func check(_ image: Image, _ across: Int, _ down: Int, _ edgeName: String) throws {
    let format = image.layout.format
    let edge = try #require(Subject.edge(named: edgeName, for: format))
    let kernel = try Registry.kernel(named: "box-triple")
    let definition = BoxDefinition(image, across: across, down: down, edge: edge)
    let expected = try Image.painted(image.layout) { definition.stored(x: $0, y: $1, channel: $2) }
    let allowed = format.component == .float32 ? 1e-6 * 255 : 0
    for set in InstructionSet.available {
      let parameters = BlurParameters(
        sigma: try Sigma(x: sigma(across), y: sigma(down)), edge: edge, instructionSet: set)
      var result = try Image(image.layout)
      try BlurPlan(kernel, for: image.layout, parameters).blur(image, into: &result)
      let deviation = Deviation.between(result, expected)
      let size = "\(image.layout.width)x\(image.layout.height)"
      #expect(
        deviation.maxLevels <= allowed,
        "\(set.name), \(edgeName), \(size), boxes \(across) and \(down): \(deviation.description)")
    }
  }

  /// Returns a sigma whose boxes have the size d = floor(s · 3 · sqrt(2π) / 4 + 0.5).
  private static func sigma(_ d: Int) -> Double { Double(d) / (3 * (2 * Double.pi).squareRoot() / 4) }
}

/// The blur that W3C Filter Effects 1 describes for `feGaussianBlur`, with sums instead of means. In double
/// precision, sums of integers are exact.
private struct BoxDefinition {
  /// The sum of all weights in a result.
  let gain: Double
  private let format: PixelFormat
  /// The sums of weighted pixels, by channel, row and column of the result.
  private let sums: [[[Double]]]

  init(_ image: Image, across: Int, down: Int, edge: EdgeMode) {
    let layout = image.layout
    format = layout.format
    gain = Self.gain(across) * Self.gain(down)
    let constant = edge.constantRow(layout)
    let (columns, rows) = (Self.positions(layout.width, across), Self.positions(layout.height, down))
    sums = image.withView { view in
      (0..<layout.format.channels).map { c in
        // The input, continued on all sides by the edge mode.
        let input = rows.map { row in
          columns.map { column -> Double in
            guard let x = edge.index(of: column, count: layout.width),
              let y = edge.index(of: row, count: layout.height)
            else { return constant[c] }
            return view.value(x * layout.format.channels + c, y)
          }
        }
        let blurred = Self.transposed(input.map { Self.threeBoxes($0, across) })
        return Self.transposed(blurred.map { Self.threeBoxes($0, down) })
      }
    }
  }

  func sum(x: Int, y: Int, channel: Int) -> Double { sums[channel][y][x] }

  /// Returns the mean as the format stores it: rounded to the nearest integer, with ties rounded up.
  func stored(x: Int, y: Int, channel: Int) -> Double {
    let sum = sum(x: x, y: y, channel: channel)
    return format.component == .float32 ? sum / gain : Double((2 * Int(sum) + Int(gain)) / (2 * Int(gain)))
  }

  private static func gain(_ d: Int) -> Double { Double(d * d * (d.isMultiple(of: 2) ? d + 1 : d)) }

  /// Returns the positions that three boxes of size d read for a line of `count` pixels.
  private static func positions(_ count: Int, _ d: Int) -> Range<Int> {
    let reach = (d.isMultiple(of: 2) ? 3 * d - 2 : 3 * d - 3) / 2
    return -reach..<count + reach
  }

  /// Applies three boxes to a line that was continued to ``positions(_:_:)``.
  private static func threeBoxes(_ values: [Double], _ d: Int) -> [Double] {
    let line = Line(first: positions(1, d).lowerBound, values: values)
    let half = d / 2
    let blurred =
      d.isMultiple(of: 2)
      // "if d is even, two box-blurs of size 'd' (the first one centered on the pixel boundary between the
      // output pixel and the one to the left, the second one centered on the pixel boundary between the
      // output pixel and the one to the right) and one box blur of size 'd+1' centered on the output pixel"
      ? line.box(d, from: -half).box(d, from: 1 - half).box(d + 1, from: -half)
      // "if d is odd, use three box-blurs of size 'd', centered on the output pixel"
      : line.box(d, from: -half).box(d, from: -half).box(d, from: -half)
    precondition(blurred.first == 0)
    return blurred.values
  }

  private static func transposed(_ rows: [[Double]]) -> [[Double]] {
    rows[0].indices.map { x in rows.map { $0[x] } }
  }
}

/// Values at successive positions, the first of which is at `first`.
private struct Line {
  let first: Int
  let values: [Double]

  /// Returns, for each position whose box lies on the line, the sum of `size` successive values. The first of
  /// them is at the position plus `offset`.
  func box(_ size: Int, from offset: Int) -> Line {
    let sums = (0...values.count - size).map { values[$0..<$0 + size].reduce(0, +) }
    return Line(first: first - offset, values: sums)
  }
}
