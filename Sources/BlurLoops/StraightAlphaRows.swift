import BlurLoopTable
import CBlurVectors

/// Multiplies the colours of a row by alpha; see ``StraightRow``.
func straightMultiply(_ a: StraightRow) {
  switch a.bytes {
  case 1:
    convert(a, blur_u16_lanes, from: 1, to: 2) { source, target, alpha, left in
      blur_u16_to_u16(target, blur_multiplied_u8(blur_u16_from_u8(source, left), alpha), left)
    }
  case 2:
    convert(a, blur_f32_lanes, from: 2, to: 4) { source, target, alpha, left in
      blur_f32_to_f32(target, blur_multiplied_u16(blur_f32_from_u16(source, left), alpha), left)
    }
  default:
    convert(a, blur_f32_lanes, from: 4, to: 4) { source, target, alpha, left in
      blur_f32_to_f32(target, blur_multiplied_f32(blur_f32_from_f32(source, left), alpha), left)
    }
  }
}

/// Divides the colours of a row by alpha; see ``StraightRow``.
func straightDivide(_ a: StraightRow) {
  switch a.bytes {
  case 1:
    convert(a, blur_u16_lanes, from: 2, to: 1) { source, target, alpha, left in
      blur_u8_from_u16(target, blur_divided_u8(blur_u16_from_u16(source, left), alpha), left)
    }
  case 2:
    convert(a, blur_f32_lanes, from: 4, to: 2) { source, target, alpha, left in
      blur_u16_from_i32(target, blur_divided_u16(blur_f32_from_f32(source, left), alpha), left)
    }
  default:
    convert(a, blur_f32_lanes, from: 4, to: 4) { source, target, alpha, left in
      blur_f32_to_f32(target, blur_divided_f32(blur_f32_from_f32(source, left), alpha), left)
    }
  }
}

/// Calls `body` for each vector of a row. The arguments of `body` are the addresses of the vector in the
/// source row and in the target row, the index of alpha in a pixel as a compile-time constant, and the number
/// of components from the start of the vector to the end of the row. `from` and `to` are the sizes in bytes
/// of a component in the source row and in the target row.
@inline(__always)
private func convert(
  _ a: StraightRow, _ lanes: Int, from: Int, to: Int,
  _ body: (UnsafeRawPointer, UnsafeMutableRawPointer, _ alpha: Int, _ left: Int) -> Void
) {
  @inline(__always) func row(_ alpha: Int) {
    var x = 0
    while x < a.count {
      // SAFETY: both rows hold `count` components, and `body` accesses at most the `count` − x components
      // that remain from component x on.
      body(a.source + from &* x, a.target + to &* x, alpha, a.count &- x)
      x &+= lanes
    }
  }
  if a.alpha == 0 { row(0) } else { row(3) }
}
