import BlurLoopTable
import CBlurVectors

// The triple box approximates a Gaussian blur by three box filters, one after the other. A box filter
// computes the mean over a window in which all weights are equal. This file contains the box filter for
// floats.
//
// The filter computes each mean only by adding values. If it also subtracted the values that leave the
// window, rounding errors and NaN would stay in its running sum for the rest of the line. The values are
// stored in a line that consists of steps. A step is a group of 16 values that are blurred side by side, for
// example the values of 16 rows in one column (see BlurSums.h).

/// Computes the mean over each window of `size` pixels along a line.
///
/// The line is divided into blocks that are as long as a window. Each window then consists of the end of one
/// block and the start of the next block. The function sums both parts without subtracting anything, in
/// double precision.
@inline(never)
func boxMeans(_ a: BoxMeans) {
  // SAFETY: `a.block` is scratch memory with space for one sum for each pixel of a window. The loop divides
  // the line into blocks that are as long as a window, and stores the sums of one block at a time.
  let endings = a.block.assumingMemoryBound(to: Sum.self)
  // Each iteration of the outer loop processes one vector of every pixel. `first` is the number of bytes from
  // the start of a pixel to this vector.
  var first = 0
  let pitch = a.stride &* blur_step_bytes
  while first < pitch {
    // The line is divided into blocks that are as long as a window, and `start` is the first pixel of a
    // block. The loop ends as soon as a window that begins at `start` would reach beyond the end of the line.
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

/// Sums the pixels of a block from its last pixel backwards. `endings[i]` becomes the sum of all pixels from
/// pixel i of the block to the end of the block. For example, a block with the values 1, 2 and 3 gives the
/// sums 6, 5 and 3.
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

/// Computes the mean over each window that begins in one block of a line. The block and each window have
/// `size` pixels. A window consists of the end of this block, whose sum is in `endings`, and the start of the
/// next block, which is summed here.
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
  // SAFETY: all callers pass an address inside the line from which one whole vector of floats can be read.
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

/// Rearranges the values of several rows, so that all values of one column are next to each other. The source
/// is a tile with 16 components from each row. The result consists of groups of 16 values. With one channel,
/// a group holds a pixel from each of 16 rows. With four channels, it holds a pixel from each of 4 rows.
@inline(never)
func boxTranspose(_ a: BoxTranspose) {
  let (tile, channels, steps) = (a.tile, a.channels, a.steps)
  var group = 0
  while group < 4 / channels {
    var x = 0
    while x < blur_step_lanes {
      // SAFETY: the loads stay inside the tile, which has 16 rows, or 4 rows if the image has four channels.
      // The stores stay inside the memory at `steps`, because the caller has reserved space for the whole
      // transposed tile there.
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
