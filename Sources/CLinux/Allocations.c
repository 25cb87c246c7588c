// Stands between the program and the C library's allocator, under which all of Swift's allocations are.
#include "Allocations.h"

#include <stdlib.h>

#ifndef __has_feature
#define __has_feature(name) 0
#endif

#if defined(__GLIBC__) && !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer) \
    && !__has_feature(memory_sanitizer)

#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stddef.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

enum { NOTHING, ONE_THREAD, ALL_THREADS };
static atomic_int counted;
static _Thread_local bool is_counted;
static atomic_long bytes;

static void note(size_t size) {
  // One load where nothing counts, which is nearly always.
  int what = atomic_load_explicit(&counted, memory_order_relaxed);
  if (what == ALL_THREADS || (what == ONE_THREAD && is_counted)) {
    atomic_fetch_add_explicit(&bytes, (long)size, memory_order_relaxed);
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
  // As POSIX asks: a power of two, and a multiple of a pointer's size.
  if (alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0) return EINVAL;
  void *memory = __libc_memalign(alignment, size);
  if (memory) *address = memory;
  return memory ? 0 : ENOMEM;
}

void allocations_begin(bool all_threads) {
  is_counted = true;
  atomic_store(&bytes, 0);
  atomic_store(&counted, all_threads ? ALL_THREADS : ONE_THREAD);
}

long allocations_end(void) {
  atomic_store(&counted, NOTHING);
  is_counted = false;
  return atomic_load(&bytes);
}

long allocations_held(void) {
  struct mallinfo2 held = mallinfo2();
  return (long)(held.uordblks + held.hblkhd);
}

#else

void allocations_begin(bool all_threads) { (void)all_threads; }
long allocations_end(void) { return -1; }
long allocations_held(void) { return -1; }

#endif
