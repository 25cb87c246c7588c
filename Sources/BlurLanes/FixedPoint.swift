import CBlurVectors

// The 16-bit fixed-point filter for 8-bit images. This folder is compiled once for each instruction set;
// vectors are as wide as its registers. Functions here must not call generic library code that stays out of
// line: the linker would keep one copy for all sets (a test looks at the symbols).

/// Sums `2 · pairs` rows into four neighbouring output rows: the vertical pass.
///
/// - Parameters:
///   - rows: addresses of 8-bit source rows.
///   - weights: for each pair of rows, four 32-bit words, one for each output row: two 16-bit weights.
///   - shift: the sums are rounded and shifted right by this much.
///   - lines: where the first output row goes; the others follow at a distance of `lineStride` values. Each
///     has room for `count` values and one vector more.
///   - count: values in a row.
@inline(never)
public func fixedDown(
  _ rows: UnsafePointer<UnsafeRawPointer>, pairs: Int, weights: UnsafePointer<Int32>, shift: Int32,
  into lines: UnsafeMutablePointer<Int16>, lineStride: Int, count: Int
) {
  let lanes = blur_i16_lanes
  var x = 0
  while x < count {
    // The last block reaches back so that it is full; rows shorter than a vector load fewer lanes.
    let start = count >= lanes ? min(x, count - lanes) : 0
    if count >= lanes {
      fixedDownBlock(rows, pairs, weights, shift, lines + start, lineStride, start, lanes)
    } else {
      fixedDownBlock(rows, pairs, weights, shift, lines, lineStride, 0, count)
    }
    x += lanes
  }
}

@inline(__always)
private func fixedDownBlock(
  _ rows: UnsafePointer<UnsafeRawPointer>, _ pairs: Int, _ weights: UnsafePointer<Int32>, _ shift: Int32,
  _ lines: UnsafeMutablePointer<Int16>, _ lineStride: Int, _ x: Int, _ loaded: Int
) {
  var (low0, low1, low2, low3) = (blur_i32.zero, blur_i32.zero, blur_i32.zero, blur_i32.zero)
  var (high0, high1, high2, high3) = (blur_i32.zero, blur_i32.zero, blur_i32.zero, blur_i32.zero)
  var pair = 0
  while pair < pairs {
    // SAFETY: the caller names 2 · pairs rows of at least x + loaded bytes, and 4 · pairs weights.
    let a = blur_i16_from_u8(rows[2 &* pair] + x, loaded)
    let b = blur_i16_from_u8(rows[2 &* pair &+ 1] + x, loaded)
    let low = blur_zip_low(a, b)
    let high = blur_zip_high(a, b)
    let w = weights + 4 &* pair
    low0 = blur_add_products(low0, low, w[0])
    high0 = blur_add_products(high0, high, w[0])
    low1 = blur_add_products(low1, low, w[1])
    high1 = blur_add_products(high1, high, w[1])
    low2 = blur_add_products(low2, low, w[2])
    high2 = blur_add_products(high2, high, w[2])
    low3 = blur_add_products(low3, low, w[3])
    high3 = blur_add_products(high3, high, w[3])
    pair &+= 1
  }
  // SAFETY: each line has room for one vector beyond its last value.
  blur_store_i16(lines, rounded(low0, high0, shift))
  blur_store_i16(lines + lineStride, rounded(low1, high1, shift))
  blur_store_i16(lines + 2 &* lineStride, rounded(low2, high2, shift))
  blur_store_i16(lines + 3 &* lineStride, rounded(low3, high3, shift))
}

@inline(__always)
private func rounded(_ low: blur_i32, _ high: blur_i32, _ shift: Int32) -> blur_i16 {
  let half = blur_i32(repeating: 1 &<< (shift &- 1))
  let places = blur_i32(repeating: shift)
  return blur_narrow((low &+ half) &>> places, (high &+ half) &>> places)
}

/// Sums shifted copies of a line into one 8-bit output row: the horizontal pass.
///
/// - Parameters:
///   - line: the value under the first output value; readable for `2 · pairs` steps to both sides, and one
///     vector more.
///   - step: values from one pixel to the next, which is the number of channels.
///   - weights: for each pair of distances 0 and 1, 2 and 3, …, two 16-bit weights. That of distance 0 is
///     half the centre's, because the centre is counted from both sides.
///   - shift: the sums are rounded and shifted right by this much, and are then from 0 to 255.
///   - count: values in the row.
@inline(never)
public func fixedAcross(
  _ line: UnsafePointer<Int16>, step: Int, pairs: Int, weights: UnsafePointer<Int32>, shift: Int32,
  into target: UnsafeMutableRawPointer, count: Int
) {
  let lanes = blur_i16_lanes
  var x = 0
  while x < count {
    var (low0, high0) = (blur_i32.zero, blur_i32.zero)
    var (low1, high1) = (blur_i32.zero, blur_i32.zero)
    var pair = 0
    while pair < pairs {
      let near = 2 &* pair &* step
      // SAFETY: the caller's line is readable this far to both sides.
      let p = line + x
      let (n, f) = (p, p + lanes)
      accumulate(n, near, step, weights[pair], &low0, &high0)
      accumulate(f, near, step, weights[pair], &low1, &high1)
      pair &+= 1
    }
    blur_store_u8(target + x, rounded(low0, high0, shift), count &- x)
    if count &- x > lanes {
      blur_store_u8(target + x + lanes, rounded(low1, high1, shift), count &- x &- lanes)
    }
    x &+= 2 &* lanes
  }
}

/// Adds the taps at distances `near` and `near + step`, on both sides at once.
@inline(__always)
private func accumulate(
  _ p: UnsafePointer<Int16>, _ near: Int, _ step: Int, _ weights: Int32, _ low: inout blur_i32,
  _ high: inout blur_i32
) {
  let far = near &+ step
  // SAFETY: see `fixedAcross`.
  let a = blur_load_i16(p - near) &+ blur_load_i16(p + near)
  let b = blur_load_i16(p - far) &+ blur_load_i16(p + far)
  low = blur_add_products(low, blur_zip_low(a, b), weights)
  high = blur_add_products(high, blur_zip_high(a, b), weights)
}
