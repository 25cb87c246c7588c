import CBlurVectors

// Non-temporal stores write rows of bytes that are not read again soon. They bypass the caches, so that
// memory does not have to be read before it is overwritten. They write only whole vectors, at addresses that
// are aligned to the size of a vector.

/// Returns how many components at the start of a row must be written with ordinary stores before non-temporal
/// stores can begin. Non-temporal stores need an aligned address, and it must be the address of an even
/// pixel. If the row has no such address, all of its components must be written with ordinary stores, and the
/// function returns `count`.
func unstreamed(_ target: UnsafeMutableRawPointer, _ bytes: Int, _ channels: Int, _ count: Int) -> Int {
  let (pair, vector) = (2 &* channels, blur_u8_lanes)
  guard bytes == 1 else { return count }
  var first = -Int(bitPattern: target) & (vector &- 1)
  // With three channels, a pair of pixels has 6 bytes. A pair begins at only one of three neighbouring
  // aligned addresses. So if no pair begins at the first of them, the next two are tried.
  for _ in 0..<2 where first % pair != 0 { first &+= vector }
  return first % pair == 0 ? min(first, count) : count
}

/// Stores a vector of bytes, or only the first `left` of them if the row ends before the vector. If
/// `isStreamed` is true, the function uses a non-temporal store, and the address must be aligned to the size
/// of a vector.
@inline(__always)
func storeBytes(_ target: UnsafeMutableRawPointer, _ pixels: blur_u8, _ left: Int, _ isStreamed: Bool) {
  // SAFETY: at least `left` bytes of the caller's row are left at this address, and no more than `left` bytes
  // are written.
  if isStreamed { blur_stream_bytes(target, pixels, left) } else { blur_store_bytes(target, pixels, left) }
}
