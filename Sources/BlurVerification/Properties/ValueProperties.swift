import Blur

extension Property {
  /// Checks every code value of an integer format, and unusual combinations of neighbouring values.
  static let codes = Property(
    "codes", "every pixel value and every pair of extreme neighbours is blurred correctly",
    // At sigmas of 10 and above, the images are large, so only the widest instruction set is checked. The
    // other ones differ only in how many values they process at once.
    scope: Scope(
      sigmas: [0.4, 2.5, 20], edges: ["clamp", "constant-colour"], includesNarrowSets: { $0.sigma.x < 10 })
  ) { test in
    try test.skipDefinition(ifSigmaAbove: 1)
    try test.skipWithoutPromise()
    try test.expectConstants()
    try test.expectWhite()
    try test.expectAnyConstantEdge()
    return try [test.stripes(), test.pairs(), test.allCodes(), test.magnitudes()].compactMap { $0 }.worst
  }
}

extension KernelUnderTest {
  /// Checks that the blur does not change images in which all pixels are equal. There is an image for every
  /// code value, or only for some code values if blurs take long. In 16-bit formats, the channels have
  /// different values, so that fewer images cover all values.
  fileprivate func expectConstants() throws {
    guard format.component != .float32, case .clamp = subject.edge else { return }
    // At large sigmas, the image is larger, because kernels downsample only images that are large enough.
    let layout = sigma.x > 10 ? try layout(150, 90) : try layout(19, 5)
    let plan = try plan(layout)
    let codes = Int(format.fullScale) + 1
    let shift = codes > 256 ? codes / format.channels : 0
    let turns = codes > 256 ? (codes + format.channels - 1) / format.channels : codes
    // With a step of 1, all code values are tried. To save time, a larger step is used for kernels that
    // compute the plain definition, for large sigmas, for small sigmas in 16-bit formats, and in 16-bit
    // formats with one channel, which need the most images.
    var step = 1
    if kernel.isDefinition || sigma.x > 10 {
      step = codes / 15
    } else if codes > 256, sigma.x < 1 {
      step = 7
    } else if codes > 256, format.channels == 1 {
      step = 3
    }
    let allowed = format.component == .uint8 ? 0 : 2e-5 * 255
    var result = try Image(layout)
    var image = try Image(layout)
    let end = ContinuousClock.now + .seconds(3)
    for turn in stride(from: 0, to: turns, by: step) {
      // Consecutive images have very different values, so that a pixel that the kernel forgets to write is
      // noticed.
      let pixel = (0..<format.channels).map { channel in
        let place = turn + channel * shift
        return (step == 1 ? codes - 1 + place * 40_503 : 2 * codes - 1 - place) % codes
      }
      if turn > 100, ContinuousClock.now > end { break }
      image.withMutableView { $0.fill(pixel) }
      try plan.blur(image, into: &result)
      guard result != image else { continue }
      try expectSame(result, image, within: allowed, of: image, "constant image with pixels \(pixel)")
    }
  }

  /// Checks that white stays white in images of two or three columns or rows with mirrored edges. The windows
  /// contain the few pixels of such a line many times, so the rounding errors of these pixels are not
  /// averaged out.
  fileprivate func expectWhite() throws {
    guard format.component != .float32, case .clamp = subject.edge, try supports(.mirror) else { return }
    for (width, height) in [(3, 33), (33, 3), (2, 300), (300, 2)] {
      let layout = try layout(width, height)
      let plan = try plan(layout, edge: .mirror)
      var image = try Image(layout)
      var result = try Image(layout)
      image.withMutableView { $0.fill([Int](repeating: Int(format.fullScale), count: format.channels)) }
      try plan.blur(image, into: &result)
      let allowed = format.component == .uint8 ? 0 : 2e-5 * 255
      try expectSame(result, image, within: allowed, of: image, "white image of \(width)x\(height), mirrored")
    }
  }

  /// Checks the edge mode `constant` with constant colours that lie between two code values, or outside the
  /// range of the format.
  fileprivate func expectAnyConstantEdge() throws {
    guard case .constant = subject.edge else { return }
    let full = Float(format.fullScale)
    let pixels: [SIMD4<Float>] =
      format.component == .float32
      ? [[-2, 3, 1e4, 0.5]] : [[0.4 * full + 0.3, 1.3 * full, -0.2 * full, 0.7 * full + 0.6]]
    // Each colour is tried a second time with its components in a different order, because gray formats use
    // only the first component.
    for pixel in pixels + pixels.map({ SIMD4($0.y, $0.z, $0.w, $0.x) }) {
      let edge = EdgeMode.constant(pixel)
      let image = try image(.noise, 23, 17)
      _ = try judge(
        blurred(image, edge: edge), of: image, edge: edge,
        "edge mode constant with the colour \((0..<format.channels).map { pixel[$0] })")
    }
  }

