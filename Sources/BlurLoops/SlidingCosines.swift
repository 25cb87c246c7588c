import BlurLoopTable
import CBlurVectors

// These loops compute sums of cosines over windows that slide along the image. BlurSliding.h explains the
// method, and Loops.swift explains the rules of this folder.
//
// Each function is compiled separately for every number of cosines and for every format. Only then can the
// compiler keep the sums in registers.

/// Computes the sums over the first window of every column, and saves them.
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
    // SAFETY: the caller passes all rows of the window, and memory in which the sums of each vector of
    // columns can be saved.
    blur_begin_down(a.rows, column(x, count), min(count, lanes), bytes, &window, cosines, checked, states)
    states += blur_slider_bytes(cosines)
    x &+= lanes
  }
}

/// Returns the first column of the vector that should begin at `x`. Near the end of a row, a vector begins
/// earlier, so that it is full. If the row is shorter than a vector, the result is 0, and the vector is
/// loaded only in part.
@inline(__always)
private func column(_ x: Int, _ count: Int) -> Int { max(0, min(x, count &- blur_f32_lanes)) }

/// Runs the vertical pass for a block of output rows, which has as many rows as a vector has lanes. Returns
/// whether all sums are finite.
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
    // SAFETY: the caller passes `lanes` rows that enter the window, `lanes` rows that leave it, and the saved
    // sums of each vector of columns.
    isFinite =
      blur_slide(&job, true, min(count, lanes), bytes, &window, cosines, checked, states) && isFinite
    blur_transpose(tile, lanes, columns + first &* pitch, pitch)
    blur_transpose(tile + lanes &* lanes, lanes, columns + second &* pitch, pitch)
    states += 2 &* blur_slider_bytes(cosines)
    x &+= 2 &* lanes
  }
  return isFinite
}

/// Runs the horizontal pass for a range of columns in several rows. Returns whether all sums are finite.
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

/// The horizontal pass of the cosine filter. This folder is compiled once for each instruction set, each time
/// as a different module. The pass is a structure that is declared here, so that the symbols of its functions
/// contain the name of the module. This gives each instruction set symbols of its own.
private struct AcrossPass {
  let a: CosineAcross

  /// The number of values from one column to the next in `a.columns`. The image is stored there column by
  /// column, with several rows side by side. A column has `groups` vectors for each channel.
  @inline(__always)
  private var pixel: Int { a.channels &* a.groups &* blur_f32_lanes }

  @inline(__always)
  func run(_ cosines: Int, _ checked: Bool) -> Bool {
    let lanes = blur_f32_lanes
    var (window, isFinite) = (a.window, true)
    var v = 0
    while v < a.channels &* a.groups {
      let state = a.states + v &* blur_slider_bytes(cosines)
      // SAFETY: `a.columns` points to the pixel at the centre of the first window. The caller guarantees that
      // `radius` pixels before this pixel and `radius` pixels after it are readable.
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

  /// Slides the windows by `count` pixels, beginning at pixel `x`, and writes the means to the scratch memory
  /// `a.tile`. The means of two neighbouring pixels are stored `step` values apart. If `step` is 0, each mean
  /// overwrites the one before. Returns whether all sums are finite.
  @inline(__always)
  private func slide(_ x: Int, _ count: Int, into step: Int, _ cosines: Int, _ checked: Bool) -> Bool {
    let lanes = blur_f32_lanes
    var (window, isFinite) = (a.window, true)
    var job = blur_slide_job()
    (job.pitch, job.count, job.next, job.step) = (pixel, count, lanes, step)
    var v = 0
    while v < a.channels &* a.groups {
      // SAFETY: the caller guarantees that `radius` pixels before the current pixel and `radius + 1` pixels
      // after it are readable.
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

  /// Writes the means in the scratch memory `a.tile` to the output rows. `x` is the position of the first of
  /// these pixels in the output rows, counted from the first wanted pixel.
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

  /// Transposes the means in the scratch memory `a.tile`, which are stored column by column, and writes the
  /// resulting rows with the function `write`.
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
          // SAFETY: the caller's rows hold `count` pixels. From `offset` on, no more values are written than
          // remain in the row.
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
