import Blur

extension Property {
  /// Every code, and what lies beside it.
  static let codes = Property(
    "codes", "every code and every neighbourhood of extremes is blurred like any other",
    scope: Scope(sigmas: [0.4, 2.5, 20], edges: ["clamp", "constant-colour"])
  ) { test in
    try test.skipDefinition(ifSigmaAbove: 1)
    try test.expectConstants()
    try test.expectAnyConstantEdge()
    return try [test.stripes(), test.pairs(), test.allCodes(), test.magnitudes()].compactMap { $0 }.worst
  }
}

extension KernelUnderTest {
  /// A constant image of every code, in one plan. In 16 bits each code stands in one of the channels, which
  /// all differ.
  fileprivate func expectConstants() throws {
    guard format.component != .float32, case .clamp = subject.edge else { return }
    _ = try tolerance()
    // Large sigmas on an image that is worth resampling.
    let layout = sigma.x > 10 ? try layout(150, 90) : try layout(19, 5)
    let plan = try plan(layout)
    let codes = Int(format.fullScale) + 1
    let shift = codes > 256 ? codes / format.channels : 0
    let turns = codes > 256 ? (codes + format.channels - 1) / format.channels : codes
    // All 65,536 codes at one sigma, some at the others.
    let step = kernel.isDefinition || sigma.x > 10 ? codes / 15 : codes > 256 && sigma.x < 1 ? 7 : 1
    let allowed = format.component == .uint8 ? 0 : 2e-5 * 255
    var result = try Image(layout)
    var image = try Image(layout)
    let end = ContinuousClock.now + .seconds(3)
    for turn in stride(from: 0, to: turns, by: step) {
      // In no order, so that a pixel that is not written differs; a slow kernel tries fewer.
      let pixel = (0..<format.channels).map { channel in
        let place = turn + channel * shift
        return (step == 1 ? codes - 1 + place * 40_503 : 2 * codes - 1 - place) % codes
      }
      if turn > 100, ContinuousClock.now > end { break }
      image.withMutableView { $0.fill(pixel) }
      try plan.blur(image, into: &result)
      guard !result.hasSamePixels(as: image) else { continue }
      try expectSame(result, image, within: allowed, of: image, "pixels of \(pixel)")
    }
  }

  /// A constant beyond the edges may be any number: in floats as pixels may, in integers one between two
  /// codes, or beyond all, which counts as the nearest.
  fileprivate func expectAnyConstantEdge() throws {
    guard case .constant = subject.edge else { return }
    let full = Float(format.fullScale)
    let pixels: [SIMD4<Float>] =
      format.component == .float32
      ? [[-2, 3, 1e4, 0.5]] : [[0.4 * full + 0.3, 1.3 * full, -0.2 * full, 0.7 * full + 0.6]]
    // The first channel's number stands for gray.
    for pixel in pixels + pixels.map({ SIMD4($0.y, $0.z, $0.w, $0.x) }) {
      let edge = EdgeMode.constant(pixel)
      let image = try image(.noise, 23, 17)
      let result = try blurred(image, edge: edge)
      let judge = Judge(image, sigma: sigma, edge: edge)
      let judgement = result.withView { judge.judge($0, by: kernel) }
      if let violation = judgement.violation {
        throw Violation(
          "a constant of \(pixel): \(violation)", judgement.deviation,
          judge.failureImages(of: result, by: kernel))
      }
    }
  }

  /// Full and empty columns and rows of several widths, at each phase; at large sigmas a larger image, which
  /// is worth resampling, at some.
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
            "stripes of \(width), moved by \(phase), \(isAcross ? "across" : "down")")
        }
      }
    }.worst
  }

  /// All pairs of values near the ends and the middle of the range, as neighbours along both axes.
  fileprivate func pairs() throws -> Finding? {
    let (full, isFloat) = (format.fullScale, format.component == .float32)
    let middle = isFloat ? 0.5 : (full / 2).rounded(.down)
    let code = isFloat ? 1e-6 : 1
    let values = [0, code, middle, middle + code, full - code, full]
    let side = values.count
    let image = try Image.painted(layout(4 * side, 4 * side)) { x, y, c in
      // The alpha of some pixels with colour is 0.
      values[((x % 2 == 0 ? x / 4 : y / 4) + (y % 2) * c) % side]
    }
    return try judge(blurred(image), of: image, "neighbours of \(values)")
  }

  /// An image of all codes, in no order.
  fileprivate func allCodes() throws -> Finding? {
    guard format.component == .uint16, format.channels == 1, !kernel.isDefinition else { return nil }
    let image = try Image.painted(layout(256, 256)) { x, y, _ in Double((x + 256 * y) * 40_503 % 65_536) }
    return try judge(blurred(image), of: image, "all codes")
  }

  /// Numbers that are hardly there beside numbers that are hardly possible.
  fileprivate func magnitudes() throws -> Finding? {
    guard format.component == .float32 else { return nil }
    let sets: [[Double]] = [
      [1e30, 1e-30, -1e30, 0], [2e34, 0, 1, 1e34], [1e-40, 0, 2e-42, 1e-38], [-1, 1e-40, 4, 0],
      [1e6, 0, 7e4, -1e6],
    ]
    return try sets.map { values in
      let image = try Image.painted(layout(29, 13)) { x, y, c in values[(x * 7 + y * 3 + c) % values.count] }
      return try judge(blurred(image), of: image, "values of \(values)")
    }.worst
  }
}

extension MutableImageView {
  /// Every pixel gets these codes of an integer format.
  fileprivate func fill(_ pixel: [Int]) {
    for i in 0..<layout.rowComponents {
      let code = pixel[i % pixel.count]
      // SAFETY: the row holds this many components; storing bytes assumes no alignment.
      if layout.format.component == .uint8 {
        row(0).storeBytes(of: UInt8(code), toByteOffset: i, as: UInt8.self)
      } else {
        row(0).storeBytes(of: UInt16(code), toByteOffset: 2 * i, as: UInt16.self)
      }
    }
    // SAFETY: all rows have as many bytes.
    for y in 1..<layout.height { row(y).copyMemory(from: row(0), byteCount: layout.rowBytes) }
  }
}
