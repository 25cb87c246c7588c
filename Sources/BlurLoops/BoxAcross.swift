import BlurLoopTable
import CBlurVectors

// The triple box approximates a Gaussian blur by three box filters, one after the other. A box filter
// computes the mean over a window in which all weights are equal. This file contains the horizontal half for
// integers.
//
// Several rows are blurred at the same time. Their values are stored in a line that consists of steps. A step
// is a group of 16 values that are blurred side by side, for example the values of 16 rows in one column (see
// BlurSums.h). Each of the 16 values has three running sums, which are updated from one pixel of the line to
// the next.

/// Blurs several rows horizontally with the triple box, using 32-bit running sums. The source is a line of
/// steps, where a step is a group of 16 values that are blurred side by side. The results are written to the
/// rows of the image. The third running sum must be less than 2³¹.
@inline(never)
func boxAcross32(_ box: BoxAcross) {
  let half = blur_i32(repeating: Int32(truncatingIfNeeded: box.half))
  along(box) { lane, first, count, number, results in
    let taps = AcrossTaps(box.line.steps, box, first, lane)
    // SAFETY: `scratch` begins with three running sums for each vector of a pixel. `number` is the index of
    // one of these vectors, so its sums are in this memory.
    let sums = box.scratch.assumingMemoryBound(to: AcrossSums32.self) + number
    var s = sums[0]
    var i = 0
    while i < count {
      s.advance(by: taps.difference(i))
      let quotients = blur_quotients(s.third &+ half, box.reciprocal, box.shift)
      store(quotients, box.line, results, i)
      i &+= box.stride
    }
    sums[0] = s
  }
}

/// Blurs several rows horizontally with the triple box, using 64-bit running sums. The source is a line of
/// steps, where a step is a group of 16 values that are blurred side by side. The results are written to the
/// rows of the image.
@inline(never)
func boxAcross64(_ box: BoxAcross) {
  if let high = box.high {
    let places = blur_u64(repeating: UInt64(blur_limb_bits))
    across64(box, box.line.steps, high) { low, high in low &+ (high &<< places) }
  } else {
    across64(box, box.line.steps, box.line.steps) { low, _ in low }
  }
}

@inline(__always)
private func across64(
  _ box: BoxAcross, _ low: UnsafeRawPointer, _ high: UnsafeRawPointer,
  _ join: (blur_u64, blur_u64) -> blur_u64
) {
  along(box) { lane, first, count, number, results in
    let lowTaps = AcrossTaps(low, box, first, lane)
    let highTaps = AcrossTaps(high, box, first, lane)
    // SAFETY: `scratch` begins with three running sums for each vector of a pixel. `number` is the index of
    // one of these vectors, so its sums are in this memory.
    let sums = box.scratch.assumingMemoryBound(to: AcrossSums64.self) + number
    var s = sums[0]
    var i = 0
    while i < count {
      let (l, h) = (lowTaps.difference(i), highTaps.difference(i))
      s.advance(by: join(blur_low_u64(l), blur_low_u64(h)), join(blur_high_u64(l), blur_high_u64(h)))
      let (a, b) = (blur_f64_from_u64(s.third.0), blur_f64_from_u64(s.third.1))
      store(blur_whole_parts(a, b, box.scale, box.bias), box.line, results, i)
      i &+= box.stride
    }
    sums[0] = s
  }
}

// MARK: Dividing the line into chunks

