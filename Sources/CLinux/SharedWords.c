#include "SharedWords.h"

#include <stdatomic.h>

// Atomics that need a lock would use a separate lock in each process, so they would not work between
// processes.
_Static_assert(ATOMIC_LLONG_LOCK_FREE == 2, "words of 64 bits must be atomic without a lock");

struct shared_words {
  _Atomic(int64_t) word[1];
};

shared_words *shared_words_at(void *address) { return address; }

int64_t shared_words_load(const shared_words *words, int index) {
  return atomic_load_explicit(&words->word[index], memory_order_acquire);
}

void shared_words_store(shared_words *words, int index, int64_t value) {
  atomic_store_explicit(&words->word[index], value, memory_order_release);
}

int64_t shared_words_add(shared_words *words, int index, int64_t value) {
  return atomic_fetch_add_explicit(&words->word[index], value, memory_order_acq_rel);
}
