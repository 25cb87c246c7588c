import Blur
import BlurImageIO
import BlurVerification
import Foundation

/// What a kernel of this build does: a picture, its difference to the truth, its weights and their spectrum.
struct KernelSummary: Encodable, Sendable {
  /// The kernel's name, what it is, and what it promises.
  let kernel: String, summary: String, promise: String
  /// PNG files as `data:` addresses. No difference where the result is the rounded truth.
  let picture: String, difference: String?
  /// The largest difference in levels, and what differences are multiplied with, so that it is bright.
  let levels: Int, amplification: Int
  let response: Response

  /// Standard deviation of all summaries in pixels.
  static let sigma = 4.0

  /// Weights along a row, and the size of their Fourier transform.
  struct Response: Encodable, Sendable {
    /// Weights at distances from −``reach`` to ``reach`` pixels; 1 in all.
    let weights: [Double]
    /// Magnitudes at the frequencies 0…0.5 cycles per pixel, in equal steps.
    let spectrum: [Double]

    static let reach = 32
    static let steps = 64

    init(_ line: [Double]) {
      let middle = line.count / 2
      weights = line[(middle - Self.reach)...(middle + Self.reach)].map(\.inFiveDigits)
      spectrum = (0...Self.steps).map { step in
        let turn = Double.pi * Double(step) / Double(Self.steps)
        let sums = line.enumerated().reduce(into: (re: 0.0, im: 0.0)) { sums, sample in
          sums.re += sample.element * cos(turn * Double(sample.offset - middle))
          sums.im += sample.element * sin(turn * Double(sample.offset - middle))
        }
        return hypot(sums.re, sums.im).inFiveDigits
      }
    }
  }

  /// Draws a kernel; nil for one that refuses.
  init?(_ kernel: Kernel) {
    guard let tile = try? Self.strip([kernel]).tiles()[0],
      let picture = try? Self.address(of: tile.result), let line = try? Self.impulseResponse(kernel)
    else { return nil }
    (self.kernel, summary, promise) = (kernel.name, kernel.summary, kernel.promise.description)
    self.picture = picture
    response = Response(line)
    let found = tile.difference
    (levels, amplification) = (Int(found.colourLevels), Int(found.amplification))
    difference = found.isNone ? nil : try? Self.address(of: found.picture)
  }

  /// The picture that is blurred, and the Gaussian's own response.
  static func original() throws -> (picture: String, response: Response) {
    let truth = Truth.of(try line(), sigma: try Sigma(sigma), edge: .clamp, rows: [0])
    return (try address(of: strip([]).source), Response(truth.values))
  }

  private static func strip(_ kernels: [Kernel]) throws -> PictureStrip {
    let source = try TestImage.deadLeaves.image(ImageLayout(.rgba8, width: 160, height: 120), seed: 3)
    return PictureStrip(source, sigma: try Sigma(sigma), kernels: kernels)
  }

  private static func address(of image: Image) throws -> String {
    "data:image/png;base64," + Data(try ImageFile.png(Picture(image))).base64EncodedString()
  }

  /// Black with a white line down the middle: each row of the result is the response to an impulse. Wide,
  /// because `pyramid` halves no small image at this sigma.
  private static func line() throws -> Image {
    var image = try Image(ImageLayout(.grayf32, width: 513, height: 129))
    let (width, height) = (image.layout.width, image.layout.height)
    image.withMutableView { view in
      for y in 0..<height {
        for x in 0..<width {
          // SAFETY: x is a component of row y of a float image.
          view.row(y).storeBytes(of: x == width / 2 ? 1 : 0, toByteOffset: 4 * x, as: Float.self)
        }
      }
    }
    return image
  }

  private static func impulseResponse(_ kernel: Kernel) throws -> [Double] {
    let image = try line()
    var result = try Image(image.layout)
    try BlurPlan(kernel, for: image.layout, BlurParameters(sigma: Sigma(sigma))).blur(image, into: &result)
    return result.withView { view in
      (0..<image.layout.width).map { x in
        // SAFETY: x is a component of a float image's middle row.
        Double(view.row(image.layout.height / 2).load(fromByteOffset: 4 * x, as: Float.self))
      }
    }
  }
}
