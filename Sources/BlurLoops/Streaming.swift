import CBlurVectors

// Non-temporal stores for rows of bytes that are not read again soon. They bypass the caches, so memory does
// not have to be read before it is overwritten. Only whole vectors are written in this way, to addresses that
// are aligned to a vector.

/// Returns the number of components at the start of a row that need ordinary stores. Non-temporal stores can
/// begin at the first aligned address that begins with a pair of pixels. If there is no such address, the
/// result is the whole row.
func unstreamed(_ target: UnsafeMutableRawPointer, _ bytes: Int, _ channels: Int, _ count: Int) -> Int {
  let (pair, vector) = (2 &* channels, blur_u8_lanes)
  guard bytes == 1 else { return count }
  var first = -Int(bitPattern: target) & (vector &- 1)
  // With three channels, only every third vector begins with a pair of pixels.
  for _ in 0..<2 where first % pair != 0 { first &+= vector }
  return first % pair == 0 ? min(first, count) : count
}

/// Stores a vector of bytes, but nothing beyond the end of the row. If `isStreamed` is true, the store is
/// non-temporal, and the address must be aligned to a vector.
@inline(__always)
func storeBytes(_ target: UnsafeMutableRawPointer, _ pixels: blur_u8, _ left: Int, _ isStreamed: Bool) {
  // SAFETY: the caller's row holds `left` more components.
  if isStreamed { blur_stream_bytes(target, pixels, left) } else { blur_store_bytes(target, pixels, left) }
}
