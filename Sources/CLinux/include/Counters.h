#ifndef C_PERF_COUNTERS_H
#define C_PERF_COUNTERS_H

// Hardware and software counters of the Linux kernel (perf_event_open) for the calling thread in user space.
// These are plain functions because Swift cannot call the variadic C functions that they use. On other
// systems, every function returns -ENOSYS.

#include <stdint.h>

typedef enum {
  PERF_COUNTER_INSTRUCTIONS,
  PERF_COUNTER_PAGE_FAULTS,
  PERF_COUNTER_CACHE_MISSES,
  PERF_COUNTER_TLB_MISSES,
} perf_counter_kind;

/// Opens a counter for the calling thread. The counter does not run yet.
///
/// If `leader` is -1, the counter becomes the leader of a new group. Otherwise, the counter joins the group
/// of this leader, and starts and stops together with the leader. A group counts either all the time or not
/// at all. Returns a file descriptor, which the caller must close with close(), or a negative errno.
int perf_counter_open(perf_counter_kind kind, int leader);

/// Sets all counters of a group to 0 and starts them. `leader` is the file descriptor of the group's first
/// counter. Returns 0 or a negative errno.
int perf_counter_start(int leader);

/// Stops all counters of a group. `leader` is the file descriptor of the group's first counter. Returns 0 or
/// a negative errno.
int perf_counter_stop(int leader);

/// Reads one counter. Returns 0 or a negative errno, which is -EBUSY if the CPU had no free hardware counter.
int perf_counter_read(int counter, uint64_t *value);

#endif
