#ifndef C_PERF_COUNTERS_H
#define C_PERF_COUNTERS_H

// Counters of the Linux kernel (perf_event_open) for the calling thread in user space, as plain functions:
// Swift cannot call the variadic ones of C. On other systems every function answers -ENOSYS.

#include <stdint.h>

typedef enum {
  PERF_COUNTER_INSTRUCTIONS,
  PERF_COUNTER_CYCLES,
  PERF_COUNTER_PAGE_FAULTS,
  PERF_COUNTER_CACHE_MISSES,
  PERF_COUNTER_TLB_MISSES,
} perf_counter_kind;

/// Opens a stopped counter for the calling thread.
///
/// A leader (-1) is alone or the first of a group; others name their leader and start and stop with it. A
/// group counts all the time or not at all. Returns a file descriptor, to be closed with close(), or a
/// negative errno.
int perf_counter_open(perf_counter_kind kind, int leader);

/// Sets the group of a leader to 0 and starts it. Returns 0 or a negative errno.
int perf_counter_start(int leader);

/// Stops the group of a leader. Returns 0 or a negative errno.
int perf_counter_stop(int leader);

/// Reads one counter. Returns 0 or a negative errno; -EBUSY where the CPU had no counter to spare.
int perf_counter_read(int counter, uint64_t *value);

#endif
