import CBlurVectors

// Storing rows of bytes past the caches, for results that are not read soon: memory is not read first to be
// overwritten. Whole vectors alone go there, to where vectors begin in memory.

/// The components of a row that are stored before others can be streamed: those before the first vector of
/// memory that begins with a pair of pixels, or all, where none does.
func unstreamed(_ target: UnsafeMutableRawPointer, _ bytes: Int, _ channels: Int, _ count: Int) -> Int {
  let (pair, vector) = (2 &* channels, blur_u8_lanes)
  guard bytes == 1 else { return count }
  var first = -Int(bitPattern: target) & (vector &- 1)
  // Of three channels every third vector may.
  for _ in 0..<2 where first % pair != 0 { first &+= vector }
  return first % pair == 0 ? min(first, count) : count
}

/// Stores a vector of bytes up to the end of the row, or streams it to where a vector begins.
@inline(__always)
func storeBytes(_ target: UnsafeMutableRawPointer, _ pixels: blur_u8, _ left: Int, _ isStreamed: Bool) {
  // SAFETY: the caller's row holds `left` components more.
  if isStreamed { blur_stream_bytes(target, pixels, left) } else { blur_store_bytes(target, pixels, left) }
}
