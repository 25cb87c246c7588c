import BlurLoopTable
import CBlurVectors

// This file contains the vertical half of the averages filter, which blurs in 16-bit integer arithmetic. The
// comment in Averages.swift explains the method.

/// Blurs vertically with the averages filter, and computes four neighbouring output rows. This filter
/// averages the two pixels at the same distance from the centre of a window, and multiplies this average by
/// their common weight.
@inline(never)
func averagesDown(_ a: AveragesDown) {
  switch (a.bytes, a.channels) {
  case (1, 4): knownRadius(a.radius) { radius in blocks(a, 4) { bytesDown(a, radius, 4, $0, $1) } }
  case (1, 1): knownRadius(a.radius) { radius in blocks(a, 1) { bytesDown(a, radius, 1, $0, $1) } }
  case (_, 4): blocks(a, 4) { wordsDown(a, a.radius, 4, $0, $1) }
  case (_, 3): threeDown(a)
  default: blocks(a, 1) { wordsDown(a, a.radius, 1, $0, $1) }
  }
}

/// Blurs vertically for an image with three channels, and computes four output rows. This is a separate
/// function, because the compiler would not inline the closures if one function contained them for every
/// number of channels.
@inline(never)
private func threeDown(_ a: AveragesDown) {
  if a.bytes == 1 {
    knownRadius(a.radius) { radius in
      blocks(a, 3) {
        bytesDown(a, radius, 3, $0, $1)
      } six: { x in
        store(a, x, { evenValuesPart($0, $1) }, { oddValuesPart($0, $1) }) {
          byteSums(a, radius, x &+ 2 &* blur_u16_lanes &* $0, 2 &* blur_u16_lanes)
        }
      }
    }
  } else {
    blocks(a, 3) {
      wordsDown(a, a.radius, 3, $0, $1)
    } six: { x in
      store(a, x, { evenPart($0, $1) }, { oddPart($0, $1) }) {
        wordSums(a, a.radius, x &+ 2 &* blur_u16_lanes &* $0, 2 &* blur_u16_lanes)
      }
    }
  }
}

/// Blurs the columns from left to right. Each call of `block` blurs up to two vectors of neighbouring
/// columns, and each call of `six` blurs six vectors.
///
/// - Parameters:
///   - block: Blurs up to two vectors of columns. It receives the index of the first component and the number
///     of components to load.
///   - six: Blurs six vectors of columns. It receives the index of the first component. It is called only for
///     three channels, and only as long as six whole vectors are left in the row.
@inline(__always)
private func blocks(
  _ a: AveragesDown, _ channels: Int, _ block: (Int, Int) -> Void, six: (Int) -> Void = { _ in }
) {
  let lanes = 2 &* blur_u16_lanes
  let whole = blur_whole_pairs(lanes, channels)
  // SAFETY: the list `rows` has 2 · radius + 8 addresses. The last four are the addresses of rows that the
  // next call needs. These rows are prefetched. Prefetching never faults, whatever the address is.
  @inline(__always) func prefetch(_ x: Int) {
    for i in 0..<4 { blur_prefetch(a.rows[2 &* a.radius &+ 4 &+ i] + a.bytes &* x) }
  }
  var x = 0
  if channels == 3 {
    while x &+ 3 &* lanes <= a.count {
      three { prefetch(x &+ lanes &* $0) }
      six(x)
      x &+= 3 &* lanes
    }
  }
  while x < a.count {
    prefetch(x)
    let left = a.count &- x
    // Loading only a part of a vector is slow. Therefore the last load of a row begins earlier and loads a
    // whole vector that ends with the row. This is possible only if the row has an even number of pixels,
    // because the vector would otherwise begin with an odd pixel.
    if left >= lanes {
      block(x, lanes)
    } else if whole == lanes && a.count >= lanes && a.count & (2 &* channels &- 1) == 0 {
      block(a.count &- lanes, lanes)
    } else {
      block(x, left)
    }
    x &+= whole
  }
}

/// Computes the weighted sums of vertical windows, for four output rows and one vector of columns with 8-bit
/// components. The sums have 16 bits, so they fill two vectors. The first element of the result is for the
/// bytes at even indices of the source vector, and the second element is for the bytes at odd indices.
@inline(__always)
private func byteSums(_ a: AveragesDown, _ radius: Int, _ x: Int, _ loaded: Int) -> (FourRows, FourRows) {
  // SAFETY: the sums use the rows with the indices 0 to 2 · radius + 3, and the caller passes all of them.
  // Each row has at least x + loaded bytes, and no byte after these is read.
  (
    sums(radius, a.weights) { blur_even_bytes(blur_load_bytes(a.rows[$0] + x, loaded)) },
    sums(radius, a.weights) { blur_odd_bytes(blur_load_bytes(a.rows[$0] + x, loaded)) }
  )
}

@inline(__always)
private func bytesDown(_ a: AveragesDown, _ radius: Int, _ channels: Int, _ x: Int, _ loaded: Int) {
  let (even, odd) = byteSums(a, radius, x, loaded)
  store(
    each(even, odd) { blur_even_pixels($0, $1, channels) },
    each(even, odd) { blur_odd_pixels($0, $1, channels) },
    a, x)
}

