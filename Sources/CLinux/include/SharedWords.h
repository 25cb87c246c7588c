#ifndef C_LINUX_SHARED_WORDS_H
#define C_LINUX_SHARED_WORDS_H

// Atomic 64-bit words in memory that several processes share, implemented with C11 atomics. A process that
// reads a word also sees everything that the writing process had written before that word.

#include <stdint.h>

#pragma clang assume_nonnull begin

/// An array of words at the start of shared memory. The memory must initially contain zeros.
typedef struct shared_words shared_words;

/// Returns the words at an address, which must be a multiple of 8.
shared_words *shared_words_at(void *address);

/// Returns the value of word `index`.
int64_t shared_words_load(const shared_words *words, int index);

/// Stores a value in word `index`.
void shared_words_store(shared_words *words, int index, int64_t value);

/// Adds `value` to word `index`, and returns the previous value of the word.
int64_t shared_words_add(shared_words *words, int index, int64_t value);

#pragma clang assume_nonnull end

#endif
