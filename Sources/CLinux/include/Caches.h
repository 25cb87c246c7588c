#ifndef C_LINUX_CACHES_H
#define C_LINUX_CACHES_H

#include <stdbool.h>
#include <stddef.h>

/// Evicts the given bytes from all CPU caches, after writing modified cache lines back to memory. Returns
/// false if the CPU has no instruction for this that ordinary programs may use.
bool caches_evict(const void *start, size_t count);

#endif
