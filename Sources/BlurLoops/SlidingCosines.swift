import BlurLoopTable
import CBlurVectors

// These loops blur with windows that slide along the image. They compute sums of the pixels in a window,
// weighted with cosines, and update these sums each time the window moves by one pixel. BlurSliding.h
// explains the method, and Loops.swift explains the rules of this folder.
//
// Each function is compiled separately for every number of cosines and for every pixel format. Only if both
// are constants can the compiler keep the sums in registers.

/// Begins the vertical pass, in which a window slides down each column of the image. Computes the sums over
/// the first window of every column, and saves these sums for the function `cosineDown`.
@inline(never)
func cosineBeginDown(_ a: CosineBegin) {
  switch (a.window.cosines, a.bytes, a.window.checked) {
  case (3, 1, _): beginDown(a, 1, 3, false)
  case (4, 1, _): beginDown(a, 1, 4, false)
  case (4, 2, _): beginDown(a, 2, 4, false)
  case (4, _, false): beginDown(a, 4, 4, false)
  case (4, _, true): beginDown(a, 4, 4, true)
  case (_, 1, _): beginDown(a, 1, 7, false)
  case (_, 2, _): beginDown(a, 2, 7, false)
  case (_, _, false): beginDown(a, 4, 7, false)
  case (_, _, true): beginDown(a, 4, 7, true)
  }
}

@inline(__always)
private func beginDown(_ a: CosineBegin, _ bytes: Int, _ cosines: Int, _ checked: Bool) {
  let (lanes, count) = (blur_f32_lanes, a.count)
  var (window, states) = (a.window, a.states)
  var x = 0
  let even = (count &+ 2 &* lanes &- 1) / (2 &* lanes) &* 2 &* lanes
  while x < even {
    // SAFETY: `a.rows` holds the addresses of all rows in the window, and each row has `count` components.
    // The function reads only these. The last vector would reach beyond the end of the row, so it begins
    // earlier (see `column`). If the whole row is shorter than a vector, only `count` components are loaded.
    // The memory at `states` has space for the sums of each vector.
    blur_begin_down(a.rows, column(x, count), min(count, lanes), bytes, &window, cosines, checked, states)
    states += blur_slider_bytes(cosines)
    x &+= lanes
  }
}

/// Returns the component of a row at which a vector begins. Usually, this is `x`. If the row has too few
/// components from `x` on to fill a vector, the vector begins earlier, so that it ends with the row. If the
/// whole row is shorter than a vector, the result is 0, and only a part of the vector is loaded.
@inline(__always)
private func column(_ x: Int, _ count: Int) -> Int { max(0, min(x, count &- blur_f32_lanes)) }

/// Runs the vertical pass, in which a window slides down each column. Computes as many neighbouring output
/// rows as a vector has lanes. Returns whether all output values are finite. With `checked`, the loop leaves
/// NaN and infinite samples out of the sums itself, and always returns true.
@inline(never)
func cosineDown(_ a: CosineDown) -> Bool {
  switch (a.window.cosines, a.bytes, a.window.checked) {
  case (3, 1, _): down(a, 1, 3, false)
  case (4, 1, _): down(a, 1, 4, false)
  case (4, 2, _): down(a, 2, 4, false)
  case (4, _, false): down(a, 4, 4, false)
  case (4, _, true): down(a, 4, 4, true)
  case (_, 1, _): down(a, 1, 7, false)
  case (_, 2, _): down(a, 2, 7, false)
  case (_, _, false): down(a, 4, 7, false)
  case (_, _, true): down(a, 4, 7, true)
  }
}

@inline(__always)
private func down(_ a: CosineDown, _ bytes: Int, _ cosines: Int, _ checked: Bool) -> Bool {
  let (tile, columns, pitch, count) = (a.tile, a.columns, a.pitch, a.count)
  let lanes = blur_f32_lanes
  var (window, states, isFinite) = (a.window, a.states, true)
  var job = blur_slide_job()
  (job.entering_rows, job.leaving_rows) = (a.entering, a.leaving)
  (job.count, job.means, job.next, job.step) = (lanes, tile, lanes &* lanes, lanes)
  var x = 0
  while x < count {
    let (first, second) = (column(x, count), column(x &+ lanes, count))
    job.offsets = (first, second)
    // SAFETY: the function reads `lanes` rows that enter the window and `lanes` rows that leave it. The
    // caller passes their addresses. Each row holds `count` components, and no vector reaches beyond them.
    // The caller also passes the saved sums of each vector.
    isFinite =
      blur_slide(&job, true, min(count, lanes), bytes, &window, cosines, checked, states) && isFinite
    blur_transpose(tile, lanes, columns + first &* pitch, pitch)
    blur_transpose(tile + lanes &* lanes, lanes, columns + second &* pitch, pitch)
    states += 2 &* blur_slider_bytes(cosines)
    x &+= 2 &* lanes
  }
  return isFinite
}

/// Runs the horizontal pass, in which a window slides along each row, for a range of columns in several rows.
/// Like `cosineDown`, returns whether all output values are finite.
@inline(never)
func cosineAcross(_ a: CosineAcross) -> Bool {
  let pass = AcrossPass(a: a)
  return switch (a.window.cosines, a.window.checked) {
  case (3, _): pass.run(3, false)
  case (4, false): pass.run(4, false)
  case (4, true): pass.run(4, true)
  case (_, false): pass.run(7, false)
  case (_, true): pass.run(7, true)
  }
}

