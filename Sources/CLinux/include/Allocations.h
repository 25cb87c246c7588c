#ifndef C_LINUX_ALLOCATIONS_H
#define C_LINUX_ALLOCATIONS_H

// How many bytes the process asks its allocator for, on all threads. With the GNU C library only, and not under a
// sanitizer, which has an allocator of its own.

/// Begins to count, from 0.
void allocations_begin(void);

/// Bytes asked for since then, or -1 where nobody can count.
long allocations_end(void);

#endif
