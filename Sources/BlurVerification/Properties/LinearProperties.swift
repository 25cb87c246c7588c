import Blur
import BlurText

extension Property {
  /// Checks that a blur does not change an image in which all pixels have the same colour.
  static let constant = Property("constant", "an image of one colour stays unchanged") { test in
    _ = try test.tolerance()
    let full = test.format.fullScale
    let code = test.format.component == .float32 ? 1e-3 : 1
    let values = [0, code, full / 2 - 0.5 * code, full - code, full].map(test.format.stored)
    for shift in values.indices {
      let pixel = (0..<4).map { values[(shift + $0) % values.count] }
      let edge = test.subject.edge.ifConstant(SIMD4(pixel.map { Float($0) }))
      let image = try Image.painted(test.layout(9, 7)) { _, _, c in pixel[c] }
      // 8-bit results must be exact, because a difference of one code value is visible in 8 bits. Other
      // formats may differ by 2e-5 of full scale.
      let allowed = test.format.component == .uint8 ? 0 : 2e-5 * 255
      let shown = pixel.prefix(test.format.channels).map(\.short).joined(separator: ", ")
      try test.expectSame(
        test.blurred(image, edge: edge), image, within: allowed, of: image,
        "constant image with pixels [\(shown)]")
    }
    return nil
  }

  /// Checks the impulse response of a kernel, which is the blur of a single bright pixel, in 16-bit and float
  /// formats.
  ///
  /// 8-bit formats are left out, because most weights would be rounded to 0 or 1. The property ``step``
  /// covers 8-bit formats: it checks sums of weights, which are so large that rounding does not hide them.
  static let impulse = Property(
    "impulse", "the impulse response is symmetric and sums to 1 (16-bit and float formats)",
    scope: Scope(formats: PixelFormat.allCases.filter { $0.component != .uint8 }, edges: ["clamp"])
  ) { test in
    guard test.format.component != .uint8 else {
      throw NotApplicable("8 bits are too coarse for an impulse response; see the property step instead")
    }
    // The image is large enough to contain the tails of recursive filters, which are longer than the tails of
    // the Gaussian.
    let (width, height) = (2 * Int(8 * test.sigma.x) + 21, 2 * Int(8 * test.sigma.y) + 21)
    let layout = try test.layout(width, height)
    let (low, high) = test.impulseRange
    let edge = test.subject.edge.ifConstant(SIMD4(repeating: Float(low)))
    let impulse = try Image.painted(layout) { x, y, _ in x == width / 2 && y == height / 2 ? high : low }
    let response = try test.blurred(impulse, edge: edge)
    let allowed = try test.tolerance()
    try test.expectSame(
      response, response.flippedAcross(), within: allowed, of: impulse,
      "impulse response compared with its left-right mirror image")
    try test.expectSame(
      response, response.flippedDown(), within: allowed, of: impulse,
      "impulse response compared with its top-bottom mirror image")
    let flat = try test.blurred(Image.painted(layout) { _, _, _ in low }, edge: edge)
    try test.expectSumsToOne(response, of: impulse, above: flat, height: high - low)
    return nil
  }

  /// Checks the step response: the blur of an image that changes from black to white. Each value of this blur
  /// is a sum of weights, from one end of the kernel's window up to some position.
  static let step = Property(
    "step", "the blur of a step rises from 0 to full scale and is symmetric", scope: Scope(edges: ["clamp"])
  ) { test in
    try test.expectClamp()
    for axis in Axis.allCases {
      let response = try test.stepResponse(axis)
      let ends = try response.rearranged(test.layout(2, 1)) { x, _ in (x * (response.layout.width - 1), 0) }
      let expected = try Image.painted(ends.layout) { x, _, _ in x == 0 ? 0 : test.format.fullScale }
      try test.expectSame(
        ends, expected, within: test.tolerance(ofTails: true), "ends of the step response (\(axis))")
      let complement = try response.flippedAcross().complement()
      try test.expectSame(
        response, complement, within: test.tolerance(),
        "step response (\(axis)) compared with its point reflection")
    }
    return nil
  }

  /// Checks that a blur does not overshoot at edges in the image. Overshoots would be visible as halos.
  static let monotone = Property(
    "monotone", "the blur of a rising row never falls (no weight is negative)", scope: Scope(edges: ["clamp"])
  ) { test in
    try test.expectClamp()
    _ = try test.tolerance()
    var random = SplitMix64(seed: 7)
    let rising = (0..<61).map { _ in random.nextShare() * test.format.fullScale }.sorted()
    let image = try Image.painted(test.layout(61, 2)) { x, _, _ in x < 20 ? 0 : rising[x] }
    for axis in Axis.allCases {
      let blurred = try test.blurred(image.lying(axis))
      try test.expectRising(blurred.lying(axis), of: image, axis)
    }
    return nil
  }

