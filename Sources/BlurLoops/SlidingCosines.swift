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
  let even = (count &+ 2 &* lanes &- 1) / (2 &* lanes) &* 2 &* lanes
  while x < even {
    // SAFETY: the caller names all rows of the window, and has a state for each vector of columns.
    blur_begin_down(rows, column(x, count), min(count, lanes), bytes, &window, cosines, checked, states)
    states += blur_slider_bytes(cosines)
    x &+= lanes
  }
}

/// Where the vector of columns that should begin at `x` begins: the last ones reach back so that they are
/// full. Rows shorter than a vector are loaded with fewer lanes.
@inline(__always)
private func column(_ x: Int, _ count: Int) -> Int { max(0, min(x, count &- blur_f32_lanes)) }

/// Blurs as many rows as a vector has lanes, and moves the states on by that many.
///
/// - Parameters:
///   - entering: addresses of the rows below the windows of the rows wanted.
///   - leaving: addresses of the first rows of those windows.
///   - states: an even number of states, see ``cosinesBeginDown``.
///   - tile: room for two squares of lanes.
///   - columns: where the results go: a vector for each column, which holds its rows.
///   - pitch: values from one column's vector to the next one's.
/// - Returns: whether all sums are finite.
@inline(never)
public func cosinesDown(
  _ entering: Rows, _ leaving: Rows, bytes: Int, window: blur_cosines, states: UnsafeMutableRawPointer,
  tile: UnsafeMutablePointer<Float>, into columns: UnsafeMutablePointer<Float>, pitch: Int, count: Int
) -> Bool {
  switch (window.cosines, bytes, window.checked) {
  case (3, 1, _): down(entering, leaving, 1, window, 3, false, states, tile, columns, pitch, count)
  case (4, 1, _): down(entering, leaving, 1, window, 4, false, states, tile, columns, pitch, count)
  case (4, 2, _): down(entering, leaving, 2, window, 4, false, states, tile, columns, pitch, count)
  case (4, _, false): down(entering, leaving, 4, window, 4, false, states, tile, columns, pitch, count)
  case (4, _, true): down(entering, leaving, 4, window, 4, true, states, tile, columns, pitch, count)
  case (_, 1, _): down(entering, leaving, 1, window, 7, false, states, tile, columns, pitch, count)
  case (_, 2, _): down(entering, leaving, 2, window, 7, false, states, tile, columns, pitch, count)
  case (_, _, false): down(entering, leaving, 4, window, 7, false, states, tile, columns, pitch, count)
  case (_, _, true): down(entering, leaving, 4, window, 7, true, states, tile, columns, pitch, count)
  }
}

@inline(__always)
private func down(
  _ entering: Rows, _ leaving: Rows, _ bytes: Int, _ window: blur_cosines, _ cosines: Int, _ checked: Bool,
  _ states: UnsafeMutableRawPointer, _ tile: UnsafeMutablePointer<Float>,
  _ columns: UnsafeMutablePointer<Float>, _ pitch: Int, _ count: Int
) -> Bool {
  let lanes = blur_f32_lanes
  var (window, states, isFinite) = (window, states, true)
  var job = blur_slide_job()
  (job.entering_rows, job.leaving_rows) = (entering, leaving)
  (job.count, job.means, job.next, job.step) = (lanes, tile, lanes &* lanes, lanes)
  var x = 0
  while x < count {
    let (first, second) = (column(x, count), column(x &+ lanes, count))
    job.offsets = (first, second)
    // SAFETY: the caller names `lanes` rows each way, and has a state for each vector of columns.
    isFinite =
      blur_slide(&job, true, min(count, lanes), bytes, &window, cosines, checked, states) && isFinite
    blur_transpose(tile, lanes, columns + first &* pitch, pitch)
    blur_transpose(tile + lanes &* lanes, lanes, columns + second &* pitch, pitch)
    states += 2 &* blur_slider_bytes(cosines)
    x &+= 2 &* lanes
  }
  return isFinite
}

/// Blurs part of some rows along the row, from vectors that hold the rows of a column each.
///
/// - Parameters:
///   - columns: the first vector under the first pixel, where the sums begin; readable for the radius to both
///     sides, and one pixel more.
///   - channels: components of a pixel.
///   - groups: vectors of rows for each component. `channels · groups` is even.
///   - states: room for a saved state for each vector of a pixel.
///   - tile: room for a square of lanes for each vector of a pixel, and one more.
///   - skipped: pixels before the first wanted one.
///   - count: wanted pixels.
///   - targets: where the rows' first wanted pixels go, an address for each row in `rows`.
///   - bytes: bytes of a stored component: 1 and 2 for integers, which are rounded to nearest, 4 for float.
/// - Returns: whether all sums are finite.
@inline(never)
public func cosinesAcross(
  _ columns: UnsafePointer<Float>, channels: Int, groups: Int, window: blur_cosines,
  states: UnsafeMutableRawPointer, tile: UnsafeMutablePointer<Float>, skipped: Int, count: Int,
  into targets: UnsafePointer<UnsafeMutableRawPointer>, rows: Range<Int>, bytes: Int
) -> Bool {
  let pass = AcrossPass(
    columns: columns, channels: channels, groups: groups, window: window, states: states, tile: tile,
    skipped: skipped, count: count, targets: targets, rows: rows)
  return switch (window.cosines, window.checked) {
  case (3, _): pass.run(3, false, bytes)
  case (4, false): pass.run(4, false, bytes)
  case (4, true): pass.run(4, true, bytes)
  case (_, false): pass.run(7, false, bytes)
  case (_, true): pass.run(7, true, bytes)
  }
}