/// The horizontal pass of the cosine filter, in which a window slides along each row.
///
/// This folder is compiled once for each instruction set, each time as a module with a different name. The
/// functions of the pass are methods of a structure, so that their symbol names contain the name of the
/// module. Functions for different instruction sets therefore have different names, and the linker keeps all
/// of them.
private struct AcrossPass {
  let a: CosineAcross

  /// The number of floats that one column takes in `a.columns`, where the image is stored column by column. A
  /// column holds one pixel from each of several rows, and takes `groups` vectors for each channel.
  @inline(__always)
  private var pixel: Int { a.channels &* a.groups &* blur_f32_lanes }

  @inline(__always)
  func run(_ cosines: Int, _ checked: Bool) -> Bool {
    let lanes = blur_f32_lanes
    var (window, isFinite) = (a.window, true)
    var v = 0
    while v < a.channels &* a.groups {
      let state = a.states + v &* blur_slider_bytes(cosines)
      // SAFETY: `a.columns` points to the column at the centre of the first window. The function reads all
      // columns of this window, from `radius` columns before its centre to `radius` columns after it. The
      // caller guarantees that all of them are in the buffer.
      blur_begin_across(a.columns + v &* lanes, pixel, &window, cosines, checked, state)
      v &+= 1
    }
    if a.skipped > 0 { isFinite = slide(0, a.skipped, into: 0, cosines, checked) }
    var x = 0
    while x < a.count {
      isFinite =
        slide(a.skipped &+ x, min(lanes, a.count &- x), into: pixel, cosines, checked) && isFinite
      store(x)
      x &+= lanes
    }
    return isFinite
  }

  /// Computes the weighted means over `count` neighbouring windows in each row. The first of these windows is
  /// centred on pixel `x`, and each further window lies one pixel to the right. The means are written to the
  /// scratch memory `a.tile`, `step` values apart. If `step` is 0, the means are not needed, and each mean
  /// overwrites the previous one. Returns whether all means are finite.
  @inline(__always)
  private func slide(_ x: Int, _ count: Int, into step: Int, _ cosines: Int, _ checked: Bool) -> Bool {
    let lanes = blur_f32_lanes
    var (window, isFinite) = (a.window, true)
    var job = blur_slide_job()
    (job.pitch, job.count, job.next, job.step) = (pixel, count, lanes, step)
    var v = 0
    while v < a.channels &* a.groups {
      // SAFETY: `first` points to the column at the centre of the window. Each time the window moves, the
      // loop reads one column that is `radius + 1` columns after its centre, and one that is `radius` columns
      // before its centre. The caller guarantees that all of these columns are in the buffer.
      let first = a.columns + x &* pixel + v &* lanes
      job.entering = first + (window.radius &+ 1) &* pixel
      job.leaving = first - window.radius &* pixel
      job.means = a.tile + v &* lanes
      let state = a.states + v &* blur_slider_bytes(cosines)
      isFinite = blur_slide(&job, false, lanes, 4, &window, cosines, checked, state) && isFinite
      v &+= 2
    }
    return isFinite
  }

  /// Writes the means from the scratch memory `a.tile` to the output rows. The scratch memory holds the means
  /// for as many neighbouring columns as a vector has lanes, or for fewer columns at the end of the rows. The
  /// first of these columns is written to column `x` of the output rows.
  @inline(never)
  private func store(_ x: Int) {
    switch a.bytes {
    case 1: transpose(x) { blur_u8_from_f32($0 + $1, $2, $3) }
    case 2: transpose(x) { blur_u16_from_f32($0 + 2 &* $1, $2, $3) }
    default:
      transpose(x) {
        if $3 >= blur_f32_lanes {
          blur_store_f32($0 + 4 &* $1, $2)
        } else {
          blur_f32_to_f32($0 + 4 &* $1, $2, $3)
        }
      }
    }
  }

  /// Transposes the means in the scratch memory `a.tile`. In this memory, each vector holds the means of
  /// several rows in one column. After the transposition, each vector holds neighbouring values of one row.
  /// The function then calls `write` for each wanted row.
  @inline(__always)
  private func transpose(_ x: Int, _ write: (UnsafeMutableRawPointer, Int, blur_f32, Int) -> Void) {
    let lanes = blur_f32_lanes
    let transposed = a.tile + pixel &* lanes
    var group = 0
    while group < a.groups {
      var i = 0
      while i < a.channels {
        let offset = x &* a.channels &+ i &* lanes
        let left = a.count &* a.channels &- offset
        let tile = a.tile + (i &* lanes &* a.groups &+ group) &* lanes
        blur_transpose(tile, a.groups &* lanes, transposed, lanes)
        var row = max(a.firstRow, group &* lanes)
        while row < min(a.endRow, (group &+ 1) &* lanes) && left > 0 {
          // SAFETY: `transposed` holds a whole vector for each row. Each output row has `count` pixels. The
          // remaining components of the row begin at `offset`. There are `left` of them, and no more than
          // `left` components are written.
          let value = blur_f32_from_f32(transposed + (row &- group &* lanes) &* lanes, lanes)
          write(a.targets[row], offset, value, left >= lanes ? lanes : left)
          row &+= 1
        }
        i &+= 1
      }
      group &+= 1
    }
  }
}
