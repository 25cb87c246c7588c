#ifndef BLUR_PARTS_H
#define BLUR_PARTS_H

// Loads and stores of the first bytes of a vector, where a row ends before the vector does. BlurVectors.h includes this
// once the vectors are known.
//
// A memcpy of a variable size is a call, and the vector that is then read from the copy waits until all its pieces have
// reached the cache: together some 10 ns. Here all stays in registers.

#if defined(__AVX512BW__)

BLUR_INLINE blur_u8 blur_load_part(const void *address, ptrdiff_t bytes) {
  return (blur_u8)_mm512_maskz_loadu_epi8(_bzhi_u64(~0ULL, (uint32_t)bytes), address);
}

BLUR_INLINE void blur_store_part(void *address, blur_u8 value, ptrdiff_t bytes) {
  _mm512_mask_storeu_epi8(address, _bzhi_u64(~0ULL, (uint32_t)bytes), (__m512i)value);
}

#else

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the first byte of a word must be its lowest"
#endif

typedef uint64_t blur_words __attribute__((ext_vector_type(BLUR_VECTOR_BYTES / 8)));

// The first bytes of a word, from none to all; pieces may overlap.
BLUR_INLINE uint64_t blur_load_word(const uint8_t *address, ptrdiff_t bytes) {
  uint64_t whole = 0;
  uint32_t first, last;
  if (bytes >= 8) {
    memcpy(&whole, address, 8);
  } else if (bytes >= 4) {
    memcpy(&first, address, 4);
    memcpy(&last, address + bytes - 4, 4);
    whole = first | (uint64_t)last << 8 * (bytes - 4);
  } else if (bytes > 0) {
    ptrdiff_t middle = bytes / 2, end = bytes - 1;
    whole = address[0] | (uint64_t)address[middle] << 8 * middle | (uint64_t)address[end] << 8 * end;
  }
  return whole;
}

BLUR_INLINE void blur_store_word(uint8_t *address, uint64_t word, ptrdiff_t bytes) {
  if (bytes >= 8) {
    memcpy(address, &word, 8);
  } else if (bytes >= 4) {
    uint32_t first = (uint32_t)word, last = (uint32_t)(word >> 8 * (bytes - 4));
    memcpy(address, &first, 4);
    memcpy(address + bytes - 4, &last, 4);
  } else if (bytes > 0) {
    ptrdiff_t middle = bytes / 2, end = bytes - 1;
    address[0] = (uint8_t)word;
    address[middle] = (uint8_t)(word >> 8 * middle);
    address[end] = (uint8_t)(word >> 8 * end);
  }
}

BLUR_INLINE blur_u8 blur_load_part(const void *address, ptrdiff_t bytes) {
  blur_words words = (blur_words)0;
  for (ptrdiff_t i = 0; i < BLUR_VECTOR_BYTES / 8; i++) {
    words[i] = blur_load_word((const uint8_t *)address + 8 * i, bytes - 8 * i);
  }
  return (blur_u8)words;
}

BLUR_INLINE void blur_store_part(void *address, blur_u8 value, ptrdiff_t bytes) {
  blur_words words = (blur_words)value;
  for (ptrdiff_t i = 0; i < BLUR_VECTOR_BYTES / 8; i++) {
    blur_store_word((uint8_t *)address + 8 * i, words[i], bytes - 8 * i);
  }
}

#endif

#endif
