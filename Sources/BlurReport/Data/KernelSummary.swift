import Blur
import BlurFiles
import BlurVerification
import Foundation

/// A summary of a kernel of this build: a blurred picture, its difference from the exact Gaussian blur, and
/// the weights of the kernel with their spectrum.
struct KernelSummary: Encodable, Sendable {
  /// The kernel's name, a line that describes the kernel, and its promise.
  let kernel: String, summary: String, promise: String
  /// PNG pictures as `data:` URLs. The difference is nil if the result equals the exact blur rounded to
  /// 8 bits.
  let picture: String, difference: String?
  /// The largest difference in levels, and the factor by which the differences are multiplied so that they
  /// are visible.
  let levels: Int, amplification: Int
  let response: Response

  /// The sigma with which the pictures and weights of all kernel summaries are computed, in pixels.
  static let sigma = 4.0

  /// The weights of a kernel along a row, and the magnitude of their Fourier transform.
  struct Response: Encodable, Sendable {
    /// The weights at the distances from −``reach`` to ``reach`` pixels. The sum of all weights is 1.
    let weights: [Double]
    /// The magnitudes at frequencies from 0 to 0.5 cycles per pixel, in equal steps.
    let spectrum: [Double]

    static let reach = 32
    static let steps = 64

    init(_ line: [Double]) {
      let middle = line.count / 2
      weights = line[(middle - Self.reach)...(middle + Self.reach)].map(\.inFiveDigits)
      spectrum = (0...Self.steps).map { step in
        let angle = Double.pi * Double(step) / Double(Self.steps)
        let sums = line.enumerated().reduce(into: (re: 0.0, im: 0.0)) { sums, sample in
          sums.re += sample.element * cos(angle * Double(sample.offset - middle))
          sums.im += sample.element * sin(angle * Double(sample.offset - middle))
        }
        return hypot(sums.re, sums.im).inFiveDigits
      }
    }
  }

  /// Creates the summary of a kernel by blurring a sample picture, or returns nil if the kernel cannot blur
  /// the picture.
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

  /// Returns the reference with which readers compare the kernels: the sample picture before it is blurred,
  /// as a `data:` URL, and the weights of the exact Gaussian with their spectrum.
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

  /// Returns a black image with a white line down the middle. Each row of the blurred image is then the
  /// kernel's impulse response.
  ///
  /// The image is large because the kernel `pyramid` treats small images differently: at this sigma, it
  /// halves the size of a large image before it blurs the image, but not the size of a small one.
  private static func line() throws -> Image {
    var image = try Image(ImageLayout(.grayf32, width: 513, height: 129))
    let (width, height) = (image.layout.width, image.layout.height)
    image.withMutableView { view in
      for y in 0..<height {
        for x in 0..<width {
          // SAFETY: `x` is a component of row `y` of a float image, so its four bytes lie inside the row.
          view.unsafeRow(y).storeBytes(of: x == width / 2 ? 1 : 0, toByteOffset: 4 * x, as: Float.self)
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
        // SAFETY: `x` is a component of the middle row of a float image, so its four bytes lie inside the
        // row.
        Double(view.unsafeRow(image.layout.height / 2).load(fromByteOffset: 4 * x, as: Float.self))
      }
    }
  }
}
