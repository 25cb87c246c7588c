import BlurLoopTable
import CBlurVectors

// This file contains the vertical half of the separable blur filter in single precision, for images of any
// format. The rules for the code in this folder are in Loops.swift.

/// Blurs vertically in single precision, and computes four neighbouring output rows. The results are lines of
/// intermediate values, which the horizontal blur reads.
@inline(never)
func floatDown(_ a: FloatDown) {
  switch a.bytes {
  case 1: sumBytes(a)
  case 2: sumWords(a)
  default:
    let isDone = withKnownRadius(a.taps / 2, upTo: 8) { radius in
      forVectors(a) { start, count in sumPairs(a, radius, start, count) }
    }
    if !isDone { sumFloats(a) }
  }
}

// Each of the following loops is a separate function. If `floatDown` contained all loops, it would be so
// large that the compiler would no longer inline everything in the loops for short windows.

@inline(never)
private func sumBytes(_ a: FloatDown) { sumRows(a) { blur_f32_from_u8($0 + $1, $2) } }

@inline(never)
private func sumWords(_ a: FloatDown) { sumRows(a) { blur_f32_from_u16($0 + 2 &* $1, $2) } }

@inline(never)
private func sumFloats(_ a: FloatDown) { sumRows(a) { blur_f32_from_f32($0 + 4 &* $1, $2) } }

/// Four source rows that the current call of the vertical blur does not read, but the next call does.
/// `prefetch` loads them into the cache during the current call.
private struct Next {
  private let rows: (UnsafeRawPointer, UnsafeRawPointer, UnsafeRawPointer, UnsafeRawPointer)
  private let bytes: Int

  @inline(__always)
  init(_ a: FloatDown) {
    // SAFETY: the list `rows` has taps + 7 addresses. The last four are the addresses of rows that the next
    // call needs. These rows are prefetched. Prefetching never faults, whatever the address is.
    let next = a.rows + (a.taps &+ 3)
    (rows, bytes) = ((next[0], next[1], next[2], next[3]), a.bytes)
  }

  @inline(__always)
  func prefetch(_ start: Int) {
    let offset = bytes &* start
    blur_prefetch(rows.0 + offset)
    blur_prefetch(rows.1 + offset)
    blur_prefetch(rows.2 + offset)
    blur_prefetch(rows.3 + offset)
  }
}

/// Calls `body` once for each vector of a row, with the index of the vector's first value and the number of
/// its values. If the row does not consist of whole vectors, the last vector begins earlier, so that it is
/// full.
@inline(__always)
private func forVectors(_ a: FloatDown, _ body: (_ start: Int, _ count: Int) -> Void) {
  let lanes = blur_f32_lanes
  guard a.count >= lanes else { return body(0, a.count) }
  let next = Next(a)
  var x = 0
  while x < a.count {
    let start = min(x, a.count &- lanes)
    next.prefetch(start)
    body(start, lanes)
    x &+= lanes
  }
}

/// Blurs one vector of columns vertically with a short window, for four output rows. The two rows at the same
/// distance from the centre of a window have the same weight, so their values are added first, and their sum
/// is multiplied by this weight. This halves the number of multiplications, and is faster on CPUs that can
/// add and multiply at the same time.
@inline(__always)
private func sumPairs(_ a: FloatDown, _ radius: Int, _ start: Int, _ count: Int) {
  let (rows, weights) = (a.rows, a.weights + radius)
  // SAFETY: the windows of the four output rows use the source rows with the indices 0 to 2 · radius + 3, and
  // the caller passes all of them. `weights` points to the middle one of 2 · radius + 1 weights, so the
  // indices 0 to `radius` are inside this array.
  @inline(__always) func load(_ row: Int) -> blur_f32 { blur_f32_from_f32(rows[row] + 4 &* start, count) }
  @inline(__always) func sum(_ centre: Int) -> blur_f32 {
    var sum = load(centre) * weights[0]
    var k = 1
    while k <= radius {
      sum = blur_add_product(sum, load(centre &- k) + load(centre &+ k), weights[k])
      k &+= 1
    }
    return sum
  }
  store(a, start, (sum(radius), sum(radius &+ 1), sum(radius &+ 2), sum(radius &+ 3)))
}

