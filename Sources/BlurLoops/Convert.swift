import BlurLoopTable
import CBlurVectors

/// Converts a row of integers to floats, or a row of floats to integers.
@inline(never)
func convert(_ a: ConvertRow) {
  let (source, target, lanes) = (a.source, a.target, blur_f32_lanes)
  @inline(__always) func run(_ body: (_ x: Int, _ left: Int) -> Void) {
    var x = 0
    while x &+ lanes <= a.count {
      body(x, lanes)
      x &+= lanes
    }
    if x < a.count { body(x, a.count &- x) }
  }
  // SAFETY: both rows hold `count` values, and `left` is the number of values from the index `x` on.
  switch (a.sourceBytes, a.targetBytes) {
  case (1, _): run { blur_f32_to_f32(target + 4 &* $0, blur_f32_from_u8(source + $0, $1), $1) }
  case (2, _): run { blur_f32_to_f32(target + 4 &* $0, blur_f32_from_u16(source + 2 &* $0, $1), $1) }
  case (_, 1): run { blur_u8_from_f32(target + $0, blur_f32_from_f32(source + 4 &* $0, $1), $1) }
  default: run { blur_u16_from_f32(target + 2 &* $0, blur_f32_from_f32(source + 4 &* $0, $1), $1) }
  }
}
