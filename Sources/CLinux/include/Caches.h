#ifndef C_LINUX_CACHES_H
#define C_LINUX_CACHES_H

#include <stdbool.h>
#include <stddef.h>

/// Writes back and drops the lines of all caches that hold these bytes. Returns false where the CPU has no
/// instruction for it that a program may use.
bool caches_evict(const void *start, size_t count);

#endif
