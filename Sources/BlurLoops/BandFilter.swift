import BlurLoopTable
import CBlurVectors

// The band filter blurs first vertically and then horizontally, in single precision. Every output pixel has
// its own list of weights, one for each source pixel. If each list is written as one row of a matrix, the
// result is a band matrix, which gives the filter its name. The rules for the code in this folder are in
// Loops.swift.

/// Blurs vertically with the band filter, in which every output pixel has its own weights. The function
/// computes four lines of intermediate values. The horizontal blur later turns each line into one output row.
@inline(never)
func bandDown(_ a: BandDown) {
  if a.bytes == 2 {
    down(a) {
      blur_f32_from_u16($0 + 2 &* $1, blur_f32_lanes)
    } add: { sum, value, weight in
      blur_add_product(sum, value, weight)
    }
  } else {
    down(a) {
      blur_load_f32($0 + 4 &* $1)
    } add: { sum, value, weight in
      let weights = blur_f32(repeating: weight)
      return blur_add_weighted(sum, blur_where_weighted(value, weights), weights)
    }
  }
}

@inline(__always)
private func down(
  _ a: BandDown, _ load: (UnsafeRawPointer, Int) -> blur_f32, add: (blur_f32, blur_f32, Float) -> blur_f32
) {
  var x = 0
  while x < a.count {
    var (sum0, sum1, sum2, sum3) = (blur_f32.zero, blur_f32.zero, blur_f32.zero, blur_f32.zero)
    var (i, weights) = (0, a.weights)
    // SAFETY: `rows` holds the addresses of `taps` source rows. Each row can be read to the end of the vector
    // that begins at `x`. `weights` holds four weights for each of these rows.
    while i < a.taps {
      let value = load(a.rows[i], x)
      sum0 = add(sum0, value, weights[0])
      sum1 = add(sum1, value, weights[1])
      sum2 = add(sum2, value, weights[2])
      sum3 = add(sum3, value, weights[3])
      weights += 4
      i &+= 1
    }
    // SAFETY: each line has space for one vector beyond its last value, so the last vector of the line can be
    // stored whole.
    blur_store_f32(a.lines + x, sum0)
    blur_store_f32(a.lines + (x &+ a.lineStride), sum1)
    blur_store_f32(a.lines + (x &+ 2 &* a.lineStride), sum2)
    blur_store_f32(a.lines + (x &+ 3 &* a.lineStride), sum3)
    x &+= blur_f32_lanes
  }
}

/// Blurs four rows horizontally with the band filter, in which every output pixel has its own weights. The
/// source is four lines of intermediate values from the vertical blur.
@inline(never)
func bandAcross(_ a: BandAcross) {
  switch a.channels {
  case 1: across(a, 1)
  case 3: across(a, 3)
  default: across(a, 4)
  }
}

@inline(__always)
private func across(_ a: BandAcross, _ channels: Int) {
  // SAFETY: each target row has space for one vector beyond its last value, so the last vector of the row can
  // be stored whole.
  if a.bytes == 2 {
    across(a, channels) { sum, value, weights in
      blur_add_weighted(sum, value, weights)
    } store: {
      blur_u16_from_f32($0 + 2 &* $1, $2, blur_f32_lanes)
    }
  } else {
    across(a, channels) { sum, value, weights in
      blur_add_weighted(sum, blur_where_weighted(value, weights), weights)
    } store: {
      blur_store_f32($0 + 4 &* $1, $2)
    }
  }
}

@inline(__always)
private func across(
  _ a: BandAcross, _ channels: Int, add: (blur_f32, blur_f32, blur_f32) -> blur_f32,
  store: (UnsafeMutableRawPointer, Int, blur_f32) -> Void
) {
  let lanes = blur_f32_lanes
  let (targets, lineStride) = (a.targets, a.lineStride)
  var (x, group) = (0, a.groups)
  while x < a.count {
    var (sum0, sum1, sum2, sum3) = (blur_f32.zero, blur_f32.zero, blur_f32.zero, blur_f32.zero)
    // SAFETY: `group` points to five numbers that the caller passes for each group of output pixels. The
    // first four describe two ranges of source pixels, and the lines hold all pixels in these ranges. The
    // fifth number is the index of the group's first vector in `weights`. From there on, `weights` holds one
    // vector for each source pixel in the two ranges.
    var weights = a.weights + group[4] &* lanes
    @inline(__always) func addRun(_ first: Int, _ count: Int) {
      var pixel = a.lines + first &* channels
      let end = pixel + count &* channels
      while pixel < end {
        let weight = blur_load_f32(weights)
        sum0 = add(sum0, blur_repeated_f32(pixel, channels), weight)
        sum1 = add(sum1, blur_repeated_f32(pixel + lineStride, channels), weight)
        sum2 = add(sum2, blur_repeated_f32(pixel + 2 &* lineStride, channels), weight)
        sum3 = add(sum3, blur_repeated_f32(pixel + 3 &* lineStride, channels), weight)
        pixel += channels
        weights += lanes
      }
    }
    addRun(group[0], group[1])
    addRun(group[2], group[3])
    // A vector may end in the middle of a pixel. The values of this incomplete pixel are stored as well. They
    // are overwritten when the next group of output pixels is stored, because that group begins with the same
    // pixel.
    store(targets[0], x, sum0)
    store(targets[1], x, sum1)
    store(targets[2], x, sum2)
    store(targets[3], x, sum3)
    x &+= lanes &- lanes % channels
    group += 5
  }
}