/// Divides the line into chunks of at most 128 steps. A step holds 16 values, and each pixel of the line has
/// `box.stride` steps. For each chunk, this function calls `body` to compute the results, and then writes the
/// results to the rows of the image.
///
/// The values of a pixel fill one or more vectors of the CPU. One call of `body` processes one of these
/// vectors, for all pixels in the chunk. So for each chunk, `body` is called once per vector. The arguments
/// of `body` are:
/// - the index of the vector's first value among the values of a pixel,
/// - the index of the chunk's first step in the line,
/// - the number of steps in the chunk,
/// - the index of the vector within a pixel, which `body` uses to find the running sums of this vector,
/// - the address at which the results of this vector begin.
@inline(__always)
private func along(_ box: BoxAcross, _ body: (Int, Int, Int, Int, UnsafeMutableRawPointer) -> Void) {
  // SAFETY: `scratch` has space for the three running sums of all values of a pixel, and after them for the
  // results of one chunk. The memory for the sums is as large as `sumCount` 32-bit integers. This is two
  // integers per sum, so the memory is large enough even if the sums have 64 bits.
  let sums = box.scratch.assumingMemoryBound(to: Int32.self)
  let sumCount = 6 &* blur_most_steps &* blur_step_lanes
  let chunk = UnsafeMutableRawPointer(sums + sumCount)
  for i in 0..<sumCount { sums[i] = 0 }
  // `longest` is the largest number of groups of 16 values in a chunk. It is a multiple of 16, because
  // results are written in batches of up to 16 groups. A chunk must also consist of whole pixels. A pixel
  // consists of one or three groups (`box.stride`), so `longest` is 128 or 96.
  let longest = blur_chunk_steps &- blur_chunk_steps % (16 &* box.stride)
  var x = 0 &- box.lead
  while x < box.line.count {
    let count = min(longest, (x < 0 ? 0 : box.line.count) &- x)
    var (lane, number) = (0, 0)
    while lane < box.stride &* blur_step_lanes {
      body(lane, x &+ box.lead, count, number, chunk + (box.line.bytes == 1 ? lane : 4 &* lane))
      lane &+= blur_f32_lanes
      number &+= 1
    }
    if x >= 0 { write(chunk, count, at: x, box.line) }
    x &+= count
  }
}

/// Stores one vector of results in scratch memory. The results of many pixels are later written to the image
/// together. `step` is the index of the group of 16 values to which the vector belongs. Each result is stored
/// as a byte for 8-bit images, and as a 32-bit integer otherwise.
@inline(__always)
private func store(_ value: blur_i32, _ line: BoxWrite, _ results: UnsafeMutableRawPointer, _ step: Int) {
  // SAFETY: `results` points to memory for the results of one chunk, which is a part of a line. `step` is the
  // index of a group of 16 values in this chunk, and the memory has space for all of these groups.
  if line.bytes == 1 {
    blur_u8_from_i32(results + step &* blur_step_lanes, value, blur_f32_lanes)
  } else {
    blur_store_i32(results + step &* blur_step_bytes, value)
  }
}

/// Writes the results of a chunk to the rows of the image, starting in column `x`. A chunk is a part of the
/// line. It consists of `count` groups of 16 values, and `count` is at most 128.
@inline(__always)
private func write(_ chunk: UnsafeRawPointer, _ count: Int, at x: Int, _ line: BoxWrite) {
  switch line.bytes {
  case 1: writeBytes(chunk, count, at: x, line)
  case 2: write(chunk, count, at: x, line) { blur_u16_from_i32($0 + 2 &* $1, $2, $3) }
  default: write(chunk, count, at: x, line) { blur_i32_to_i32($0 + 4 &* $1, $2, $3) }
  }
}

@inline(__always)
private func writeBytes(_ chunk: UnsafeRawPointer, _ count: Int, at x: Int, _ line: BoxWrite) {
  // SAFETY: there are `line.rows` target rows, and each has space for `count` more pixels from column x on.
  // `chunk` holds groups of 16 values. The loop reads up to 16 groups at a time, even if fewer are left. The
  // memory of the chunk has space for a multiple of 16 groups, so the loop never reads beyond it.
  var i = 0
  while i < count {
    let steps = chunk + i &* blur_step_lanes
    if line.channels == 1 {
      blur_write_columns(steps, line.targets, line.rows, x &+ i, count &- i)
      i &+= 16
    } else {
      blur_write_pixels(steps, line.targets, line.rows, 4 &* (x &+ i), 4 &* (count &- i))
      i &+= 4
    }
  }
}

