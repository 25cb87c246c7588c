import BlurLoopTable
import CBlurVectors

// This file contains the horizontal half of the separable blur filter in single precision. FloatDown.swift
// contains the vertical half.

/// Blurs one row horizontally in single precision. The source is a line of intermediate values from the
/// vertical blur.
@inline(never)
func floatAcross(_ a: FloatAcross) {
  let target = a.target
  // Whether the right neighbours are shifted out of two vectors in registers instead of being loaded. This
  // requires AVX-512, and a radius so small that all right neighbours of a vector's values lie in this vector
  // or in the next one.
  let isNear = blur_shifts() && a.radius &* a.channels <= blur_f32_lanes
  switch a.bytes {
  case 1: across(a, isNear, a.radius) { blur_u8_from_f32(target + $0, $1, $2) }
  case 2: across(a, isNear, a.radius) { blur_u16_from_f32(target + 2 &* $0, $1, $2) }
  default:
    let isDone = withKnownRadius(isNear ? a.radius : 0, upTo: 8) { radius in
      across(a, true, radius) { blur_f32_to_f32(target + 4 &* $0, $1, $2) }
    }
    if isDone { return }
    across(a, isNear, a.radius) { blur_f32_to_f32(target + 4 &* $0, $1, $2) }
  }
}

@inline(__always)
private func across(_ a: FloatAcross, _ isNear: Bool, _ radius: Int, _ store: (Int, blur_f32, Int) -> Void) {
  let (step, weights, lanes) = (a.channels, a.weights, blur_f32_lanes)
  var x = 0
  while x < a.count {
    // SAFETY: `weights` holds `radius + 1` weights. The caller's line can also be read outside the row:
    // `radius` pixels before it, and `radius` pixels plus five vectors after it. The loop stays inside this
    // memory: it computes four vectors of output values at a time, and loads at most one vector more than
    // they need.
    let p = a.line + x
    // Each iteration of the outer loop computes four vectors of output values at once, with one sum for each
    // vector. The four sums do not depend on each other, so the CPU can work on all of them at the same time.
    // With a single sum, each multiply-add would have to wait for the result of the previous one.
    var value0 = blur_load_f32(p)
    var value1 = blur_load_f32(p + lanes)
    var value2 = blur_load_f32(p + 2 &* lanes)
    var value3 = blur_load_f32(p + 3 &* lanes)
    var value4 = blur_load_f32(p + 4 &* lanes)
    let centre = weights[0]
    var (sum0, sum1, sum2, sum3) = (value0 * centre, value1 * centre, value2 * centre, value3 * centre)
    var (shift, next) = (0, p + 5 &* lanes)
    var k = 1
    while k <= radius {
      let (left, right, weight) = (p - k &* step, p + k &* step, weights[k])
      if blur_shifts() {
        shift = isNear ? k &* step : shift &+ step
        if !isNear && shift > lanes {
          shift &-= lanes
          (value0, value1, value2, value3) = (value1, value2, value3, value4)
          value4 = blur_load_f32(next)
          next += lanes
        }
      }
      /// Returns the sum of the pixels at distance `k` to the left and to the right, for the output vector
      /// with the index `i` (0 to 3). The left pixels are loaded from memory. With AVX-512, the right pixels
      /// are not loaded, but shifted out of `from` and `to`, two neighbouring vectors that are already in
      /// registers. This is faster, because the CPU can load one vector and shift another at the same time.
      @inline(__always) func pair(_ i: Int, _ from: blur_f32, _ to: blur_f32) -> blur_f32 {
        blur_load_f32(left + i &* lanes)
          + (blur_shifts()
            ? blur_shifted_f32(from, to, Int32(truncatingIfNeeded: shift))
            : blur_load_f32(right + i &* lanes))
      }
      sum0 = blur_add_product(sum0, pair(0, value0, value1), weight)
      sum1 = blur_add_product(sum1, pair(1, value1, value2), weight)
      sum2 = blur_add_product(sum2, pair(2, value2, value3), weight)
      sum3 = blur_add_product(sum3, pair(3, value3, value4), weight)
      k &+= 1
    }
    let left = a.count &- x
    store(x, sum0, left)
    if left > lanes { store(x &+ lanes, sum1, left &- lanes) }
    if left > 2 &* lanes { store(x &+ 2 &* lanes, sum2, left &- 2 &* lanes) }
    if left > 3 &* lanes { store(x &+ 3 &* lanes, sum3, left &- 3 &* lanes) }
    x &+= 4 &* lanes
  }
}
