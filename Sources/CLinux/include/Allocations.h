#ifndef C_LINUX_ALLOCATIONS_H
#define C_LINUX_ALLOCATIONS_H

#include <stdbool.h>

// How many bytes the program asks its allocator for. With the GNU C library only, and not under a sanitizer,
// which has an allocator of its own.

/// Begins to count, from 0: what this thread asks for, or all threads but those that count for themselves.
/// Threads may each count at the same time, but only one of them for all.
void allocations_begin(bool all_threads);

/// Bytes asked for since then, or -1 where nothing can count.
long allocations_end(void);

/// Bytes that the program holds of its allocator by now, or -1 where nothing can count.
long allocations_held(void);

#endif
