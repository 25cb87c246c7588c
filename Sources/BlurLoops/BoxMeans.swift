import BlurLoopTable
import CBlurVectors

// This is the triple box for floats. It computes the means over windows along a line only by adding values.
// If values were also subtracted, rounding errors and NaN would stay in a running sum. A line consists of
// steps, each of which is a group of 16 values that are filtered side by side (see BlurSums.h).

/// Computes the means over all windows along a line.
///
/// The line is divided into blocks that are as long as a window. Each window then consists of the end of one
/// block and the start of the next block. Sums are computed in double precision.
@inline(never)
func boxMeans(_ a: BoxMeans) {
  // SAFETY: the caller has reserved space at `a.block` for one sum per pixel of a block, and a block is as
  // long as a window.
  let endings = a.block.assumingMemoryBound(to: Sum.self)
  // A pixel is processed one vector at a time. This is the number of bytes from the start of a pixel to the
  // current vector.
  var first = 0
  let pitch = a.stride &* blur_step_bytes
  while first < pitch {
    // The line is divided into blocks that are as long as a window, and `start` is the first pixel of a
    // block. The loop ends when a window that begins at `start` would reach beyond the end of the line. There
    // is no mean for such a window.
    var start = 0
    while start <= a.count &- a.size {
      let offset = start &* pitch &+ first
      sumBackwards(a.source + offset, pitch, a.size, into: endings)
      let results = min(a.size, a.count &- a.size &- start &+ 1)
      meansForwards(a.source + offset, pitch, endings, a.size, into: a.target + offset, results)
      start &+= a.size
    }
    first &+= 4 &* blur_f32_lanes
  }
}

/// For each pixel of a block, computes the sum of all values from this pixel to the end of the block.
@inline(__always)
private func sumBackwards(
  _ source: UnsafeRawPointer, _ pitch: Int, _ size: Int, into endings: UnsafeMutablePointer<Sum>
) {
  var sum = Sum()
  var i = size &- 1
  while i >= 0 {
    sum.add(load(source + i &* pitch))
    endings[i] = sum
    i &-= 1
  }
}

/// Computes the means over all windows that begin in one block of the line. The block has `size` pixels and
/// begins at `source`.
@inline(__always)
private func meansForwards(
  _ source: UnsafeRawPointer, _ pitch: Int, _ endings: UnsafePointer<Sum>, _ size: Int,
  into target: UnsafeMutableRawPointer, _ results: Int
) {
  let weight = blur_f64(repeating: 1 / Double(size))
  var sum = Sum()
  var i = 0
  while true {
    let mean = blur_f32_from_f64(
      (endings[i].low + sum.low) * weight, (endings[i].high + sum.high) * weight)
    blur_store_f32(target + i &* pitch, mean)
    i &+= 1
    if i == results { return }
    sum.add(load(source + (size &+ i &- 1) &* pitch))
  }
}

@inline(__always)
private func load(_ step: UnsafeRawPointer) -> blur_f32 {
  // SAFETY: callers pass an address inside the line, from which a whole vector can be read.
  blur_f32_from_f32(step, blur_f32_lanes)
}

private struct Sum {
  var low = blur_f64.zero
  var high = blur_f64.zero

  @inline(__always)
  mutating func add(_ value: blur_f32) {
    low += blur_low_f64(value)
    high += blur_high_f64(value)
  }
}

/// Transposes a tile, which holds 16 components from each row in a block of rows, into a line of steps. Each
/// step is a group of 16 values from one column, or from one pixel of four channels.
@inline(never)
func boxTranspose(_ a: BoxTranspose) {
  let (tile, channels, steps) = (a.tile, a.channels, a.steps)
  var group = 0
  while group < 4 / channels {
    var x = 0
    while x < blur_step_lanes {
      // SAFETY: the tile has 16 rows, or 4 rows if the image has four channels. The memory at `steps` has
      // space for the whole transposed tile.
      let row = tile + 4 &* (group &* blur_step_bytes &+ x)
      let a = blur_load_i32(row)
      let b = blur_load_i32(row + blur_step_bytes)
      let c = blur_load_i32(row + 2 &* blur_step_bytes)
      let d = blur_load_i32(row + 3 &* blur_step_bytes)
      if channels == 1 {
        blur_scatter_columns(steps + x &* blur_step_bytes + group &* blur_quad_bytes, a, b, c, d)
      } else {
        blur_scatter_pixels(steps + x / 4 &* blur_step_bytes, a, b, c, d)
      }
      x &+= blur_f32_lanes
    }
    group &+= 1
  }
}