  /// Checks that a blur treats left and right, top and bottom, and rows and columns alike.
  static let symmetries = Property(
    "symmetries", "blurring a flipped or transposed image gives the flipped or transposed blur"
  ) { test in
    try test.skipDefinition(ifSigmaAbove: 2.5)
    let image = try test.image(.noise, 37, 29, seed: 5)
    let blurred = try test.blurred(image)
    let allowed = test.toleranceOfMirrors
    try test.expectSame(
      test.blurred(image.flippedAcross()).flippedAcross(), blurred, within: allowed, of: image,
      "blur of the image with left and right exchanged")
    try test.expectSame(
      test.blurred(image.flippedDown()).flippedDown(), blurred, within: allowed, of: image,
      "blur of the image with top and bottom exchanged")
    let transposed = try test.blurred(image.transposed(), sigma: test.sigma.transposed).transposed()
    try test.expectSame(
      transposed, blurred, within: allowed, of: image, "blur of the image with rows and columns exchanged")
    return nil
  }
}

extension KernelUnderTest {
  /// The pixel values of a test image with an impulse: `high` for one pixel, and `low` for all others.
  /// Negative weights cause results below `low` or above `high`. In integer formats, both values are far from
  /// black and white, so that such results are not clipped.
  fileprivate var impulseRange: (low: Double, high: Double) {
    let full = format.fullScale
    return format.component == .float32 ? (0, full) : (format.stored(full / 4), format.stored(full * 3 / 4))
  }

  /// Throws a violation unless the values of the impulse response add up to 1 in every channel. In 16-bit
  /// formats, the sum may be off by half a code value for each pixel, because of rounding.
  fileprivate func expectSumsToOne(_ response: Image, of impulse: Image, above flat: Image, height: Double)
    throws
  {
    let rounding = Double(response.layout.pixelCount) * 0.5 / height
    let allowed = format.component == .float32 ? 1e-4 : rounding
    for c in 0..<format.channels {
      let share = (sum(response, channel: c) - sum(flat, channel: c)) / height
      guard !(abs(share - 1) <= allowed) else { continue }
      let (width, height) = (impulse.layout.width, impulse.layout.height)
      throw Violation(
        "the impulse response sums to \(share) instead of 1 in channel \(c)", nil,
        FailureImages(
          source: impulse, result: response, expected: nil,
          around: Deviation(x: width / 2, y: height / 2)))
    }
  }

  private func sum(_ image: Image, channel: Int) -> Double {
    image.withView { view in
      (0..<view.layout.height).reduce(0.0) { sum, y in
        sum
          + stride(from: channel, to: view.layout.rowComponents, by: format.channels).reduce(0) {
            $0 + view.value($1, y)
          }
      }
    }
  }

  /// Returns the blur, along `axis`, of an image that is black on the left and white on the right. If the
  /// axis is `down`, the image is transposed before the blur, and the result is transposed back.
  fileprivate func stepResponse(_ axis: Axis) throws -> Image {
    let half = (axis == .across ? radius.x : radius.y) + 4
    let row = try Image.painted(layout(2 * half, 2)) { x, _, _ in x < half ? 0 : format.fullScale }
    return try blurred(row.lying(axis)).lying(axis)
  }

  fileprivate func expectClamp() throws {
    guard case .clamp = subject.edge else {
      throw NotApplicable(
        "only edge mode clamp is checked, because \(subject.edge.name) makes rising rows fall at their ends")
    }
  }

  fileprivate func expectRising(_ response: Image, of image: Image, _ axis: Axis) throws {
    let channels = format.channels
    let values = response.withView { $0.values(ofRow: 0) }
    var allowed = format.component == .float32 ? 1e-6 : 0.0
    if case .approximation(let levels) = kernel.promise { allowed = levels / 255 * format.fullScale }
    for i in channels..<values.count where !(values[i] >= values[i - channels] - allowed) {
      let fall = (values[i - channels] - values[i]) / format.fullScale * 255
      let place = Deviation(maxLevels: fall, x: i / channels, channel: i % channels)
      throw Violation(
        "the blur of a rising line (\(axis)) falls by \(place.description)", place,
        FailureImages(source: image, result: response, expected: nil, around: place))
    }
  }
}

extension Image {
  /// Returns a version of this image that varies along `axis`. The image itself must vary along rows. Calling
  /// the method again on the result restores the original image.
  fileprivate func lying(_ axis: Axis) throws -> Image { axis == .across ? self : try transposed() }

  /// Returns the image with each component replaced by full scale minus the component.
  fileprivate func complement() throws -> Image {
    let (full, channels) = (layout.format.fullScale, layout.format.channels)
    return try withView { view in
      try Image.painted(layout) { x, y, c in full - view.value(x * channels + c, y) }
    }
  }
}

extension EdgeMode {
  /// Returns this edge mode. If it is `constant`, its colour is replaced with `pixel`.
  func ifConstant(_ pixel: SIMD4<Float>) -> EdgeMode {
    if case .constant = self { .constant(pixel) } else { self }
  }
}
