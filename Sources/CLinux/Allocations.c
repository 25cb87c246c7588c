// Replaces the allocation functions of the C library with functions that count and then call the originals.
// Swift allocates its memory through these functions too.
#include "Allocations.h"

#include <stdlib.h>

#ifndef __has_feature
#define __has_feature(name) 0
#endif

#if defined(__GLIBC__) && !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer) \
    && !__has_feature(memory_sanitizer)

#include <errno.h>
#include <execinfo.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stddef.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

// The number of threads that are counting allocations at the moment, and the number of these threads that
// also count the allocations of all other threads.
static atomic_int counts, counts_of_all;
static _Thread_local bool is_counted, counts_all;
// Each thread has its own sum, so two threads can count at the same time without mixing their sums.
static _Thread_local long own_bytes;
static atomic_long others_bytes;

// The return addresses on the call stack of the first allocation that this thread has made since it began to
// count. No more than MOST_FRAMES addresses are kept.
#define MOST_FRAMES 40
static _Thread_local void *first_frames[MOST_FRAMES];
static _Thread_local int first_depth;
static atomic_bool is_traced;

static void note(size_t size) {
  // This function runs at every allocation, so it must be fast. Usually, no thread is counting allocations,
  // and the function returns after it has read one variable.
  if (atomic_load_explicit(&counts, memory_order_relaxed) == 0) return;
  if (is_counted) {
    own_bytes += (long)size;
    if (first_depth == 0 && atomic_load_explicit(&is_traced, memory_order_relaxed)) {
      is_counted = false;
      first_depth = backtrace(first_frames, MOST_FRAMES);
      is_counted = true;
    }
  } else if (atomic_load_explicit(&counts_of_all, memory_order_relaxed) > 0) {
    atomic_fetch_add_explicit(&others_bytes, (long)size, memory_order_relaxed);
  }
}

void *malloc(size_t size) {
  note(size);
  return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
  note(number * size);
  return __libc_calloc(number, size);
}

void *realloc(void *old, size_t size) {
  note(size);
  return __libc_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  note(size);
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **address, size_t alignment, size_t size) {
  note(size);
  // POSIX requires that the alignment is a power of two and a multiple of the size of a pointer.
  if (alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0) return EINVAL;
  void *memory = __libc_memalign(alignment, size);
  if (memory) *address = memory;
  return memory ? 0 : ENOMEM;
}

void allocations_begin(bool all_threads) {
  own_bytes = 0;
  first_depth = 0;
  is_counted = true;
  counts_all = all_threads;
  if (all_threads) {
    atomic_store(&others_bytes, 0);
    atomic_fetch_add(&counts_of_all, 1);
  }
  atomic_fetch_add(&counts, 1);
}

long allocations_end(void) {
  atomic_fetch_sub(&counts, 1);
  is_counted = false;
  if (!counts_all) return own_bytes;
  atomic_fetch_sub(&counts_of_all, 1);
  return own_bytes + atomic_load(&others_bytes);
}

void allocations_trace(void) {
  // The first call of `backtrace` loads a library, which allocates memory. This call is made here so that
  // later counts do not include that memory.
  void *frame;
  backtrace(&frame, 1);
  atomic_store(&is_traced, true);
}

void allocations_print_first(int file) {
  backtrace_symbols_fd(first_frames, first_depth, file);
}

long allocations_held(void) {
  struct mallinfo2 held = mallinfo2();
  return (long)(held.uordblks + held.hblkhd);
}

#else

void allocations_begin(bool all_threads) { (void)all_threads; }
long allocations_end(void) { return -1; }
void allocations_trace(void) {}
void allocations_print_first(int file) { (void)file; }
long allocations_held(void) { return -1; }

#endif
