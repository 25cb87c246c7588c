import CBlurVectors

// Sliding sums of cosines, see BlurSliding.h. See FixedPoint.swift for the rules of this folder.
//
// Each function is compiled for every number of cosines and every format, so that states live in registers.

/// Addresses of rows.
public typealias Rows = UnsafePointer<UnsafeRawPointer?>

/// Computes the states of all columns for one row: the first of a block.
///
/// - Parameters:
///   - rows: addresses of the rows of the first window, `2 · radius + 1` of them.
///   - bytes: bytes of a stored component: 1 and 2 for integers, 4 for float.
///   - states: a saved state for each vector of columns.
///   - count: components in a row.
@inline(never)
public func cosinesBeginDown(
  _ rows: Rows, bytes: Int, window: blur_cosines,
  states: UnsafeMutableRawPointer, count: Int
) {
  switch (window.cosines, bytes, window.checked) {
  case (3, 1, _): beginDown(rows, 1, window, 3, false, states, count)
  case (4, 1, _): beginDown(rows, 1, window, 4, false, states, count)
  case (4, 2, _): beginDown(rows, 2, window, 4, false, states, count)
  case (4, _, false): beginDown(rows, 4, window, 4, false, states, count)
  case (4, _, true): beginDown(rows, 4, window, 4, true, states, count)
  case (_, 1, _): beginDown(rows, 1, window, 7, false, states, count)
  case (_, 2, _): beginDown(rows, 2, window, 7, false, states, count)
  case (_, _, false): beginDown(rows, 4, window, 7, false, states, count)
  case (_, _, true): beginDown(rows, 4, window, 7, true, states, count)
  }
}

@inline(__always)
private func beginDown(
  _ rows: Rows, _ bytes: Int, _ window: blur_cosines, _ cosines: Int, _ checked: Bool,
  _ states: UnsafeMutableRawPointer, _ count: Int
) {
  let lanes = blur_f32_lanes
  var (window, states) = (window, states)
  var x = 0
  while x < count {
    let start = count >= lanes ? min(x, count &- lanes) : 0
    // SAFETY: the caller names all rows of the window, and has a state for each vector of columns.
    blur_begin_down(rows, start, min(count, lanes), bytes, &window, cosines, checked, states)
    states += blur_slider_bytes(cosines)
    x &+= lanes
  }
}

/// Blurs as many rows as a vector has lanes, and moves the states on by that many.
///
/// - Parameters:
///   - entering: addresses of the rows below the windows of the rows wanted.
///   - leaving: addresses of the first rows of those windows.
///   - tile: room for a square of lanes.
///   - columns: where the results go: a vector for each column, which holds its rows.
/// - Returns: whether all sums are finite.
@inline(never)
public func cosinesDown(
  _ entering: Rows, _ leaving: Rows, bytes: Int, window: blur_cosines, states: UnsafeMutableRawPointer,
  tile: UnsafeMutablePointer<Float>,
  into columns: UnsafeMutablePointer<Float>, count: Int
) -> Bool {
  switch (window.cosines, bytes, window.checked) {
  case (3, 1, _): down(entering, leaving, 1, window, 3, false, states, tile, columns, count)
  case (4, 1, _): down(entering, leaving, 1, window, 4, false, states, tile, columns, count)
  case (4, 2, _): down(entering, leaving, 2, window, 4, false, states, tile, columns, count)
  case (4, _, false): down(entering, leaving, 4, window, 4, false, states, tile, columns, count)
  case (4, _, true): down(entering, leaving, 4, window, 4, true, states, tile, columns, count)
  case (_, 1, _): down(entering, leaving, 1, window, 7, false, states, tile, columns, count)
  case (_, 2, _): down(entering, leaving, 2, window, 7, false, states, tile, columns, count)
  case (_, _, false): down(entering, leaving, 4, window, 7, false, states, tile, columns, count)
  case (_, _, true): down(entering, leaving, 4, window, 7, true, states, tile, columns, count)
  }
}

@inline(__always)
private func down(
  _ entering: Rows, _ leaving: Rows, _ bytes: Int, _ window: blur_cosines, _ cosines: Int, _ checked: Bool,
  _ states: UnsafeMutableRawPointer, _ tile: UnsafeMutablePointer<Float>,
  _ columns: UnsafeMutablePointer<Float>, _ count: Int
) -> Bool {
  let lanes = blur_f32_lanes
  var (window, states, poison) = (window, states, blur_f32.zero)
  var x = 0
  while x < count {
    // The last block reaches back so that it is full; rows shorter than a vector load fewer lanes.
    let start = count >= lanes ? min(x, count &- lanes) : 0
    // SAFETY: the caller names `lanes` rows each way, and has a state for each vector of columns.
    poison += blur_slide_down(
      entering, leaving, start, min(count, lanes), bytes, &window, cosines, checked, states, lanes, tile,
      lanes)
    blur_transpose(tile, columns + start &* lanes)
    states += blur_slider_bytes(cosines)
    x &+= lanes
  }
  return blur_is_zero(poison)
}

