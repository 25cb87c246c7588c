import CBlurVectors

// Non-temporal stores write to memory without going through the caches. The loops use such stores for rows of
// bytes that are not read again soon. With ordinary stores, the CPU would first have to read the memory that
// is then overwritten. Non-temporal stores write only whole vectors, at addresses that are multiples of the
// size of a vector.

/// Returns the number of components at the start of a row that must be written with ordinary stores.
/// Non-temporal stores can begin at the first address that meets two conditions: it is a multiple of the size
/// of a vector, and a pair of an even pixel and the next odd pixel begins there. If the row has no such
/// address, the result is `count`, the number of components in the row.
func unstreamed(_ target: UnsafeMutableRawPointer, _ bytes: Int, _ channels: Int, _ count: Int) -> Int {
  let (pair, vector) = (2 &* channels, blur_u8_lanes)
  guard bytes == 1 else { return count }
  var first = -Int(bitPattern: target) & (vector &- 1)
  // With three channels, a pair of pixels has 6 bytes. Of three neighbouring addresses that are multiples of
  // the size of a vector, at most one is the start of a pair. So if no pair begins at the first of these
  // addresses, the next two are tried.
  for _ in 0..<2 where first % pair != 0 { first &+= vector }
  return first % pair == 0 && first < count ? first : count
}

/// Stores a vector of bytes, or only its first `left` bytes if the row has space for fewer bytes than a
/// vector. If `isStreamed` is true, a whole vector is written with a non-temporal store, and the address must
/// be a multiple of the size of a vector.
@inline(__always)
func storeBytes(_ target: UnsafeMutableRawPointer, _ pixels: blur_u8, _ left: Int, _ isStreamed: Bool) {
  // SAFETY: the row has space for at least `left` more bytes at this address, and no more than `left` bytes
  // are written.
  if isStreamed { blur_stream_bytes(target, pixels, left) } else { blur_store_bytes(target, pixels, left) }
}
