import Blur
import BlurVerification
import Testing

@testable import BlurScenes

@Suite("Effects that are enlarged")
struct EnlargedPlanTests {
  private static let strong = BackdropEffect.backdropFilter(sigma: 40, saturation: 1.6, brightness: 1.05)

  /// Returns an image of four times the size in which each pixel is interpolated between the centres of four
  /// pixels. The last pixels of each line are repeated up to the given size.
  private static func enlarged(_ small: ByteImage, _ width: Int, _ height: Int) -> ByteImage {
    /// Returns the two pixels next to pixel `i` of the large image, and the weight of the second one.
    func neighbours(_ i: Int, _ count: Int) -> (Int, Int, Double) {
      let place = min(max((Double(i) + 0.5) / 4 - 0.5, 0), Double(count - 1))
      return (Int(place), min(Int(place) + 1, count - 1), place - Double(Int(place)))
    }
    let empty = ByteImage(
      width: width, height: height, bytes: [UInt8](repeating: 0, count: 4 * width * height))
    return empty.mapped { x, y, _ in
      let (left, right, across) = neighbours(x, small.width)
      let (upper, lower, down) = neighbours(y, small.height)
      return (0..<4).map { c in
        func line(_ y: Int) -> Double {
          Double(small[left, y, c]) * (1 - across) + Double(small[right, y, c]) * across
        }
        return Int(line(upper) * (1 - down) + line(lower) * down + 0.5)
      }
    }
  }

  @Test(
    "A strong blur with mirrored edges is computed in a quarter of the size, coloured, and enlarged",
    arguments: [(203, 131), (64, 42), (7, 90), (5, 4)])
  func definition(size: (Int, Int)) throws {
    let screen = ByteImage.noise(size.0, size.1, isOpaque: false)
    let image = try screen.image()
    var colours = Self.strong
    colours.sigma = 0
    let kernel = try Registry.kernel(named: "pyramid")
    for isa in InstructionSet.available {
      var parameters = BlurParameters(sigma: try Sigma(40), edge: .mirror, downscaled: 4)
      parameters.instructionSet = isa
      let plan = try BlurPlan(kernel, for: image.layout, parameters)
      var small = try Image(plan.result)
      try plan.blur(image, into: &small)
      let effect = Self.enlarged(try ByteImage(small).applied(colours), size.0, size.1)
      let found = try screen.applied(Self.strong, kernel: "pyramid", isa: isa, padding: 5, opacity: 0.25)
      #expect(found == effect.over(screen, opacity: 64), "\(isa.name)")

      // The image is so small that one thread would blur it, so the rule `always` is needed for three.
      parameters.downscaled = 1
      let whole = try BlurPlan(kernel, for: image.layout, parameters, threads: 3)
      let device = Device(name: "any", width: size.0, height: size.1, scale: 1)
      let steps = try ColourSteps(Self.strong, image.layout.bounds, Stage(device), changesColours: false)
      let shared = try BlurPlan(
        EnlargedPlan(whole, steps), kernel, nil, for: image.layout, whole.parameters, threads: 3,
        sharing: .always)
      var result = try Image(image.layout)
      try shared.blur(image, into: &result)
      #expect(ByteImage(result) == effect, "\(isa.name), 3 threads")
    }
  }

  /// If an image has values from 0 to 255, the second derivative of its Gaussian blur is at most 127.5 times
  /// the integral of |g″|, which is 0.97 / σ². That is 0.12 levels for a sigma of 32. Averages over four
  /// pixels and interpolation between them cause an error of at most 2.67 times this number along each axis.
  /// Beyond the last centre, the value is constant: up to 5 pixels from there to the mirrored edge, where the
  /// slope is 0, the error is at most 12.5 times this number. The blur itself is at most 1.5 levels off, and
  /// the result is rounded.
  @Test("An enlarged blur is close to the exact blur", arguments: [(203, 131), (240, 119)])
  func accurate(size: (Int, Int)) throws {
    let (width, height) = size
    let white = ByteImage(
      width: width, height: height, bytes: [UInt8](repeating: 255, count: 4 * width * height))
    let screen = white.mapped { x, y, _ in
      [x < width / 3 ? 0 : 255, y < height / 2 ? 255 : 0, (x + y) / 60 % 2 * 255, 255]
    }
    let found = try screen.applied(BackdropEffect(name: "plain", sigma: 32, edge: .mirror))
    let truth = Truth.of(try screen.image(), sigma: try Sigma(32), edge: .mirror)
    for y in 0..<height {
      for x in 0..<width {
        let isInside = (1...width - 6).contains(x) && (1...height - 6).contains(y)
        let bound = 1.5 + 0.5 + 0.12 * (isInside ? 2 * 2.67 : 2 * 12.5)
        for c in 0..<3 {
          let error = abs(Double(found[x, y, c]) - truth.values[4 * (y * width + x) + c])
          try #require(error <= bound, "(\(x), \(y)), channel \(c): \(error) levels")
        }
      }
    }
  }

  @Test("Weak blurs, clamped edges and kernels without smaller results are computed in full size")
  func others() throws {
    let screen = ByteImage.noise(90, 70, isOpaque: true)
    let image = try screen.image()
    for (sigma, edge, kernel) in [
      (31.9, EdgeMode.mirror, "pyramid"), (40, .clamp, "pyramid"), (40, .mirror, "dct-fine"),
    ] {
      let effect = BackdropEffect(name: "plain", sigma: sigma, edge: edge)
      let plan = try BlurPlan(
        Registry.kernel(named: kernel), for: image.layout, BlurParameters(sigma: Sigma(sigma), edge: edge))
      var expected = try Image(image.layout)
      try plan.blur(image, into: &expected)
      #expect(try screen.applied(effect, kernel: kernel) == ByteImage(expected))
    }
  }
}
