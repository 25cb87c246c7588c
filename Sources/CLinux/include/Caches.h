#ifndef C_LINUX_CACHES_H
#define C_LINUX_CACHES_H

#include <stdbool.h>
#include <stddef.h>

/// Evicts the given bytes from all CPU caches, after writing modified cache lines back to memory. Returns
/// false if the CPU has no instruction with which ordinary programs may evict cache lines.
bool caches_evict(const void *start, size_t count);

#endif
