#ifndef C_SHARED_WORDS_H
#define C_SHARED_WORDS_H

// Words in memory that processes share, as C11 atomics: what one process wrote before a word is seen by the
// process that reads the word.

#include <stdint.h>

#pragma clang assume_nonnull begin

/// Words at the start of shared memory, which has zeros in it at first.
typedef struct shared_words shared_words;

/// The words at an address, which must be a multiple of 8.
shared_words *shared_words_at(void *address);

/// Reads word `index`.
int64_t shared_words_load(const shared_words *words, int index);

/// Writes word `index`.
void shared_words_store(shared_words *words, int index, int64_t value);

/// Adds to word `index`, and returns what it was.
int64_t shared_words_add(shared_words *words, int index, int64_t value);

#pragma clang assume_nonnull end

#endif