/// The arguments of ``cosinesAcross``.
private struct AcrossPass {
  let columns: UnsafePointer<Float>
  let channels: Int
  let groups: Int
  let window: blur_cosines
  let states: UnsafeMutableRawPointer
  let tile: UnsafeMutablePointer<Float>
  let skipped: Int
  let count: Int
  let targets: UnsafePointer<UnsafeMutableRawPointer>
  let rows: Range<Int>

  /// Values from one pixel to the next.
  @inline(__always)
  private var pixel: Int { channels &* groups &* blur_f32_lanes }

  @inline(__always)
  func run(_ cosines: Int, _ checked: Bool, _ bytes: Int) -> Bool {
    let lanes = blur_f32_lanes
    var (window, isFinite) = (window, true)
    var v = 0
    while v < channels &* groups {
      let state = states + v &* blur_slider_bytes(cosines)
      // SAFETY: the caller's columns reach the radius to both sides.
      blur_begin_across(columns + v &* lanes, pixel, &window, cosines, checked, state)
      v &+= 1
    }
    if skipped > 0 { isFinite = slide(0, skipped, into: 0, cosines, checked) }
    var x = 0
    while x < count {
      isFinite =
        slide(skipped &+ x, min(lanes, count &- x), into: pixel, cosines, checked) && isFinite
      store(x, bytes)
      x &+= lanes
    }
    return isFinite
  }

  /// Moves all vectors on from pixel `x`; the means of pixels are `step` values apart in the tile.
  @inline(__always)
  private func slide(_ x: Int, _ count: Int, into step: Int, _ cosines: Int, _ checked: Bool) -> Bool {
    let lanes = blur_f32_lanes
    var (window, isFinite) = (window, true)
    var job = blur_slide_job()
    (job.pitch, job.count, job.next, job.step) = (pixel, count, lanes, step)
    var v = 0
    while v < channels &* groups {
      // SAFETY: the caller's columns reach the radius to both sides and one pixel more.
      let first = columns + x &* pixel + v &* lanes
      job.entering = first + (window.radius &+ 1) &* pixel
      job.leaving = first - window.radius &* pixel
      job.means = tile + v &* lanes
      let state = states + v &* blur_slider_bytes(cosines)
      isFinite = blur_slide(&job, false, lanes, 4, &window, cosines, checked, state) && isFinite
      v &+= 2
    }
    return isFinite
  }

  /// Writes the rows of the tile, whose first pixel is number `x` of the wanted ones.
  @inline(never)
  private func store(_ x: Int, _ bytes: Int) {
    switch bytes {
    case 1: turn(x) { blur_u8_from_f32($0 + $1, $2, $3) }
    case 2: turn(x) { blur_u16_from_f32($0 + 2 &* $1, $2, $3) }
    default:
      turn(x) {
        if $3 >= blur_f32_lanes {
          blur_store_f32($0 + 4 &* $1, $2)
        } else {
          blur_f32_to_f32($0 + 4 &* $1, $2, $3)
        }
      }
    }
  }

  /// Turns the columns of the tile into rows, and writes those.
  @inline(__always)
  private func turn(_ x: Int, _ write: (UnsafeMutableRawPointer, Int, blur_f32, Int) -> Void) {
    let lanes = blur_f32_lanes
    let turned = tile + pixel &* lanes
    var group = 0
    while group < groups {
      var i = 0
      while i < channels {
        let offset = x &* channels &+ i &* lanes
        let left = count &* channels &- offset
        blur_transpose(tile + (i &* lanes &* groups &+ group) &* lanes, groups &* lanes, turned, lanes)
        var row = max(rows.lowerBound, group &* lanes)
        while row < min(rows.upperBound, (group &+ 1) &* lanes) && left > 0 {
          // SAFETY: the caller's rows hold `count` pixels.
          let value = blur_f32_from_f32(turned + (row &- group &* lanes) &* lanes, lanes)
          write(targets[row], offset, value, left >= lanes ? lanes : left)
          row &+= 1
        }
        i &+= 1
      }
      group &+= 1
    }
  }
}
