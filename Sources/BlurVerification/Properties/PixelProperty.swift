import Blur

extension Property {
  /// Checks every channel order, and every meaning of the fourth channel, such as premultiplied or straight
  /// alpha.
  static let pixels = Property(
    "pixels",
    "channels can be in any order, straight colours are weighted by alpha, and opaque pixels stay opaque",
    scope: Scope(formats: PixelFormat.allCases.filter { $0.channels == 4 }, sigmas: [2.5])
  ) { test in
    guard test.format.channels == 4 else {
      throw NotApplicable("format \(test.format) has no fourth channel")
    }
    try test.skipDefinition(ifSigmaAbove: 2.5)
    for order in ImageLayout.ChannelOrder.allCases {
      try test.expectOrder(order)
      try test.expectOpaque(order)
      try test.expectStraight(order)
    }
    return nil
  }
}

extension KernelUnderTest {
  /// Checks that the blurred values of each channel do not depend on the order of the channels.
  fileprivate func expectOrder(_ order: ImageLayout.ChannelOrder) throws {
    let image = try image(.noise, 37, 29)
    let moved = try blurred(image, as: layout(37, 29, order, .premultiplied))
    try expectSame(
      moved, blurred(image), within: toleranceOfMirrors, of: image, "image in the order \(order)")
  }

  /// Checks that opaque pixels stay opaque, whatever their fourth channel holds.
  fileprivate func expectOpaque(_ order: ImageLayout.ChannelOrder) throws {
    let image = try image(.noise, 37, 29)
    let result = try blurred(image, as: layout(37, 29, order, .opaque))
    let expected = try blurred(image).withView { view in
      try Image.painted(layout(37, 29)) { x, y, c in c == 3 ? format.fullScale : view.value(4 * x + c, y) }
    }
    try expectSame(
      result, expected, within: toleranceOfMirrors, of: image, "opaque image in the order \(order)")
  }

  /// Checks the blur of an image with straight alpha. The library must multiply the colours by alpha, blur
  /// the products in a format with more bits than the image has (16 bits for 8-bit images, floats otherwise),
  /// divide the result by alpha, and round only at the end. This check computes the products and quotients in
  /// double precision. It is skipped if the kernel does not support the format with more bits.
  fileprivate func expectStraight(_ order: ImageLayout.ChannelOrder) throws {
    let (width, height, full) = (37, 29, format.fullScale)
    let wide: PixelFormat = format.component == .uint8 ? .rgba16 : .rgbaf32
    let scale = wide.fullScale / full
    var inner = self
    inner.subject.format = wide
    guard try inner.supports(subject.edge) else { return }
    let straight = try straightImage(width, height)
    let result = try blurred(straight, as: layout(width, height, order, .straight))

    let multiplied = try straight.withView { view in
      try Image.painted(ImageLayout(wide, width: width, height: height)) { x, y, c in
        let alpha = view.value(4 * x + 3, y)
        return (c == 3 ? alpha : view.value(4 * x + c, y) * (alpha / full)) * scale
      }
    }
    var edge = subject.edge
    if case .constant(let pixel) = edge {
      let alpha = Double(pixel.w)
      let values = (0..<4).map { ($0 == 3 ? alpha : Double(pixel[$0]) * (alpha / full)) * scale }
      edge = .constant(SIMD4(values.map { Float($0) }))
    }
    let blur = try inner.blurred(multiplied, edge: edge)
    let wrong = result.withView { result in
      blur.withView { blur in Self.wrongStraight(result, blur) }
    }
    if let wrong { throw Violation("straight image in the order \(order): \(wrong)") }
  }

  /// Returns a description of the first wrong component of `result`, an image with straight alpha, or nil if
  /// there is none. Each component must be the premultiplied component in `blur`, divided by alpha.
  ///
  /// A component may differ from this quotient by the rounding error of its format. If the premultiplied
  /// image has float components, their last bits may be wrong too, and dividing by a small alpha enlarges
  /// these errors.
  private static func wrongStraight(_ result: ImageView, _ blur: ImageView) -> String? {
    let (full, wide) = (result.layout.format.fullScale, blur.layout.format.fullScale)
    let rounding = result.layout.format.component == .float32 ? 0 : 0.5
    let share = blur.layout.format.component == .float32 ? 2e-6 : 1e-7
    for y in 0..<result.layout.height {
      for x in 0..<result.layout.width {
        let alpha = blur.value(4 * x + 3, y) / wide
        for c in 0..<4 {
          let value = blur.value(4 * x + c, y) / wide
          var expected = c == 3 ? value : alpha > 0 ? value / alpha : 0
          if rounding > 0 { expected = max(0, min(1, expected)) }
          let allowed = rounding + full * share / (c == 3 ? 1 : max(alpha, share))
          let found = result.value(4 * x + c, y)
          if !(abs(found - expected * full) <= allowed) {
            return "\(found) instead of \(expected * full) at x \(x), y \(y), channel \(c)"
          }
        }
      }
    }
    return nil
  }

  /// Returns an image with straight alpha. It has transparent, nearly transparent and opaque pixels next to
  /// each other, and transparent areas that are larger than the window.
  private func straightImage(_ width: Int, _ height: Int) throws -> Image {
    let (full, code) = (format.fullScale, format.component == .float32 ? 1 / 65535.0 : 1)
    var random = SplitMix64(seed: 5)
    return try Image.painted(layout(width, height)) { x, y, c in
      let share = random.next(below: 6) == 0 ? 1 : random.nextShare()
      guard c == 3 else { return share * full }
      if x > 2 * width / 3 && y > 2 * height / 3 { return 0 }
      return [0, 0, code, 2 * code, share * full, full][random.next(below: 6)]
    }
  }

  private func layout(
    _ width: Int, _ height: Int, _ order: ImageLayout.ChannelOrder, _ alpha: ImageLayout.Alpha
  ) throws -> ImageLayout {
    try ImageLayout(format, width: width, height: height, order: order, alpha: alpha)
  }

  /// Moves the channels of an image from the usual order to the order of `layout`, blurs the image, and
  /// returns the result with its channels moved back.
  private func blurred(_ image: Image, as layout: ImageLayout) throws -> Image {
    func moved(_ image: Image, to target: ImageLayout, _ place: (Int) -> Int) throws -> Image {
      try image.withView { view in
        try Image.painted(target) { x, y, c in view.value(4 * x + place(c), y) }
      }
    }
    let places = (0..<4).map { layout.order.index(of: $0) }
    let source = try moved(image, to: layout) { place in places.firstIndex(of: place) ?? 0 }
    var result = try Image(layout)
    try plan(layout).blur(source, into: &result)
    return try moved(result, to: image.layout) { channel in places[channel] }
  }
}