/// Computes the weighted sums of vertical windows, for four output rows and two neighbouring vectors of
/// columns with 16-bit components. The first element of the result is for the first vector, and the second
/// element is for the second vector.
@inline(__always)
private func wordSums(_ a: AveragesDown, _ radius: Int, _ x: Int, _ loaded: Int) -> (FourRows, FourRows) {
  let lanes = blur_u16_lanes
  // SAFETY: the sums use the rows with the indices 0 to 2 · radius + 3, and the caller passes all of them.
  // Each row has at least x + loaded 16-bit values, and no value after these is read.
  let first = sums(radius, a.weights) { blur_u16_from_u16(a.rows[$0] + 2 &* x, loaded) }
  let second =
    loaded > lanes
    ? sums(radius, a.weights) { blur_u16_from_u16(a.rows[$0] + 2 &* (x &+ lanes), loaded &- lanes) } : first
  return (first, second)
}

@inline(__always)
private func wordsDown(_ a: AveragesDown, _ radius: Int, _ channels: Int, _ x: Int, _ loaded: Int) {
  let (first, second) = wordSums(a, radius, x, loaded)
  store(
    each(first, second) { blur_even_u16($0, $1, channels) },
    each(first, second) { blur_odd_u16($0, $1, channels) },
    a, x)
}

/// Four vectors, one for each of four neighbouring rows. All four vectors begin at the same column.
private typealias FourRows = (blur_u16, blur_u16, blur_u16, blur_u16)

/// Computes the weighted sums of vertical windows for four output rows. The windows are centred on the source
/// rows with the indices `radius` to `radius + 3`. `row` loads a vector from the source row with the given
/// index.
@inline(__always)
private func sums(_ radius: Int, _ weights: UnsafePointer<UInt16>, _ row: (Int) -> blur_u16) -> FourRows {
  let (start, centre) = (averagesLost(radius &+ 1), averagesWeight(0, of: weights))
  @inline(__always) func first(_ value: blur_u16) -> blur_u16 { start &+ blur_multiply_high(value, centre) }
  // The loop computes four windows at once, one for each output row. For each window, `above` holds the
  // source row that lies `distance` rows above the window's centre, and `below` holds the row that lies
  // `distance` rows below it. The centres of neighbouring windows are one row apart. So when `distance` grows
  // by 1, the row that was in `above` for one window is needed in `above` for the next window, and the row
  // that was in `below` for one window is needed in `below` for the previous window. Each step therefore
  // loads only one new row for `above` and one for `below`.
  var above = (row(radius), row(radius &+ 1), row(radius &+ 2), row(radius &+ 3))
  var below = above
  var sums = (first(above.0), first(above.1), first(above.2), first(above.3))
  var distance = 1
  while distance <= radius {
    above = (row(radius &- distance), above.0, above.1, above.2)
    below = (below.1, below.2, below.3, row(radius &+ 3 &+ distance))
    let weight = averagesWeight(distance, of: weights)
    sums.0 = sums.0 &+ blur_multiply_high(blur_average(above.0, below.0), weight)
    sums.1 = sums.1 &+ blur_multiply_high(blur_average(above.1, below.1), weight)
    sums.2 = sums.2 &+ blur_multiply_high(blur_average(above.2, below.2), weight)
    sums.3 = sums.3 &+ blur_multiply_high(blur_average(above.3, below.3), weight)
    distance &+= 1
  }
  return sums
}

@inline(__always)
private func each(_ a: FourRows, _ b: FourRows, _ of: (blur_u16, blur_u16) -> blur_u16) -> FourRows {
  (of(a.0, b.0), of(a.1, b.1), of(a.2, b.2), of(a.3, b.3))
}

@inline(__always)
private func store(_ even: FourRows, _ odd: FourRows, _ a: AveragesDown, _ x: Int) {
  // SAFETY: a line stores all even pixels first and then all odd pixels. There is space for one more vector
  // after the even pixels, and again after the odd pixels. So each store of a whole vector stays inside the
  // line.
  //
  // The caller computes the sums of all four lines before it stores any of them. A source row that is added
  // to several sums can therefore stay in registers.
  @inline(__always) func put(_ j: Int, _ even: blur_u16, _ odd: blur_u16) {
    let line = a.lines + (j &* a.lineStride &+ x &>> 1)
    blur_store_u16(line, even)
    blur_store_u16(line + a.odd, odd)
  }
  put(0, even.0, odd.0)
  put(1, even.1, odd.1)
  put(2, even.2, odd.2)
  put(3, even.3, odd.3)
}

/// Stores the sums for six vectors of columns in four lines of intermediate values. The image has three
/// channels. The six vectors are processed as three pairs of neighbouring vectors, and `pair` computes the
/// sums for the pair with the index 0, 1 or 2.
@inline(__always)
private func store(
  _ a: AveragesDown, _ x: Int, _ even: (SixWords, Int) -> blur_u16, _ odd: (SixWords, Int) -> blur_u16,
  _ pair: (Int) -> (FourRows, FourRows)
) {
  let (first, second, third) = (pair(0), pair(1), pair(2))
  @inline(__always) func put(_ j: Int, _ row: (FourRows) -> blur_u16) {
    let six = sixOf(
      (row(first.0), row(first.1)), (row(second.0), row(second.1)), (row(third.0), row(third.1)))
    // SAFETY: a line stores all even pixels first and then all odd pixels. There is space for one more vector
    // after the even pixels, and again after the odd pixels. So each store of a whole vector stays inside the
    // line.
    let line = a.lines + (j &* a.lineStride &+ x &>> 1)
    three { blur_store_u16(line + blur_u16_lanes &* $0, even(six, $0)) }
    three { blur_store_u16(line + (a.odd &+ blur_u16_lanes &* $0), odd(six, $0)) }
  }
  put(0) { $0.0 }
  put(1) { $0.1 }
  put(2) { $0.2 }
  put(3) { $0.3 }
}
