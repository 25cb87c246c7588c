import CLinux
import Testing

@testable import Blur

@Suite("Order of channels, opaque pixels and straight alpha")
struct PixelLayoutTests {
  private static let size = (width: 61, height: 45)

  private static func layout(
    _ order: ImageLayout.ChannelOrder, _ alpha: ImageLayout.Alpha, _ format: PixelFormat = .rgba8,
    stride: Int? = nil
  ) throws -> ImageLayout {
    try ImageLayout(
      format, width: size.width, height: size.height, stride: stride, order: order, alpha: alpha)
  }

  @Test("Orders and alphas that a format cannot have are refused")
  func refused() throws {
    let all: [(PixelFormat, ImageLayout.ChannelOrder, ImageLayout.Alpha, String)] = [
      (.rgb8, .rgba, .straight, "alpha straight: format rgb8"),
      (.gray16, .rgba, .opaque, "alpha opaque: format gray16"), (.gray8, .bgra, .premultiplied, "order bgra"),
      (.rgbf32, .argb, .premultiplied, "order argb: format rgbf32 has fewer than 4 channels"),
    ]
    for (format, order, alpha, part) in all {
      do throws(BlurError) {
        _ = try ImageLayout(format, width: 3, height: 2, order: order, alpha: alpha)
        Issue.record("\(part) is not refused")
      } catch { #expect(error.description.contains(part), "\(error)") }
    }
    #expect(try ImageLayout(.rgb8, width: 3, height: 2, order: .bgra).order == .bgra)
  }

  @Test("Images of another order or alpha are refused, and the message says so")
  func mismatch() throws {
    let plan = try BlurPlan(for: Self.layout(.bgra, .straight), sigma: 2)
    for other in try [Self.layout(.rgba, .straight), Self.layout(.bgra, .opaque)] {
      var result = try Image(plan.layout)
      let error = #expect(throws: BlurError.self) { try plan.blur(Image(other), into: &result) }
      let message = error?.description ?? ""
      #expect(message.contains("must be rgba8 in the order bgra with straight alpha 61x45, not rgba8"))
    }
    let padded = try Self.layout(.bgra, .straight, stride: 300)
    var result = try Image(padded)
    try plan.blur(Image(padded), into: &result)
  }

  @Test(
    "Sigma 0 keeps straight pixels, with colours that 8 bits could not premultiply and with hidden colours",
    arguments: Registry.kernels.map(\.name))
  func sigmaZero(name: String) throws {
    let layout = try ImageLayout(.rgba8, width: 2, height: 1, alpha: .straight)
    let bytes: [UInt8] = [0xF0, 0x80, 0x10, 0x02, 9, 8, 7, 0]
    let image = try Image(layout, copying: bytes.span.bytes)
    var result = try Image(layout)
    try BlurPlan(Registry.kernel(named: name), for: layout, BlurParameters(sigma: Sigma(0)))
      .blur(image, into: &result)
    #expect(result.bytes == bytes)
  }

  /// In the blur of an area of one colour, the colour and alpha may each be off by one 16-bit code value. If
  /// alpha is at most 4 of 255, this changes the straight colour by one or two code values.
  @Test("An area of one straight colour keeps it, with any alpha", arguments: [1, 2, 3, 77, 128, 255])
  func constantColour(alpha: UInt8) throws {
    let pixel: [UInt8] = [0xF0, 0x80, 0x11, alpha]
    for (width, order) in [(40, ImageLayout.ChannelOrder.rgba), (300, .abgr)] {
      let layout = try ImageLayout(.rgba8, width: width, height: 30, order: order, alpha: .straight)
      let stored = order == .rgba ? pixel : pixel.reversed()
      let bytes = (0..<layout.byteCount).map { stored[$0 % 4] }
      let image = try Image(layout, copying: bytes.span.bytes)
      let edge = EdgeMode.constant(SIMD4<Float>(pixel.map { Float($0) }))
      for edge in [edge, .mirror] {
        let result = try image.blurred(sigma: 9, edge: edge).bytes
        let worst = zip(result, bytes).map { abs(Int($0) - Int($1)) }.max()
        #expect(worst ?? 0 <= Int(2 / Double(alpha) + 0.5), "\(order), \(edge.name)")
      }
    }
  }

  @Test("The fourth channel of an opaque image is ignored, and becomes full scale", arguments: [0, 3.0])
  func opaque(sigma: Double) throws {
    for order in [ImageLayout.ChannelOrder.bgra, .argb] {
      let place = order == .argb ? 0 : 3
      let layout = try Self.layout(order, .opaque, stride: 4 * Self.size.width + 3)
      var image = try Image.noise(layout)
      let first = try image.blurred(sigma: sigma)
      image.withMutableView { view in
        for y in 0..<layout.height {
          for x in 0..<layout.width {
            view.unsafeRow(y).storeBytes(of: 99, toByteOffset: 4 * x + place, as: UInt8.self)
          }
        }
      }
      let second = try image.blurred(sigma: sigma)
      #expect(Self.pixels(of: first) == Self.pixels(of: second))
      #expect(Self.pixels(of: first).allSatisfy { $0[place] == 255 })
      let plain = try Image(
        Self.layout(.rgba, .premultiplied, stride: layout.stride), copying: image.bytes.span.bytes)
      let expected = Self.pixels(of: try plain.blurred(sigma: sigma))
      let others = [0, 1, 2, 3].filter { $0 != place }
      let areSame = zip(Self.pixels(of: first), expected).allSatisfy { (pixel, expected) in
        others.allSatisfy { pixel[$0] == expected[$0] }
      }
      #expect(areSame)
    }
  }

  /// An epilogue that inverts each byte.
  private final class Inverts: RowEpilogue {
    func finish(_ rows: Range<Int>, in target: MutableImageView) {
      for y in rows {
        for i in 0..<target.layout.rowBytes {
          let byte = target.unsafeRow(y).load(fromByteOffset: i, as: UInt8.self)
          target.unsafeRow(y).storeBytes(of: ~byte, toByteOffset: i, as: UInt8.self)
        }
      }
    }
  }

  @Test(
    "An epilogue gets the final pixels, once", arguments: [ImageLayout.Alpha.straight, .opaque], [0, 3.0])
  func epilogue(alpha: ImageLayout.Alpha, sigma: Double) throws {
    let image = try Image.noise(Self.layout(.argb, alpha))
    for kernel in ["pyramid", "simd", "fft"] {
      let plan = try BlurPlan(
        Registry.kernel(named: kernel), for: image.layout, BlurParameters(sigma: Sigma(sigma)))
      var (plain, inverted) = (try Image(image.layout), try Image(image.layout))
      try plan.blur(image, into: &plain)
      try image.withViews(into: &inverted) { (source, target) throws(BlurError) in
        try plan.blur(source, into: target, epilogue: Inverts())
      }
      #expect(inverted.bytes == plain.bytes.map { ~$0 }, "\(kernel)")
    }
  }

  #if os(Linux)
    @Test(
      "A blur with an epilogue allocates no memory, whatever alpha means",
      arguments: ImageLayout.Alpha.allCases)
    func epilogueAllocations(alpha: ImageLayout.Alpha) throws {
      let image = try Image.noise(Self.layout(.argb, alpha))
      let plan = try BlurPlan(for: image.layout, sigma: 3)
      let inverts = Inverts()
      var (result, bytes) = (try Image(image.layout), 0)
      // The first blur of a process may allocate memory once, so the last of these counts.
      for _ in 0..<3 {
        try image.withViews(into: &result) { (source, target) throws(BlurError) in
          allocations_begin(false)
          try plan.blur(source, into: target, epilogue: inverts)
          bytes = allocations_end()
        }
      }
      #expect(bytes <= 0, "\(bytes) bytes")
    }
  #endif

  @Test(
    "With straight alpha, regions, tiles, threads and strides give the same bits",
    arguments: [PixelFormat.rgba8, .rgba16], ["pyramid", "simd", "dct"])
  func parts(format: PixelFormat, name: String) throws {
    let image = try Image.noise(Self.layout(.argb, .straight, format))
    let kernel = try Registry.kernel(named: name)
    var parameters = BlurParameters(sigma: try Sigma(1.5), edge: .mirror)
    var whole = try Image(image.layout)
    try BlurPlan(kernel, for: image.layout, parameters).blur(image, into: &whole)

    var threaded = try Image(image.layout)
    let plan = try BlurPlan(
      kernel.plan(parameters, for: image.layout, threads: 3), kernel, nil, for: image.layout, parameters,
      threads: 3, sharing: .always)
    try plan.blur(image, into: &threaded)
    #expect(threaded.bytes == whole.bytes)

    parameters.region = Region(x: 33, y: 20, width: 21, height: 13)
    let part = try BlurPlan(kernel, for: image.layout, parameters)
    let guarded = try GuardedImage(
      ImageLayout(
        format, width: 21, height: 13, stride: 21 * format.bytesPerPixel + 5, order: .argb, alpha: .straight),
      shift: 1)
    try image.withView { (view) throws(BlurError) in
      // Only the pixels of `reads` are in this copy.
      let tile = try view.cropped(to: part.reads)
      let copy = try GuardedImage(
        ImageLayout(
          format, width: tile.layout.width, height: tile.layout.height, order: .argb, alpha: .straight))
      copy.view.copyPixels(of: tile)
      try part.blur(tile: copy.view.readOnly, into: guarded.view)
    }
    #expect(guarded.damage == nil)
    let expected = try whole.withView { (view) throws(BlurError) in
      Self.pixels(of: try view.cropped(to: part.region))
    }
    #expect(Self.pixels(of: guarded.view.readOnly) == expected)
  }

  private static func pixels(of image: Image) -> [[UInt8]] { image.withView { pixels(of: $0) } }

  /// Returns the bytes of each pixel, without padding.
  private static func pixels(of view: ImageView) -> [[UInt8]] {
    let bytes = view.layout.format.bytesPerPixel
    return (0..<view.layout.height).flatMap { y in
      (0..<view.layout.width).map { x in
        (0..<bytes).map { view.unsafeRow(y).load(fromByteOffset: x * bytes + $0, as: UInt8.self) }
      }
    }
  }
}
