#include "Caches.h"

#include <stdint.h>

// The assumed length of a cache line in bytes. No current CPU has shorter cache lines. On a CPU with longer
// lines, each line is evicted more than once, which does no harm.
enum { line = 32 };

bool caches_evict(const void *start, size_t count) {
  const uintptr_t end = (uintptr_t)start + count;
#if defined(__SSE2__)
  for (uintptr_t at = (uintptr_t)start & -(uintptr_t)line; at < end; at += line) {
    __builtin_ia32_clflush((const void *)at);
  }
  __builtin_ia32_mfence();
  return true;
#elif defined(__aarch64__) && defined(__linux__)
  for (uintptr_t at = (uintptr_t)start & -(uintptr_t)line; at < end; at += line) {
    __asm__ volatile("dc civac, %0" ::"r"(at) : "memory");
  }
  __asm__ volatile("dsb ish" ::: "memory");
  return true;
#else
  (void)end;
  return false;
#endif
}
