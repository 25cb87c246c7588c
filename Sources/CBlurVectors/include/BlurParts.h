#ifndef BLUR_PARTS_H
#define BLUR_PARTS_H

// Functions that load and store only the first bytes of a vector. They are needed at the end of a row, where
// a whole vector does not fit. BlurVectors.h includes this file after it has defined the vector types.
//
// A memcpy of variable size would be a function call. Loading the copied bytes as a vector would then have to
// wait until all of them have reached the cache. Together, the call and the wait take about 10 ns. The
// functions in this file keep all bytes in registers instead.

#if defined(__AVX512BW__)

BLUR_INLINE blur_u8 blur_load_part(const void *address, ptrdiff_t bytes) {
  return (blur_u8)_mm512_maskz_loadu_epi8(_bzhi_u64(~0ULL, (uint32_t)bytes), address);
}

BLUR_INLINE void blur_store_part(void *address, blur_u8 value, ptrdiff_t bytes) {
  _mm512_mask_storeu_epi8(address, _bzhi_u64(~0ULL, (uint32_t)bytes), (__m512i)value);
}

#else

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "BlurParts.h requires a little-endian CPU"
#endif

typedef uint64_t blur_words __attribute__((ext_vector_type(BLUR_VECTOR_BYTES / 8)));

// Returns the last `rest` bytes of a row as a 64-bit word. The row has `bytes` bytes, and `rest` must be from
// 1 to 7. The first of the returned bytes is the lowest byte of the word. If the row has at least eight
// bytes, the function loads its last eight bytes, and shifts out the bytes that were not requested.
BLUR_INLINE uint64_t blur_load_rest(const uint8_t *row, ptrdiff_t bytes, ptrdiff_t rest) {
  uint64_t whole;
  uint32_t first, last;
  if (bytes >= 8) {
    memcpy(&whole, row + bytes - 8, 8);
    return whole >> 8 * (8 - rest);
  }
  if (rest >= 4) {
    memcpy(&first, row, 4);
    memcpy(&last, row + rest - 4, 4);
    return first | (uint64_t)last << 8 * (rest - 4);
  }
  ptrdiff_t middle = rest / 2, end = rest - 1;
  return row[0] | (uint64_t)row[middle] << 8 * middle | (uint64_t)row[end] << 8 * end;
}

BLUR_INLINE blur_u8 blur_load_part(const void *address, ptrdiff_t bytes) {
  const uint8_t *row = (const uint8_t *)address;
  blur_words words = (blur_words)0, indices;
  for (ptrdiff_t i = 0; i < BLUR_VECTOR_BYTES / 8; i++) {
    uint64_t word = 0;
    if (bytes >= 8 * i + 8) memcpy(&word, row + 8 * i, 8);
    words[i] = word;
    indices[i] = (uint64_t)i;
  }
  ptrdiff_t rest = bytes & 7;
  if (bytes > 0 && rest)
    words |= (blur_words)(indices == (uint64_t)(bytes >> 3)) & blur_load_rest(row, bytes, rest);
  return (blur_u8)words;
}

BLUR_INLINE void blur_store_part(void *address, blur_u8 value, ptrdiff_t bytes) {
  uint8_t *row = (uint8_t *)address;
  blur_words words = (blur_words)value;
  for (ptrdiff_t i = 0; i < BLUR_VECTOR_BYTES / 8; i++) {
    uint64_t word = words[i];
    if (bytes >= 8 * i + 8) memcpy(row + 8 * i, &word, 8);
  }
  if (bytes <= 0 || bytes >= BLUR_VECTOR_BYTES || !(bytes & 7)) return;
  if (bytes >= 8) {
    memcpy(row + bytes - 8, (const uint8_t *)&value + bytes - 8, 8);
  } else if (bytes >= 4) {
    uint32_t first = (uint32_t)words[0], last = (uint32_t)(words[0] >> 8 * (bytes - 4));
    memcpy(row, &first, 4);
    memcpy(row + bytes - 4, &last, 4);
  } else {
    ptrdiff_t middle = bytes / 2, end = bytes - 1;
    row[0] = (uint8_t)words[0];
    row[middle] = (uint8_t)(words[0] >> 8 * middle);
    row[end] = (uint8_t)(words[0] >> 8 * end);
  }
}

#endif

#endif
