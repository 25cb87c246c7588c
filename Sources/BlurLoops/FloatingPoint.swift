import CBlurVectors

// The single-precision filter for any format. See FixedPoint.swift for the rules of this folder.

/// Sums `taps + 3` rows into four neighbouring output rows: the vertical pass.
///
/// - Parameters:
///   - rows: addresses of source rows; output row j sums the `taps` rows that start at number j. The rows of
///     the next block, four more, are asked for ahead.
///   - bytes: bytes of a stored component: 1 and 2 for integers, 4 for float.
///   - weights: one for each tap.
///   - lines: where the first output row goes; the others follow at a distance of `lineStride` values. Each
///     has room for `count` values and two vectors more.
///   - count: components in a row.
@inline(never)
public func floatDown(
  _ rows: UnsafePointer<UnsafeRawPointer>, bytes: Int, taps: Int, weights: UnsafePointer<Float>,
  into lines: UnsafeMutablePointer<Float>, lineStride: Int, count: Int
) {
  switch bytes {
  case 1: down(rows, 1, taps, weights, lines, lineStride, count) { blur_f32_from_u8($0 + $1, $2) }
  case 2: down(rows, 2, taps, weights, lines, lineStride, count) { blur_f32_from_u16($0 + 2 &* $1, $2) }
  default: down(rows, 4, taps, weights, lines, lineStride, count) { blur_f32_from_f32($0 + 4 &* $1, $2) }
  }
}

@inline(__always)
private func down(
  _ rows: UnsafePointer<UnsafeRawPointer>, _ bytes: Int, _ taps: Int, _ weights: UnsafePointer<Float>,
  _ lines: UnsafeMutablePointer<Float>, _ lineStride: Int, _ count: Int,
  _ load: (UnsafeRawPointer, Int, Int) -> blur_f32
) {
  let lanes = blur_f32_lanes
  var x = 0
  while x < count {
    let start = count >= lanes ? min(x, count &- lanes) : 0
    // SAFETY: the rows of the next block are in the list, too; asking for memory reads none.
    for i in 0..<4 { blur_prefetch(rows[taps &+ 3 &+ i] + bytes &* start) }
    if count >= lanes {
      downBlock(rows, taps, weights, lines + start, lineStride) { load($0, start, lanes) }
    } else {
      downBlock(rows, taps, weights, lines, lineStride) { load($0, 0, count) }
    }
    x &+= lanes
  }
}

@inline(__always)
private func downBlock(
  _ rows: UnsafePointer<UnsafeRawPointer>, _ taps: Int, _ weights: UnsafePointer<Float>,
  _ lines: UnsafeMutablePointer<Float>, _ lineStride: Int, _ load: (UnsafeRawPointer) -> blur_f32
) {
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

/// Sums shifted copies of a line into one output row: the horizontal pass.
///
/// - Parameters:
///   - line: the value under the first output value; readable for `radius` steps to both sides, and four
///     vectors more.
///   - step: values from one pixel to the next, which is the number of channels.
///   - weights: that of the centre, then those at distances 1 to `radius`.
///   - bytes: bytes of a stored component: 1 and 2 for integers, which are rounded to nearest, 4 for float.
///   - count: components in the row.
@inline(never)
public func floatAcross(
  _ line: UnsafePointer<Float>, step: Int, radius: Int, weights: UnsafePointer<Float>,
  into target: UnsafeMutableRawPointer, bytes: Int, count: Int
) {
  switch bytes {
  case 1: across(line, step, radius, weights, count) { blur_u8_from_f32(target + $0, $1, $2) }
  case 2: across(line, step, radius, weights, count) { blur_u16_from_f32(target + 2 &* $0, $1, $2) }
  default: across(line, step, radius, weights, count) { blur_f32_to_f32(target + 4 &* $0, $1, $2) }
  }
}

@inline(__always)
private func across(
  _ line: UnsafePointer<Float>, _ step: Int, _ radius: Int, _ weights: UnsafePointer<Float>, _ count: Int,
  _ store: (Int, blur_f32, Int) -> Void
) {
  let lanes = blur_f32_lanes
  var x = 0
  while x < count {
    let p = line + x
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
    let left = count &- x
    store(x, sum0, left)
    if left > lanes { store(x &+ lanes, sum1, left &- lanes) }
    if left > 2 &* lanes { store(x &+ 2 &* lanes, sum2, left &- 2 &* lanes) }
    if left > 3 &* lanes { store(x &+ 3 &* lanes, sum3, left &- 3 &* lanes) }
    x &+= 4 &* lanes
  }
}