@inline(__always)
private func write(
  _ steps: UnsafeRawPointer, _ count: Int, at x: Int, _ line: BoxWrite,
  _ store: (UnsafeMutableRawPointer, Int, blur_i32, Int) -> Void
) {
  // SAFETY: there are `line.rows` target rows, and each has space for `count` more pixels from column x on.
  // `steps` holds groups of 16 values. The loop may read as many groups at a time as a vector has 32-bit
  // lanes, even if fewer groups are left. The caller has reserved memory for these additional groups.
  var row = 0
  while row < line.rows {
    let targets = line.targets + row
    var i = 0
    if line.channels == 1 {
      while i < count {
        var four = (blur_i32.zero, blur_i32.zero, blur_i32.zero, blur_i32.zero)
        blur_gather_columns(steps + i &* blur_step_bytes + row &* 4, &four)
        store(targets[0], x &+ i, four.0, count &- i)
        if row &+ 1 < line.rows { store(targets[1], x &+ i, four.1, count &- i) }
        if row &+ 2 < line.rows { store(targets[2], x &+ i, four.2, count &- i) }
        if row &+ 3 < line.rows { store(targets[3], x &+ i, four.3, count &- i) }
        i &+= blur_f32_lanes
      }
      row &+= 4
    } else {
      while i < count {
        let pixels = blur_gather_quads(steps + i &* blur_step_bytes + row &* blur_quad_bytes, 1)
        store(targets[0], 4 &* (x &+ i), pixels, 4 &* (count &- i))
        i &+= blur_f32_lanes / 4
      }
      row &+= 1
    }
  }
}

/// Writes the values of a line to the rows of the image, without filtering them. The line consists of steps,
/// which are groups of 16 values: either the values of 16 rows in one column, or one pixel of four channels
/// from each of 4 rows. The first `count` steps are written.
@inline(never)
func boxWrite(_ line: BoxWrite) {
  write(line.steps, line.count, at: 0, line)
}

// MARK: Updating the running sums

/// The addresses of the six samples that are needed to update the running sums. From one pixel to the next,
/// the first running sum grows by t0 − 2·t1 − t2 + t3 + 2·t4 − t5. Here t0 is the newest sample. The other
/// samples lie before it, at distances that depend on the sizes of the three boxes.
private struct AcrossTaps {
  private let t0, t1, t2, t3, t4, t5: UnsafePointer<Int32>

  @inline(__always)
  init(_ line: UnsafeRawPointer, _ box: BoxAcross, _ step: Int, _ lane: Int) {
    // SAFETY: near the start of the line, some of the six addresses lie before its first value. The caller
    // has stored enough zeros in the memory before the line, so these addresses can be read as well.
    t0 = line.assumingMemoryBound(to: Int32.self) + (step &* blur_step_lanes &+ lane)
    let pixel = box.stride &* blur_step_lanes
    let (d, e) = (box.twice &* pixel, box.once &* pixel)
    t1 = t0 - d
    t2 = t0 - e
    t3 = t1 - d
    t4 = t1 - e
    t5 = t3 - e
  }

  @inline(__always)
  func difference(_ step: Int) -> blur_i32 {
    let i = step &* blur_step_lanes
    let outer = blur_load_i32(t0 + i) &- blur_load_i32(t5 + i)
    let middle = blur_load_i32(t1 + i) &- blur_load_i32(t4 + i)
    let inner = blur_load_i32(t2 + i) &- blur_load_i32(t3 + i)
    return blur_optimisation_barrier(outer &- middle &- middle &- inner)
  }
}

private struct AcrossSums32 {
  var first: blur_i32
  var second: blur_i32
  var third: blur_i32

  @inline(__always)
  mutating func advance(by difference: blur_i32) {
    first &+= difference
    second &+= first
    third &+= second
  }
}

private struct AcrossSums64 {
  var first: (blur_u64, blur_u64)
  var second: (blur_u64, blur_u64)
  var third: (blur_u64, blur_u64)

  @inline(__always)
  mutating func advance(by low: blur_u64, _ high: blur_u64) {
    first.0 &+= low
    first.1 &+= high
    second.0 &+= first.0
    second.1 &+= first.1
    third.0 &+= second.0
    third.1 &+= second.1
  }
}
