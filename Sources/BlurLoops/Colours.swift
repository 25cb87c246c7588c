import CBlurVectors

// Colour steps of rgba8, see BlurColours.h. See FixedPoint.swift for the rules of this folder.

/// Matrices and layers over `count` pixels of a row.
@inline(never)
public func colourRow(_ row: UnsafeMutablePointer<UInt8>, count: Int, _ colours: blur_colours) {
  switch (colours.matrix_count, colours.layer_count) {
  case (1, 1): colourRow(row, count, colours, matrices: 1, layers: 1)
  default: blur_colour_row(row, count, colours)
  }
}

/// With numbers that the compiler knows, everything stays in registers.
@inline(__always)
private func colourRow(
  _ row: UnsafeMutablePointer<UInt8>, _ count: Int, _ colours: blur_colours, matrices: Int, layers: Int
) {
  var known = colours
  known.matrix_count = matrices
  known.layer_count = layers
  blur_colour_row(row, count, known)
}

/// A row, `weight` 256ths of it, over another one.
@inline(never)
public func mixRow(
  _ row: UnsafeMutablePointer<UInt8>, over under: UnsafePointer<UInt8>, count: Int, weight: Int
) {
  blur_mix_row(row, under, count, UInt16(truncatingIfNeeded: weight))
}

/// A row over another one, `weight` 256ths times a 255th for each unit of the mask.
@inline(never)
public func maskRow(
  _ row: UnsafeMutablePointer<UInt8>, over under: UnsafePointer<UInt8>, mask: UnsafePointer<UInt8>,
  count: Int,
  weight: Int
) {
  blur_mask_row(row, under, mask, count, UInt32(truncatingIfNeeded: weight))
}
