#ifndef C_LINUX_ALLOCATIONS_H
#define C_LINUX_ALLOCATIONS_H

#include <stdbool.h>

// Counts how many bytes the program requests from its allocator. Counting works only with the GNU C library,
// and not with a sanitizer, because sanitizers have allocators of their own.

/// Starts a count at 0. The count includes the bytes that the calling thread requests. If `all_threads` is
/// true, the count also includes all other threads, except threads that have a count of their own. Several
/// threads may count at the same time, but only one of them may count for all threads.
void allocations_begin(bool all_threads);

/// Ends the count. Returns the number of bytes requested since `allocations_begin`, or -1 if counting does
/// not work on this system.
long allocations_end(void);

/// From this call on, the call stack of the first allocation in each counted period is recorded. Only tests
/// call this function, because recording a call stack takes time that a benchmark would measure.
void allocations_trace(void);

/// Writes to the file descriptor `file` the call stack of the first allocation in the calling thread's last
/// count. Tests of code that must not allocate use this function.
void allocations_print_first(int file);

/// Returns the number of bytes that the program has allocated and not yet freed, or -1 if the system cannot
/// report this number.
long allocations_held(void);

#endif