  /// Checks vertical and horizontal stripes of several widths and shifts. If sigma is above 10, some kernels
  /// downsample the image before they blur it, but only if it is large enough. The test image is therefore
  /// larger for these sigmas.
  fileprivate func stripes() throws -> Finding? {
    let isLarge = sigma.x > 10
    let layout = isLarge ? try layout(150, 90) : try layout(67, 21)
    return try (isLarge ? [1, 5, 16] : [1, 2, 5, 16]).flatMap { width in
      try stride(from: 0, to: width, by: isLarge || sigma.x < 1 ? max(1, width / 2) : 1).flatMap { phase in
        try [true, false].map { isAcross in
          let image = try Image.painted(layout) { x, y, _ in
            ((isAcross ? x : y) + phase) / width % 2 == 0 ? format.fullScale : 0
          }
          return try judge(
            blurred(image), of: image,
            "\(isAcross ? "vertical" : "horizontal") stripes of width \(width), shifted by \(phase)")
        }
      }
    }.worst
  }

  /// Checks an image in which every pair of extreme values occurs as neighbours in a row and as neighbours in
  /// a column. The extreme values are black, white, the code values next to them, and two values in the
  /// middle of the range.
  fileprivate func pairs() throws -> Finding? {
    let (full, isFloat) = (format.fullScale, format.component == .float32)
    let middle = isFloat ? 0.5 : (full / 2).rounded(.down)
    let code = isFloat ? 1e-6 : 1
    let values = [0, code, middle, middle + code, full - code, full]
    let side = values.count
    let image = try Image.painted(layout(4 * side, 4 * side)) { x, y, c in
      // In odd rows, each channel has a different value. Some of these pixels have an alpha of 0 and a colour
      // that is not 0.
      values[((x % 2 == 0 ? x / 4 : y / 4) + (y % 2) * c) % side]
    }
    return try judge(blurred(image), of: image, "all pairs of the values \(values) as neighbours")
  }

  /// Checks an image that contains every 16-bit value once, in scattered order.
  fileprivate func allCodes() throws -> Finding? {
    guard format.component == .uint16, format.channels == 1, !kernel.isDefinition else { return nil }
    let image = try Image.painted(layout(256, 256)) { x, y, _ in Double((x + 256 * y) * 40_503 % 65_536) }
    return try judge(blurred(image), of: image, "image with every 16-bit value")
  }

  /// Checks float images that contain extremely small and extremely large numbers next to each other.
  fileprivate func magnitudes() throws -> Finding? {
    guard format.component == .float32 else { return nil }
    let sets: [[Double]] = [
      [1e30, 1e-30, -1e30, 0], [2e34, 0, 1, 1e34], [1e-40, 0, 2e-42, 1e-38], [-1, 1e-40, 4, 0],
      [1e6, 0, 7e4, -1e6],
    ]
    return try sets.map { values in
      let image = try Image.painted(layout(29, 13)) { x, y, c in values[(x * 7 + y * 3 + c) % values.count] }
      return try judge(blurred(image), of: image, "image with the values \(values)")
    }.worst
  }
}

extension MutableImageView {
  /// Sets every pixel to the given component values of an integer format.
  fileprivate func fill(_ pixel: [Int]) {
    for i in 0..<layout.rowComponents {
      let code = pixel[i % pixel.count]
      // SAFETY: `i` is below `rowComponents`, the number of components in a row, so the component is stored
      // inside row 0. Storing bytes does not need an aligned address.
      if layout.format.component == .uint8 {
        unsafeRow(0).storeBytes(of: UInt8(code), toByteOffset: i, as: UInt8.self)
      } else {
        unsafeRow(0).storeBytes(of: UInt16(code), toByteOffset: 2 * i, as: UInt16.self)
      }
    }
    // SAFETY: row 0 is copied to row `y`, which lies inside the image because `y` stays below the height.
    // Every row holds `rowBytes` bytes.
    for y in 1..<layout.height { unsafeRow(y).copyMemory(from: unsafeRow(0), byteCount: layout.rowBytes) }
  }
}
