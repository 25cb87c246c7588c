import BlurLoopTable
import CBlurVectors

// The single-precision filter for any format. See Loops.swift for the rules of this folder.

/// The vertical pass.
@inline(never)
func floatDown(_ a: FloatDown) {
  switch a.bytes {
  case 1: down(a, 1) { blur_f32_from_u8($0 + $1, $2) }
  case 2: down(a, 2) { blur_f32_from_u16($0 + 2 &* $1, $2) }
  default: down(a, 4) { blur_f32_from_f32($0 + 4 &* $1, $2) }
  }
}

@inline(__always)
private func down(_ a: FloatDown, _ bytes: Int, _ load: (UnsafeRawPointer, Int, Int) -> blur_f32) {
  let lanes = blur_f32_lanes
  var x = 0
  while x < a.count {
    let start = a.count >= lanes ? min(x, a.count &- lanes) : 0
    // SAFETY: the rows of the next block are in the list, too; prefetching reads none.
    for i in 0..<4 { blur_prefetch(a.rows[a.taps &+ 3 &+ i] + bytes &* start) }
    if a.count >= lanes {
      downBlock(a, start) { load($0, start, lanes) }
    } else {
      downBlock(a, 0) { load($0, 0, a.count) }
    }
    x &+= lanes
  }
}

@inline(__always)
private func downBlock(_ a: FloatDown, _ start: Int, _ load: (UnsafeRawPointer) -> blur_f32) {
  let (rows, taps, weights, lines, lineStride) = (a.rows, a.taps, a.weights, a.lines + start, a.lineStride)
  var (sum0, sum1, sum2, sum3) = (blur_f32.zero, blur_f32.zero, blur_f32.zero, blur_f32.zero)
  // Rows that not all four windows hold are added to those that do: a zero weight would spread NaN.
  @inline(__always) func addPartly(_ i: Int) {
    let value = load(rows[i])
    if i < taps { sum0 = blur_add_product(sum0, value, weights[i]) }
    if i >= 1 && i &- 1 < taps { sum1 = blur_add_product(sum1, value, weights[i &- 1]) }
    if i >= 2 && i &- 2 < taps { sum2 = blur_add_product(sum2, value, weights[i &- 2]) }
    if i >= 3 { sum3 = blur_add_product(sum3, value, weights[i &- 3]) }
  }
  // SAFETY: the caller names taps + 3 rows and `taps` weights.
  var i = 0
  while i < 3 {
    addPartly(i)
    i &+= 1
  }
  while i < taps {
    let value = load(rows[i])
    sum0 = blur_add_product(sum0, value, weights[i])
    sum1 = blur_add_product(sum1, value, weights[i &- 1])
    sum2 = blur_add_product(sum2, value, weights[i &- 2])
    sum3 = blur_add_product(sum3, value, weights[i &- 3])
    i &+= 1
  }
  while i < taps &+ 3 {
    addPartly(i)
    i &+= 1
  }
  // SAFETY: each line has room for one vector beyond its last value.
  blur_store_f32(lines, sum0)
  blur_store_f32(lines + lineStride, sum1)
  blur_store_f32(lines + 2 &* lineStride, sum2)
  blur_store_f32(lines + 3 &* lineStride, sum3)
}

/// The horizontal pass.
@inline(never)
func floatAcross(_ a: FloatAcross) {
  let target = a.target
  switch a.bytes {
  case 1: across(a) { blur_u8_from_f32(target + $0, $1, $2) }
  case 2: across(a) { blur_u16_from_f32(target + 2 &* $0, $1, $2) }
  default: across(a) { blur_f32_to_f32(target + 4 &* $0, $1, $2) }
  }
}

@inline(__always)
private func across(_ a: FloatAcross, _ store: (Int, blur_f32, Int) -> Void) {
  let (step, radius, weights, lanes) = (a.channels, a.radius, a.weights, blur_f32_lanes)
  var x = 0
  while x < a.count {
    let p = a.line + x
    // Four vectors side by side keep the multipliers busy.
    var sum0 = blur_load_f32(p) * weights[0]
    var sum1 = blur_load_f32(p + lanes) * weights[0]
    var sum2 = blur_load_f32(p + 2 &* lanes) * weights[0]
    var sum3 = blur_load_f32(p + 3 &* lanes) * weights[0]
    var k = 1
    while k <= radius {
      // SAFETY: the caller's line is readable this far to both sides, and holds `radius + 1` weights.
      let (left, right, weight) = (p - k &* step, p + k &* step, weights[k])
      sum0 = blur_add_product(sum0, blur_load_f32(left) + blur_load_f32(right), weight)
      sum1 = blur_add_product(sum1, blur_load_f32(left + lanes) + blur_load_f32(right + lanes), weight)
      sum2 = blur_add_product(
        sum2, blur_load_f32(left + 2 &* lanes) + blur_load_f32(right + 2 &* lanes), weight)
      sum3 = blur_add_product(
        sum3, blur_load_f32(left + 3 &* lanes) + blur_load_f32(right + 3 &* lanes), weight)
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
