import BlurLoopTable
import CBlurVectors

// These loops compute the dual filter (dual Kawase blur), which the kernel `dual-kawase` uses. It blurs an
// image by halving its size several times and then doubling it as many times. The smaller images are stored
// in single precision, in the units of the image format. The rules for the code in this folder are in
// Loops.swift.

/// Returns the weights for computing an interpolated value from four pixels. Each weight is multiplied by
/// `factor`.
@inline(__always)
private func weights(_ samples: blur_samples, _ factor: Float) -> (Float, Float, Float, Float) {
  let w = samples.weight
  return (w.0 * factor, w.1 * factor, w.2 * factor, w.3 * factor)
}

@inline(__always)
private func sum(
  _ a: blur_f32, _ b: blur_f32, _ c: blur_f32, _ d: blur_f32, _ w: (Float, Float, Float, Float)
) -> blur_f32 {
  blur_add_product(a * w.0, b, w.1) + blur_add_product(c * w.2, d, w.3)
}

/// Interpolates vertically: computes a line of values from two or four source rows. Each value is a weighted
/// mean of the pixels in one column of these rows.
@inline(never)
func dualBlend(_ a: DualBlend) {
  switch a.bytes {
  case 1: blend(a) { blur_f32_from_u8($0 + $1, $2) }
  case 2: blend(a) { blur_f32_from_u16($0 + 2 &* $1, $2) }
  default: blend(a) { blur_f32_from_f32($0 + 4 &* $1, $2) }
  }
}

@inline(__always)
private func blend(_ arguments: DualBlend, _ load: (UnsafeRawPointer, Int, Int) -> blur_f32) {
  let (rows, line, count) = (arguments.rows, arguments.line, arguments.count)
  let w = weights(arguments.samples, 1)
  let (a, b, c, d) = (rows[0], rows[1], rows[2], rows[3])
  // SAFETY: each of the four source rows holds `count` components. The last vector of a row loads only the
  // components that remain, so no load goes beyond the row.
  if w.2 == 0 && w.3 == 0 {
    vectors(count) { x, loaded in
      blur_store_f32(line + x, blur_add_product(load(a, x, loaded) * w.0, load(b, x, loaded), w.1))
    }
  } else {
    vectors(count) { x, loaded in
      blur_store_f32(
        line + x, sum(load(a, x, loaded), load(b, x, loaded), load(c, x, loaded), load(d, x, loaded), w))
    }
  }
}

/// Calls `body` once for each vector of a row that has `count` values. `place` is the index of the vector's
/// first value in the row, and `values` is the number of values in the vector. Only the last vector can be
/// incomplete. For all others, `values` is a compile-time constant, so that each load and each store is a
/// single instruction.
@inline(__always)
private func vectors(_ count: Int, _ body: (_ place: Int, _ values: Int) -> Void) {
  let lanes = blur_f32_lanes
  var x = 0
  while x &+ lanes <= count {
    body(x, lanes)
    x &+= lanes
  }
  if x < count { body(x, count &- x) }
}

/// Halves the width of a row: computes one pixel from each pair of neighbouring pixels. The input consists of
/// two lines, which were interpolated vertically from the rows of the larger image. For each pair, one sample
/// is taken from the line `centre`, at the centre of the pair, and two samples are taken from the line
/// `corners`, to the left and to the right of this centre.
@inline(never)
func dualDownsample(_ a: DualDownsample) {
  // Each case compiles its own copy of the loop for one number of channels. If the compiler knows this
  // number, each shuffle of a vector is a single instruction.
  switch a.channels {
  case 1: downsample(a, 1)
  case 3: downsample(a, 3)
  default: downsample(a, 4)
  }
}

