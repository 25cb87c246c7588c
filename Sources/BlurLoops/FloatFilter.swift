import BlurLoopTable
import CBlurVectors

// The single-precision filter for any format. See Loops.swift for the rules of this folder.

/// The vertical pass.
@inline(never)
func floatDown(_ a: FloatDown) {
  switch a.bytes {
  case 1: forVectors(a) { start, count in sum(a, start) { blur_f32_from_u8($0 + start, count) } }
  case 2: forVectors(a) { start, count in sum(a, start) { blur_f32_from_u16($0 + 2 &* start, count) } }
  default:
    let radius = a.taps / 2
    let isDone = withKnown(radius) { radius in
      forVectors(a) { start, count in sumPairs(a, radius, start, count) }
    }
    if isDone { return }
    forVectors(a) { start, count in sum(a, start) { blur_f32_from_f32($0 + 4 &* start, count) } }
  }
}

/// Calls `body` with a radius from 1 to 8 that the compiler knows: no loop over taps is left, and rows and
/// weights stay in registers. Returns false for others.
@inline(__always)
private func withKnown(_ radius: Int, _ body: (Int) -> Void) -> Bool {
  switch radius {
  case 1: body(1)
  case 2: body(2)
  case 3: body(3)
  case 4: body(4)
  case 5: body(5)
  case 6: body(6)
  case 7: body(7)
  case 8: body(8)
  default: return false
  }
  return true
}

/// Calls `body` with the start and the count of each vector of a row. The last one overlaps the one before.
@inline(__always)
private func forVectors(_ a: FloatDown, _ body: (_ start: Int, _ count: Int) -> Void) {
  let lanes = blur_f32_lanes
  guard a.count >= lanes else { return body(0, a.count) }
  // SAFETY: the rows of the next block are in the list, too; prefetching reads none.
  let next = a.rows + (a.taps &+ 3)
  let rows = (next[0], next[1], next[2], next[3])
  var x = 0
  while x < a.count {
    let start = min(x, a.count &- lanes)
    let offset = a.bytes &* start
    blur_prefetch(rows.0 + offset)
    blur_prefetch(rows.1 + offset)
    blur_prefetch(rows.2 + offset)
    blur_prefetch(rows.3 + offset)
    body(start, lanes)
    x &+= lanes
  }
}

/// Adds the rows of a pair first: half the products, and many CPUs add beside them.
@inline(__always)
private func sumPairs(_ a: FloatDown, _ radius: Int, _ start: Int, _ count: Int) {
  let (rows, weights) = (a.rows, a.weights + radius)
  // SAFETY: the caller names 2 · radius + 4 rows and 2 · radius + 1 weights.
  @inline(__always) func load(_ row: Int) -> blur_f32 { blur_f32_from_f32(rows[row] + 4 &* start, count) }
  @inline(__always) func sum(_ centre: Int) -> blur_f32 {
    var sum = load(centre) * weights[0]
    var k = 1
    while k <= radius {
      sum = blur_add_product(sum, load(centre &- k) + load(centre &+ k), weights[k])
      k &+= 1
    }
    return sum
  }
  store(a, start, (sum(radius), sum(radius &+ 1), sum(radius &+ 2), sum(radius &+ 3)))
}

@inline(__always)
private func sum(_ a: FloatDown, _ start: Int, _ load: (UnsafeRawPointer) -> blur_f32) {
  let (rows, taps, weights) = (a.rows, a.taps, a.weights)
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
  store(a, start, (sum0, sum1, sum2, sum3))
}

@inline(__always)
private func store(_ a: FloatDown, _ start: Int, _ sums: (blur_f32, blur_f32, blur_f32, blur_f32)) {
  let (lines, lineStride) = (a.lines + start, a.lineStride)
  // SAFETY: each line has room for one vector beyond its last value.
  blur_store_f32(lines, sums.0)
  blur_store_f32(lines + lineStride, sums.1)
  blur_store_f32(lines + 2 &* lineStride, sums.2)
  blur_store_f32(lines + 3 &* lineStride, sums.3)
}

/// The horizontal pass.
@inline(never)
func floatAcross(_ a: FloatAcross) {
  let target = a.target
  // Pixels so near that vectors can be shifted to them.
  let near = blur_shifts() ? min(a.radius, blur_f32_lanes / a.channels) : 0
  switch a.bytes {
  case 1: across(a, near, a.radius) { blur_u8_from_f32(target + $0, $1, $2) }
  case 2: across(a, near, a.radius) { blur_u16_from_f32(target + 2 &* $0, $1, $2) }
  default:
    let isDone = withKnown(near == a.radius ? near : 0) { radius in
      across(a, radius, radius) { blur_f32_to_f32(target + 4 &* $0, $1, $2) }
    }
    if isDone { return }
    across(a, near, a.radius) { blur_f32_to_f32(target + 4 &* $0, $1, $2) }
  }
}

@inline(__always)
private func across(_ a: FloatAcross, _ near: Int, _ radius: Int, _ store: (Int, blur_f32, Int) -> Void) {
  let (step, weights, lanes) = (a.channels, a.weights, blur_f32_lanes)
  var x = 0
  while x < a.count {
    // SAFETY: the caller's line is readable this far to both sides, and holds `radius + 1` weights.
    let p = a.line + x
    // Four vectors side by side keep the multipliers busy.
    let value0 = blur_load_f32(p)
    let value1 = blur_load_f32(p + lanes)
    let value2 = blur_load_f32(p + 2 &* lanes)
    let value3 = blur_load_f32(p + 3 &* lanes)
    let value4 = blur_load_f32(p + 4 &* lanes)
    let centre = weights[0]
    var (sum0, sum1, sum2, sum3) = (value0 * centre, value1 * centre, value2 * centre, value3 * centre)
    var k = 1
    while k <= near {
      let (left, shift, weight) = (p - k &* step, Int32(truncatingIfNeeded: k &* step), weights[k])
      sum0 = blur_add_product(sum0, blur_load_f32(left) + blur_shifted_f32(value0, value1, shift), weight)
      sum1 = blur_add_product(
        sum1, blur_load_f32(left + lanes) + blur_shifted_f32(value1, value2, shift), weight)
      sum2 = blur_add_product(
        sum2, blur_load_f32(left + 2 &* lanes) + blur_shifted_f32(value2, value3, shift), weight)
      sum3 = blur_add_product(
        sum3, blur_load_f32(left + 3 &* lanes) + blur_shifted_f32(value3, value4, shift), weight)
      k &+= 1
    }
    while k <= radius {
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