/// Blurs part of as many rows as a vector has lanes along the row, from vectors that hold a column each.
///
/// - Parameters:
///   - columns: the vector under the first pixel, where the sums begin; readable for the radius to both
///     sides, and one pixel more.
///   - channels: vectors from one pixel to the next.
///   - states: room for a saved state for each channel.
///   - tile: room for a square of lanes for each channel, and one more.
///   - skipped: pixels before the first wanted one.
///   - count: wanted pixels.
///   - targets: where the rows' first wanted pixels go, one address for each of `rows` lanes.
///   - bytes: bytes of a stored component: 1 and 2 for integers, which are rounded to nearest, 4 for float.
/// - Returns: whether all sums are finite.
@inline(never)
public func cosinesAcross(
  _ columns: UnsafePointer<Float>, channels: Int, window: blur_cosines, states: UnsafeMutableRawPointer,
  tile: UnsafeMutablePointer<Float>, skipped: Int, count: Int,
  into targets: UnsafePointer<UnsafeMutableRawPointer>, lanes rows: Range<Int>, bytes: Int
) -> Bool {
  let pass = AcrossPass(
    columns: columns, channels: channels, window: window, states: states, tile: tile, skipped: skipped,
    count: count, targets: targets, rows: rows)
  return switch (window.cosines, bytes, window.checked) {
  case (3, 1, _): pass.run(1, 3, false)
  case (4, 1, _): pass.run(1, 4, false)
  case (4, 2, _): pass.run(2, 4, false)
  case (4, _, false): pass.run(4, 4, false)
  case (4, _, true): pass.run(4, 4, true)
  case (_, 1, _): pass.run(1, 7, false)
  case (_, 2, _): pass.run(2, 7, false)
  case (_, _, false): pass.run(4, 7, false)
  case (_, _, true): pass.run(4, 7, true)
  }
}

/// The arguments of ``cosinesAcross``.
private struct AcrossPass {
  let columns: UnsafePointer<Float>
  let channels: Int
  let window: blur_cosines
  let states: UnsafeMutableRawPointer
  let tile: UnsafeMutablePointer<Float>
  let skipped: Int
  let count: Int
  let targets: UnsafePointer<UnsafeMutableRawPointer>
  let rows: Range<Int>

  @inline(__always)
  func run(_ bytes: Int, _ cosines: Int, _ checked: Bool) -> Bool {
    let lanes = blur_f32_lanes
    var (window, poison) = (window, blur_f32.zero)
    var c = 0
    while c < channels {
      let state = states + c &* blur_slider_bytes(cosines)
      // SAFETY: the caller's columns reach the radius to both sides.
      blur_begin_across(columns + c &* lanes, channels &* lanes, &window, cosines, checked, state)
      c &+= 1
    }
    if skipped > 0 { poison += slide(0, skipped, into: 0, cosines, checked) }
    var x = 0
    while x < count {
      poison += slide(skipped &+ x, min(lanes, count &- x), into: channels &* lanes, cosines, checked)
      store(x, bytes)
      x &+= lanes
    }
    return blur_is_zero(poison)
  }

  /// Moves all channels on from pixel `x`; the means of pixels are `step` values apart in the tile.
  @inline(__always)
  private func slide(
    _ x: Int, _ count: Int, into step: Int, _ cosines: Int, _ checked: Bool
  ) -> blur_f32 {
    let lanes = blur_f32_lanes
    let pixel = channels &* lanes
    var (window, poison) = (window, blur_f32.zero)
    var c = 0
    while c < channels {
      // SAFETY: the caller's columns reach the radius to both sides and one pixel more.
      let first = columns + x &* pixel + c &* lanes
      poison += blur_slide_across(
        first + (window.radius &+ 1) &* pixel, first - window.radius &* pixel, pixel, &window, cosines,
        checked, states + c &* blur_slider_bytes(cosines), count, tile + c &* lanes, step)
      c &+= 1
    }
    return poison
  }

  /// Writes the rows of the tile, whose first pixel is number `x` of the wanted ones.
  @inline(__always)
  private func store(_ x: Int, _ bytes: Int) {
    let lanes = blur_f32_lanes
    let turned = tile + channels &* lanes &* lanes
    var i = 0
    while i < channels {
      blur_transpose(tile + i &* lanes &* lanes, turned)
      let first = x &* channels &+ i &* lanes
      let left = count &* channels &- first
      if left <= 0 { return }
      var row = rows.lowerBound
      while row < rows.upperBound {
        let value = vector(turned + row &* lanes)
        // SAFETY: the caller's rows hold `count` pixels.
        switch bytes {
        case 1: blur_u8_from_f32(targets[row] + first, value, left)
        case 2: blur_u16_from_f32(targets[row] + 2 &* first, value, left)
        default: blur_f32_to_f32(targets[row] + 4 &* first, value, left)
        }
        row &+= 1
      }
      i &+= 1
    }
  }
}

@inline(__always)
private func vector(_ p: UnsafePointer<Float>) -> blur_f32 { blur_f32_from_f32(p, blur_f32_lanes) }
