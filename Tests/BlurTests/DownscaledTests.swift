import Testing

@testable import Blur

@Suite("Results in half and in a quarter of the size")
struct DownscaledTests {
  @Test(
    "Each pixel is the mean of a block of exactly blurred pixels",
    arguments: [PixelFormat.gray8, .rgb8, .rgba8, .gray16, .grayf32], [2, 4])
  func means(format: PixelFormat, factor: Int) throws {
    // The width and the height are odd. The last columns and rows therefore do not fill a block, and are left
    // out of the smaller result.
    let (width, height) = (135, 83)
    let image =
      try format == .grayf32
      ? GrayImages.noise(width, height, seed: 3)
      : Image.noise(ImageLayout(format, width: width, height: height))
    let exact = try Registry.kernel(named: "separable")
    for edge in EdgeMode.allCases {
      for sigma in [0, 1.5, 4, 9, 21.0] {
        let parameters = BlurParameters(sigma: try Sigma(sigma), edge: edge)
        var blurred = try Image(image.layout)
        try BlurPlan(exact, for: image.layout, parameters).blur(image, into: &blurred)
        let small = try image.blurred(sigma: sigma, downscaled: factor, edge: edge)
        #expect(small.layout.width == width / factor && small.layout.height == height / factor)
        let worst = Self.largestError(of: small, as: blurred, factor)
        // The exact result, its mean and the result are all rounded in integer formats.
        #expect(worst <= (format.component == .uint8 ? 2 : 1), "\(edge), sigma \(sigma)")
      }
    }
  }

  /// Returns the largest difference, in levels, between a pixel of `small` and the mean of its block.
  private static func largestError(of small: Image, as blurred: Image, _ factor: Int) -> Double {
    let format = small.layout.format
    return small.withView { small in
      blurred.withView { blurred in
        var worst = 0.0
        for y in 0..<small.layout.height {
          for i in 0..<small.layout.rowComponents {
            let (x, channel) = (i / format.channels, i % format.channels)
            var sum = 0.0
            for row in factor * y..<factor * (y + 1) {
              for column in factor * x..<factor * (x + 1) {
                sum += Self.component(blurred, column * format.channels + channel, row)
              }
            }
            let error = Self.component(small, i, y) - sum / Double(factor * factor)
            worst = max(worst, abs(error) / format.fullScale * 255)
          }
        }
        return worst
      }
    }
  }

  private static func component(_ view: ImageView, _ index: Int, _ y: Int) -> Double {
    let row = view.unsafeRow(y)
    // SAFETY: the callers pass the index of a component of the row.
    return switch view.layout.format.component {
    case .uint8: Double(row.load(fromByteOffset: index, as: UInt8.self))
    case .uint16: Double(row.loadUnaligned(fromByteOffset: 2 * index, as: UInt16.self))
    case .float32: Double(row.loadUnaligned(fromByteOffset: 4 * index, as: Float.self))
    }
  }

  @Test("A region, threads and a narrower instruction set do not change the pixels")
  func parts() throws {
    let image = try Image.noise(ImageLayout(.rgba8, width: 333, height: 207))
    for factor in [2, 4] {
      let whole = try image.blurred(sigma: 12, downscaled: factor)
      #expect(try image.blurred(sigma: 12, downscaled: factor, threads: 3) == whole)
      let region = Region(x: 8 * factor, y: 5 * factor, width: 31 * factor + 1, height: 20 * factor + 1)
      let part = try image.blurred(sigma: 12, region: region, downscaled: factor)
      var same = try Image(ImageLayout(.rgba8, width: 31, height: 20))
      try whole.withViews(into: &same) { (view, target) throws(BlurError) in
        try target.copyPixels(of: view.cropped(to: Region(x: 8, y: 5, width: 31, height: 20)))
      }
      #expect(part == same)
    }
  }

  @Test("Straight alpha is divided out after the mean, and opaque images stay opaque")
  func alpha() throws {
    for alpha in [ImageLayout.Alpha.straight, .opaque] {
      let layout = try ImageLayout(.rgba8, width: 64, height: 48, alpha: alpha)
      var image = try Image(layout)
      try image.withMutableView { (view) throws(BlurError) in
        for y in 0..<48 {
          for x in 0..<64 {
            // SAFETY: the pixel lies inside the image.
            view.unsafeRow(y).storeBytes(of: 0xff20_4080, toByteOffset: 4 * x, as: UInt32.self)
          }
        }
      }
      let small = try image.blurred(sigma: 9, downscaled: 4)
      #expect(small.layout.alpha == alpha)
      let isUnchanged = small.withView { view in
        (0..<12).allSatisfy { y in
          // SAFETY: each row of the result has 16 pixels.
          (0..<16).allSatisfy {
            view.unsafeRow(y).load(fromByteOffset: 4 * $0, as: UInt32.self) == 0xff20_4080
          }
        }
      }
      #expect(isUnchanged)
    }
  }

  @Test("A size or a region that cannot be downscaled is an error that says what is allowed")
  func errors() throws {
    let image = try Image.noise(ImageLayout(.gray8, width: 40, height: 30))
    #expect(throws: BlurError.invalidDownscaling(3, image.layout.bounds)) {
      try image.blurred(sigma: 5, downscaled: 3)
    }
    let odd = Region(x: 6, y: 4, width: 20, height: 20)
    #expect(throws: BlurError.invalidDownscaling(4, odd)) {
      try image.blurred(sigma: 5, region: odd, downscaled: 4)
    }
    #expect(try image.blurred(sigma: 5, region: odd, downscaled: 2).layout.width == 10)
    let narrow = Region(x: 4, y: 4, width: 3, height: 20)
    #expect(throws: BlurError.invalidDownscaling(4, narrow)) {
      try image.blurred(sigma: 5, region: narrow, downscaled: 4)
    }
    #expect(
      "\(BlurError.invalidDownscaling(4, odd))"
        == "region 20x20 at x 6, y 4: to be downscaled by 4, it must begin at multiples of 4, and have at "
        + "least 4 columns and 4 rows")
    #expect("\(BlurError.invalidDownscaling(0, odd))" == "downscaled 0: must be 1, 2 or 4")
  }
}