/// Blurs vertically with a long window, whose rows do not all fit into registers. The function computes four
/// lines, one for each output row. Each source row is loaded only once, and its weighted values are added to
/// the sums of all output rows whose windows contain it.
@inline(__always)
private func sumRows(_ a: FloatDown, _ load: (_ row: UnsafeRawPointer, _ x: Int, _ count: Int) -> blur_f32) {
  let (rows, taps, weights, next) = (a.rows, a.taps, a.weights, Next(a))
  Vectors.Positions.all(of: a.count) { at in
    at.each { next.prefetch($0) }
    let zero = Vectors(at) { _ in .zero }
    var (sum0, sum1, sum2, sum3) = (zero, zero, zero, zero)
    // Adds the source row with the index `i` to the sums of those output rows whose windows contain it.
    // `isShared` is true if all four windows contain the row. Otherwise, the sums of the other windows must
    // stay unchanged. Adding the row to these sums with the weight 0 would be wrong, because 0 times NaN is
    // NaN.
    @inline(__always) func add(_ i: Int, _ isShared: Bool) {
      // SAFETY: `rows` holds `taps + 3` addresses, and `i` is less than that. `weights` holds `taps` weights,
      // and the conditions below ensure that each index is in this range.
      let row = rows[i]
      let values = Vectors(at) { load(row, $0, at.count) }
      if isShared || i < taps { sum0.add(values, weights[i]) }
      if isShared || i >= 1 && i &- 1 < taps { sum1.add(values, weights[i &- 1]) }
      if isShared || i >= 2 && i &- 2 < taps { sum2.add(values, weights[i &- 2]) }
      if isShared || i >= 3 { sum3.add(values, weights[i &- 3]) }
    }
    var i = 0
    while i < 3 {
      add(i, false)
      i &+= 1
    }
    while i < taps {
      add(i, true)
      i &+= 1
    }
    while i < taps &+ 3 {
      add(i, false)
      i &+= 1
    }
    sum0.store(a.lines, at)
    sum1.store(a.lines + a.lineStride, at)
    sum2.store(a.lines + 2 &* a.lineStride, at)
    sum3.store(a.lines + 3 &* a.lineStride, at)
  }
}

@inline(__always)
private func store(_ a: FloatDown, _ start: Int, _ sums: (blur_f32, blur_f32, blur_f32, blur_f32)) {
  let (lines, lineStride) = (a.lines + start, a.lineStride)
  // SAFETY: each line has space for one vector beyond its last value, so the last vector of the line can be
  // stored whole.
  blur_store_f32(lines, sums.0)
  blur_store_f32(lines + lineStride, sums.1)
  blur_store_f32(lines + 2 &* lineStride, sums.2)
  blur_store_f32(lines + 3 &* lineStride, sums.3)
}

/// Neighbouring vectors of a row that are processed together. There are four vectors if the CPU has 32
/// registers, and only two otherwise or at the end of a row.
///
/// Adding a product to a sum takes about four cycles, and CPUs can start two such operations per cycle. So at
/// least eight independent sums are needed to keep a CPU busy. Four vectors for four output rows give 16
/// sums. Four vectors also use the first-level cache better. If the distance between two rows in memory is a
/// power of two, the rows evict each other from this cache. In that case, it is best to read four cache lines
/// of a row at once.
private struct Vectors {
  private let areFour: Bool
  private var first, second, third, fourth: blur_f32

  /// Loads one vector of a row at each of the positions `at`, by calling `load`.
  @inline(__always)
  init(_ at: Positions, _ load: (Int) -> blur_f32) {
    areFour = at.areFour
    (first, second) = (load(at.first), load(at.second))
    (third, fourth) = areFour ? (load(at.third), load(at.fourth)) : (first, second)
  }

  /// Multiplies the vectors in `values` by a weight, and adds the products to the vectors in `self`.
  @inline(__always)
  mutating func add(_ values: Vectors, _ weight: Float) {
    first = blur_add_product(first, values.first, weight)
    second = blur_add_product(second, values.second, weight)
    guard areFour else { return }
    third = blur_add_product(third, values.third, weight)
    fourth = blur_add_product(fourth, values.fourth, weight)
  }

  /// Stores the vectors in a line, at the given positions.
  @inline(__always)
  func store(_ line: UnsafeMutablePointer<Float>, _ at: Positions) {
    // SAFETY: each line has space for one vector beyond its last value. The positions are chosen so that no
    // vector ends after the row, unless the whole row is shorter than a vector.
    blur_store_f32(line + at.first, first)
    blur_store_f32(line + at.second, second)
    guard areFour else { return }
    blur_store_f32(line + at.third, third)
    blur_store_f32(line + at.fourth, fourth)
  }

  /// The positions in a row where the four (or two) vectors begin. A vector that would reach beyond the end
  /// of the row begins earlier, so that it ends with the row.
  struct Positions {
    let areFour: Bool
    let first, second, third, fourth: Int
    /// The number of values to load for each vector: all lanes of the vector, or fewer if the whole row is
    /// shorter than a vector.
    let count: Int

    @inline(__always)
    private init(_ x: Int, of total: Int, areFour: Bool) {
      let (lanes, last) = (blur_f32_lanes, max(0, total &- blur_f32_lanes))
      (self.areFour, count) = (areFour, min(lanes, total))
      (first, second) = (min(x, last), min(x &+ lanes, last))
      (third, fourth) = (min(x &+ 2 &* lanes, last), min(x &+ 3 &* lanes, last))
    }

    /// Calls `body` with the position of each vector. There are four vectors if `areFour` is true, and
    /// otherwise two.
    @inline(__always)
    func each(_ body: (Int) -> Void) {
      body(first)
      body(second)
      guard areFour else { return }
      body(third)
      body(fourth)
    }

    /// Covers a row of `total` values with vectors from left to right. `body` is called for each group of
    /// four or two neighbouring vectors, with the positions at which these vectors begin.
    @inline(__always)
    static func all(of total: Int, _ body: (Positions) -> Void) {
      let lanes = blur_f32_lanes
      var x = 0
      while blur_has_many_registers() && x &+ 2 &* lanes < total {
        body(Positions(x, of: total, areFour: true))
        x &+= 4 &* lanes
      }
      while x < total {
        body(Positions(x, of: total, areFour: false))
        x &+= 2 &* lanes
      }
    }
  }
}
