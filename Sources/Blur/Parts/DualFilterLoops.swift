import CBlurVectors

/// The inner loops of the dual filter. Levels are rows of single precision, in the units of the format; vectors
/// of 4 values are a pixel of four channels, or four gray ones. Lines and rows have room for one vector more.
enum DualFilterLoops {
  typealias Line = UnsafeMutablePointer<Float>

  /// Values that loops may read and write beyond the end of a line or a row.
  static let slack = 16

  /// The mean of two samples of a column of pixels, for each of `count` columns. `row` names a row.
  @inline(__always)
  static func blend<C: PixelComponent>(
    _ pair: SamplePair, _ type: C.Type, into line: Line, _ count: Int, _ row: (Int) -> UnsafeRawPointer
  ) {
    let (a, b, c, d) = (row(pair.index[0]), row(pair.index[1]), row(pair.index[2]), row(pair.index[3]))
    let weight = pair.weight
    // SAFETY: the caller's rows and the line hold `count` values.
    for i in 0..<count {
      line[i] =
        weight[0] * single(a, i, type) + weight[1] * single(b, i, type)
        + (weight[2] * single(c, i, type) + weight[3] * single(d, i, type))
    }
  }

  /// One sample between two rows, for each of `count` columns.
  @inline(__always)
  static func blend<C: PixelComponent>(
    _ near: UnsafeRawPointer, _ weight: Float, _ far: UnsafeRawPointer, _ type: C.Type, into line: Line,
    _ count: Int
  ) {
    // SAFETY: the caller's rows and the line hold `count` values.
    for i in 0..<count {
      line[i] =
        weight * single(near, i, type) + (1 - weight) * single(far, i, type)
    }
  }

  /// Without a check for overflow, which would keep loops scalar.
  @inline(__always)
  private static func single<C: PixelComponent>(_ row: UnsafeRawPointer, _ i: Int, _ type: C.Type) -> Float {
    // SAFETY: callers stay inside the row; no alignment is assumed.
    row.loadUnaligned(fromByteOffset: i &* MemoryLayout<C>.size, as: type).single
  }

  /// Halves a row: `count` values of pixels of which each covers two of the lines'.
  @inline(__always)
  static func halve(
    centre: Line, corners: Line, _ pair: SamplePair, _ channels: Int, into row: Line, _ count: Int
  ) {
    let left = corners + pair.index[0] * channels
    let right = corners + pair.index[2] * channels
    // Half of all weight is the centre's.
    let weight = pair.weight / 2
    var i = 0
    while i < count {
      // SAFETY: lines reach as far as samples do, and rows have `slack`.
      let (a, b) = two(centre + 2 &* i, channels)
      let (c, d) = two(left + 2 &* i, channels)
      let (e, f) = two(right + 2 &* i, channels)
      let outer = c * weight[0] + d * weight[1] + (e * weight[2] + f * weight[3])
      store((a + b) * 0.25 + outer, row + i)
      i &+= 4
    }
  }

  /// The lines that doubling across a row needs: each pixel's mean over the rows of one kind of sample.
  struct UpLines {
    let centre: Line
    let far: Line
    let half: Line
  }

  /// Doubles a row: for each pixel of the lines, `count` values of them, two pixels.
  @inline(__always)
  static func double(
    _ lines: UpLines, far: SamplePair, half: SamplePair, _ channels: Int, into row: Line, _ count: Int
  ) {
    let (farWeight, halfWeight) = (far.weight / 6, half.weight * 2 / 3)
    let (near, next) = (Float(0.75) / 6, Float(0.25) / 6)
    let (farIndex, halfIndex) = (far.index &* channels, half.index &* channels)
    // Even pixels are the mirror image of odd ones.
    @inline(__always) func pixel(_ i: Int, _ side: Int) -> SIMD4<Float> {
      // SAFETY: lines reach as far as samples do.
      @inline(__always) func four(_ line: Line, _ index: SIMD4<Int>, _ weight: SIMD4<Float>) -> SIMD4<Float> {
        let origin = line + i
        return load(origin + side &* index[0]) * weight[0] + load(origin + side &* index[1]) * weight[1]
          + (load(origin + side &* index[2]) * weight[2] + load(origin + side &* index[3]) * weight[3])
      }
      let middle = load(lines.far + i) * near + load(lines.far + i + side &* channels) * next
      return four(lines.centre, farIndex, farWeight) + middle + four(lines.half, halfIndex, halfWeight)
    }
    var i = 0
    while i < count {
      // SAFETY: rows have `slack`.
      storeTwo(pixel(i, -1), pixel(i, 1), row + 2 &* i, channels)
      i &+= 4
    }
  }

  /// Mixes a row with `share` of weight and the image's own, and writes it rounded.
  @inline(__always)
  static func finish(
    _ row: Line, share: Float, _ source: UnsafeRawPointer, into target: UnsafeMutableRawPointer, _ count: Int,
    _ component: PixelFormat.Component
  ) {
    let bytes = component.bytes
    @inline(__always) func run(
      _ load: (UnsafeRawPointer, Int) -> blur_f32, _ store: (UnsafeMutableRawPointer, blur_f32, Int) -> Void
    ) {
      var i = 0
      while i < count {
        let left = count &- i
        var value = blur_load_f32(row + i)
        // SAFETY: rows of the image hold `count` components, of which no more than `left` are touched.
        if share < 1 { value = value * share + load(source + bytes &* i, left) * (1 - share) }
        store(target + bytes &* i, value, left)
        i &+= blur_f32_lanes
      }
    }
    switch component {
    case .uint8: run({ blur_f32_from_u8($0, $1) }, { blur_u8_from_f32($0, $1, $2) })
    case .uint16: run({ blur_f32_from_u16($0, $1) }, { blur_u16_from_f32($0, $1, $2) })
    case .float32: run({ blur_f32_from_f32($0, $1) }, { blur_f32_to_f32($0, $1, $2) })
    }
  }

  /// The even and the odd of eight values, taken by the pixel.
  @inline(__always)
  private static func two(_ line: Line, _ channels: Int) -> (SIMD4<Float>, SIMD4<Float>) {
    if channels == 4 { return (load(line), load(line + 4)) }
    let both = UnsafeRawPointer(line).loadUnaligned(as: SIMD8<Float>.self)
    return (both.evenHalf, both.oddHalf)
  }

  @inline(__always)
  private static func storeTwo(_ even: SIMD4<Float>, _ odd: SIMD4<Float>, _ row: Line, _ channels: Int) {
    if channels == 4 {
      store(even, row)
      store(odd, row + 4)
    } else {
      var both = SIMD8<Float>()
      (both.evenHalf, both.oddHalf) = (even, odd)
      UnsafeMutableRawPointer(row).storeBytes(of: both, as: SIMD8<Float>.self)
    }
  }

  @inline(__always)
  private static func load(_ values: Line) -> SIMD4<Float> {
    UnsafeRawPointer(values).loadUnaligned(as: SIMD4<Float>.self)
  }

  @inline(__always)
  private static func store(_ values: SIMD4<Float>, _ target: Line) {
    UnsafeMutableRawPointer(target).storeBytes(of: values, as: SIMD4<Float>.self)
  }
}
