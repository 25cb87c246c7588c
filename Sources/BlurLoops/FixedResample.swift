import CBlurVectors

// Halving and doubling images in 16 bits, for the pyramid. See FixedPoint.swift for the rules of this folder.
//
// Values are from 0 to 65535; bytes become 256 times themselves. Filters are binomial, of order 2 (1 2 1) or
// order 4 (1 4 6 4 1), made of rounding averages alone: nothing can overflow, and a constant stays exact.
// When an image is halved, pixel i of the result stands where pixel 2i stood.

/// Halves rows downwards: the mean of `order + 1` rows, as one line that holds all even pixels, and from
/// `odd` values later all odd ones. The two rows that follow in the list are asked for ahead.
///
/// - Parameters:
///   - rows: addresses of source rows, of components of `bytes` bytes, 1 or 2.
///   - line: room for half of `count` components and one vector, twice.
///   - count: components in a row, which begins with an even pixel.
@inline(never)
public func fixedHalveDown(
  _ rows: UnsafePointer<UnsafeRawPointer>, bytes: Int, channels: Int, order: Int,
  into line: UnsafeMutableRawPointer, odd: Int, count: Int
) {
  let line = line.assumingMemoryBound(to: UInt16.self)
  switch (bytes, order) {
  case (1, 2): halveBytes(rows, order, channels, line, odd, count, smoothed3)
  case (1, _): halveBytes(rows, order, channels, line, odd, count, smoothed5)
  case (_, 2): halveWords(rows, order, channels, line, odd, count, smoothed3)
  default: halveWords(rows, order, channels, line, odd, count, smoothed5)
  }
}

/// The binomial mean of the values that `load` names, counted from the first row.
private typealias Smoothing = ((Int) -> blur_u16) -> blur_u16

@inline(__always)
private func smoothed3(_ load: (Int) -> blur_u16) -> blur_u16 { smoothed(load(0), load(1), load(2)) }

@inline(__always)
private func smoothed5(_ load: (Int) -> blur_u16) -> blur_u16 {
  smoothed(load(0), load(1), load(2), load(3), load(4))
}

/// (a + 2b + c) / 4
@inline(__always)
private func smoothed(_ a: blur_u16, _ b: blur_u16, _ c: blur_u16) -> blur_u16 {
  blur_average(b, blur_average(a, c))
}

/// (a + 4b + 6c + 4d + e) / 16
@inline(__always)
private func smoothed(_ a: blur_u16, _ b: blur_u16, _ c: blur_u16, _ d: blur_u16, _ e: blur_u16) -> blur_u16 {
  blur_average(blur_average(b, d), blur_average(c, blur_average(c, blur_average(a, e))))
}

@inline(__always)
private func halveBytes(
  _ rows: UnsafePointer<UnsafeRawPointer>, _ order: Int, _ channels: Int,
  _ line: UnsafeMutablePointer<UInt16>,
  _ odd: Int, _ count: Int, _ smoothing: Smoothing
) {
  @inline(__always) func block(_ x: Int, _ loaded: Int) {
    // SAFETY: the caller names order + 1 rows of at least x + loaded bytes; one more vector fits each half.
    let first = smoothing { blur_even_bytes(blur_load_bytes(rows[$0] + x, loaded)) }
    let second = smoothing { blur_odd_bytes(blur_load_bytes(rows[$0] + x, loaded)) }
    let target = line + (x &>> 1)
    blur_store_u16(target, channels == 1 ? first : blur_even_rgba(first, second))
    blur_store_u16(target + odd, channels == 1 ? second : blur_odd_rgba(first, second))
  }
  let lanes = blur_u8_lanes
  var x = 0
  while x &+ lanes <= count {
    blur_prefetch(rows[order &+ 1] + x)
    blur_prefetch(rows[order &+ 2] + x)
    block(x, lanes)
    x &+= lanes
  }
  if x < count { block(x, count &- x) }
}

@inline(__always)
private func halveWords(
  _ rows: UnsafePointer<UnsafeRawPointer>, _ order: Int, _ channels: Int,
  _ line: UnsafeMutablePointer<UInt16>,
  _ odd: Int, _ count: Int, _ smoothing: Smoothing
) {
  let lanes = blur_u16_lanes
  @inline(__always) func block(_ x: Int, _ loaded: Int) {
    // SAFETY: the caller names order + 1 rows of at least x + loaded words; one more vector fits each half.
    let first = smoothing { blur_u16_from_u16(rows[$0] + 2 &* x, loaded) }
    let second =
      loaded > lanes ? smoothing { blur_u16_from_u16(rows[$0] + 2 &* (x &+ lanes), loaded &- lanes) } : first
    blur_store_u16(line + (x &>> 1), blur_even_u16(first, second, channels))
    blur_store_u16(line + ((x &>> 1) &+ odd), blur_odd_u16(first, second, channels))
  }
  var x = 0
  while x &+ 2 &* lanes <= count {
    blur_prefetch(rows[order &+ 1] + 2 &* x)
    blur_prefetch(rows[order &+ 2] + 2 &* x)
    block(x, 2 &* lanes)
    x &+= 2 &* lanes
  }
  if x < count { block(x, count &- x) }
}