@inline(__always)
private func downsample(_ a: DualDownsample, _ channels: Int) {
  let (centre, row, lanes) = (a.centre, a.row, blur_f32_lanes)
  let left = a.corners + a.samples.index.0 &* channels
  let right = a.corners + a.samples.index.2 &* channels
  let w = weights(a.samples, 0.5)
  @inline(__always) func pair(_ line: UnsafePointer<Float>) -> (even: blur_f32, odd: blur_f32) {
    // SAFETY: the function loads two vectors from `line`. The caller's lines can be read up to two vectors
    // beyond their last value, so both loads stay in readable memory.
    let (first, second) = (blur_load_f32(line), blur_load_f32(line + lanes))
    return (blur_even_f32(first, second, channels), blur_odd_f32(first, second, channels))
  }
  var x = 0
  while x < a.count {
    let (inner, before, after) = (pair(centre + 2 &* x), pair(left + 2 &* x), pair(right + 2 &* x))
    let outer = sum(before.even, before.odd, after.even, after.odd, w)
    blur_store_f32(row + x, blur_add_product(outer, inner.even + inner.odd, 0.25))
    x &+= blur_whole_pairs(2 &* lanes, channels) / 2
  }
}

/// Computes one row of the larger image. The input consists of three lines, which were interpolated
/// vertically from the rows of the smaller image. Each line has half as many pixels as the computed row.
@inline(never)
func dualUpsample(_ a: DualUpsample) {
  let (channels, row, lanes) = (a.channels, a.row, blur_f32_lanes)
  let near = weights(a.nearSample, 1.0 / 6)
  let farWeights = weights(a.farSamples, 1.0 / 6)
  let halfWeights = weights(a.halfSamples, 2.0 / 3)
  @inline(__always) func mean(
    _ line: UnsafePointer<Float>, _ samples: blur_samples, _ step: Int, _ w: (Float, Float, Float, Float)
  ) -> blur_f32 {
    // SAFETY: each sample is interpolated from pixels before or after the current pixel. The caller's lines
    // are readable at all these places, even before the first and after the last pixel of a line.
    sum(
      blur_load_f32(line + step &* samples.index.0), blur_load_f32(line + step &* samples.index.1),
      blur_load_f32(line + step &* samples.index.2), blur_load_f32(line + step &* samples.index.3), w)
  }
  @inline(__always) func pixel(_ x: Int, _ step: Int) -> blur_f32 {
    let outer =
      mean(a.nearLine + x, a.farSamples, step, farWeights)
      + mean(a.halfLine + x, a.halfSamples, step, halfWeights)
    let far = a.farLine + x
    let inner = blur_add_product(blur_load_f32(far) * near.0, blur_load_f32(far + step), near.1)
    return outer + inner
  }
  var x = 0
  while x < a.count {
    let (even, odd) = (pixel(x, 0 &- channels), pixel(x, channels))
    blur_store_f32(row + 2 &* x, blur_lower_f32(even, odd, channels))
    blur_store_f32(row + (2 &* x &+ lanes), blur_upper_f32(even, odd, channels))
    x &+= blur_whole_pairs(2 &* lanes, channels) / 2
  }
}

/// Mixes a blurred row with the same row of the original image, rounds the result to the image format, and
/// writes it. The weight of the blurred row is `share`.
@inline(never)
func dualMix(_ a: DualMix) {
  let (row, share, source, target, bytes) = (a.row, a.share, a.source, a.target, a.bytes)
  @inline(__always) func run(
    _ load: (UnsafeRawPointer, Int) -> blur_f32, _ store: (UnsafeMutableRawPointer, blur_f32, Int) -> Void
  ) {
    // SAFETY: the source row and the target row hold `count` components each. The last vector reads and
    // writes only the components that remain, so no access goes beyond a row.
    vectors(a.count) { x, values in
      var value = blur_load_f32(row + x)
      if share < 1 { value = blur_add_product(value * share, load(source + bytes &* x, values), 1 - share) }
      store(target + bytes &* x, value, values)
    }
  }
  switch bytes {
  case 1: run({ blur_f32_from_u8($0, $1) }, { blur_u8_from_f32($0, $1, $2) })
  case 2: run({ blur_f32_from_u16($0, $1) }, { blur_u16_from_f32($0, $1, $2) })
  default: run({ blur_f32_from_f32($0, $1) }, { blur_f32_to_f32($0, $1, $2) })
  }
}
