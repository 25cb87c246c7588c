/* Replaces the allocation functions of the C library with versions that also count their calls. All memory
 * that Swift allocates comes from these functions. */

#include <stdlib.h>

#include "AllocationCount.h"

#ifdef __GLIBC__

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static atomic_long count;

void *malloc(size_t size) {
  atomic_fetch_add(&count, 1);
  return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
  atomic_fetch_add(&count, 1);
  return __libc_calloc(number, size);
}

void *realloc(void *old, size_t size) {
  atomic_fetch_add(&count, 1);
  return __libc_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  atomic_fetch_add(&count, 1);
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **address, size_t alignment, size_t size) {
  atomic_fetch_add(&count, 1);
  void *memory = __libc_memalign(alignment, size);
  if (memory) *address = memory;
  return memory ? 0 : ENOMEM;
}

long allocation_count(void) { return atomic_load(&count); }

#else

long allocation_count(void) { return -1; }

#endif