/// Halves a line along the row.
///
/// - Parameters:
///   - line: the even pixel under the first result; odd pixels stand `odd` values later. Both halves are
///     readable for `order / 4 + 1` pixels to both sides, and one vector more.
///   - target: room for `count` values and one vector.
///   - count: components of the result.
@inline(never)
public func fixedHalveAcross(
  _ line: UnsafeRawPointer, odd: Int, channels: Int, order: Int,
  into target: UnsafeMutableRawPointer, count: Int
) {
  let line = line.assumingMemoryBound(to: UInt16.self)
  let target = target.assumingMemoryBound(to: UInt16.self)
  let lanes = blur_u16_lanes
  var x = 0
  // SAFETY: see above.
  if order == 2 {
    while x < count {
      let (even, odd) = (line + x, line + (x &+ odd))
      blur_store_u16(
        target + x, smoothed(blur_load_u16(odd - channels), blur_load_u16(even), blur_load_u16(odd)))
      x &+= lanes
    }
  } else {
    while x < count {
      let (even, odd) = (line + x, line + (x &+ odd))
      let result = smoothed(
        blur_load_u16(even - channels), blur_load_u16(odd - channels), blur_load_u16(even),
        blur_load_u16(odd),
        blur_load_u16(even + channels))
      blur_store_u16(target + x, result)
      x &+= lanes
    }
  }
}

/// Doubles rows downwards: the two lines at and below row `rows[2]`, from it and its neighbours. For order 2
/// the first is that row itself, and is not written.
///
/// - Parameters:
///   - rows: five rows.
///   - even, odd: room for `count` values and one vector each.
@inline(never)
public func fixedDoubleDown(
  _ rows: UnsafePointer<UnsafeRawPointer>, order: Int, even: UnsafeMutableRawPointer,
  odd: UnsafeMutableRawPointer, count: Int
) {
  let even = even.assumingMemoryBound(to: UInt16.self)
  let odd = odd.assumingMemoryBound(to: UInt16.self)
  let above = rows[1].assumingMemoryBound(to: UInt16.self)
  let here = rows[2].assumingMemoryBound(to: UInt16.self)
  let below = rows[3].assumingMemoryBound(to: UInt16.self)
  let lanes = blur_u16_lanes
  var x = 0
  // SAFETY: rows are readable for one vector beyond their last value.
  while x < count {
    let (b, c) = (blur_load_u16(here + x), blur_load_u16(below + x))
    if order != 2 { blur_store_u16(even + x, interpolated(blur_load_u16(above + x), b, c)) }
    blur_store_u16(odd + x, blur_average(b, c))
    x &+= lanes
  }
}

/// (a + 6b + c) / 8
@inline(__always)
private func interpolated(_ a: blur_u16, _ b: blur_u16, _ c: blur_u16) -> blur_u16 {
  blur_average(b, blur_average(b, blur_average(a, c)))
}

/// Doubles a line along the row.
///
/// - Parameters:
///   - line: the pixel under the first result; readable for one pixel before, and one and a vector after.
///   - target: the first result, an even pixel. Words have room for two vectors more; of bytes exactly
///     `count` are written.
///   - bytes: bytes of a component of the result: 1, or 2.
///   - isLast: whether exactly `count` components may be written.
///   - count: components of the result.
@inline(never)
public func fixedDoubleAcross(
  _ line: UnsafeRawPointer, channels: Int, order: Int, into target: UnsafeMutableRawPointer, bytes: Int,
  isLast: Bool, count: Int
) {
  let line = line.assumingMemoryBound(to: UInt16.self)
  @inline(__always) func run(_ store: (Int, blur_u16, blur_u16) -> Void) {
    if order == 2 {
      doubled(line, channels, count, store) { _, middle, _ in middle }
    } else {
      doubled(line, channels, count, store, interpolated)
    }
  }
  let lanes = blur_u16_lanes
  // SAFETY: see above; stores of a part write no more than `count` components.
  switch (bytes, channels) {
  case (1, 1): run { blur_store_bytes(target + $0, blur_join_pixels($1, $2, 1), count &- $0) }
  case (1, _): run { blur_store_bytes(target + $0, blur_join_pixels($1, $2, 4), count &- $0) }
  default:
    run {
      let (lower, upper) = (blur_lower_u16($1, $2, channels), blur_upper_u16($1, $2, channels))
      let left = isLast ? count &- $0 : 2 &* lanes
      blur_u16_to_u16(target + 2 &* $0, lower, left)
      if left > lanes { blur_u16_to_u16(target + 2 &* ($0 &+ lanes), upper, left &- lanes) }
    }
  }
}

@inline(__always)
private func doubled(
  _ line: UnsafePointer<UInt16>, _ channels: Int, _ count: Int, _ store: (Int, blur_u16, blur_u16) -> Void,
  _ middle: (blur_u16, blur_u16, blur_u16) -> blur_u16
) {
  let lanes = blur_u16_lanes
  var x = 0
  while x < count {
    // SAFETY: see `fixedDoubleAcross`.
    let p = line + (x &>> 1)
    let (b, c) = (blur_load_u16(p), blur_load_u16(p + channels))
    store(x, middle(blur_load_u16(p - channels), b, c), blur_average(b, c))
    x &+= 2 &* lanes
  }
}
