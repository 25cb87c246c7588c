#include "Counters.h"

#include <errno.h>

#if defined(__linux__)

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static int result(long answer) { return answer < 0 ? -errno : (int)answer; }

int perf_counter_open(perf_counter_kind kind, int leader) {
  static const struct {
    uint32_t type;
    uint64_t config;
  } events[] = {
      [PERF_COUNTER_INSTRUCTIONS] = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
      [PERF_COUNTER_PAGE_FAULTS] = {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
      [PERF_COUNTER_CACHE_MISSES] = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
      [PERF_COUNTER_TLB_MISSES] = {PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_DTLB |
                                                           PERF_COUNT_HW_CACHE_OP_READ << 8 |
                                                           PERF_COUNT_HW_CACHE_RESULT_MISS << 16},
  };
  struct perf_event_attr event = {
      .size = sizeof event,
      .type = events[kind].type,
      .config = events[kind].config,
      .exclude_kernel = 1,
      .exclude_hv = 1,
      // The first counter of a group is its leader. The leader is created in the stopped state, and pinned. A
      // pinned group has hardware counters for itself and does not take turns with other groups, so its
      // counts are exact and not estimates. Only the leader needs these two settings, because the rest of the
      // group follows the leader.
      .disabled = leader < 0,
      .pinned = leader < 0,
  };
  return result(syscall(SYS_perf_event_open, &event, 0, -1, leader, PERF_FLAG_FD_CLOEXEC));
}

int perf_counter_start(int leader) {
  int answer = result(ioctl(leader, PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP));
  return answer < 0 ? answer : result(ioctl(leader, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP));
}

int perf_counter_stop(int leader) {
  return result(ioctl(leader, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP));
}

int perf_counter_read(int counter, uint64_t *value) {
  ssize_t count = read(counter, value, sizeof *value);
  if (count < 0) return -errno;
  // `read` returns 0 bytes if the CPU has no free hardware counter for this group, because a pinned group is
  // counted either all the time or not at all.
  return count == sizeof *value ? 0 : -EBUSY;
}

#else

int perf_counter_open(perf_counter_kind kind, int leader) {
  (void)kind;
  (void)leader;
  return -ENOSYS;
}

int perf_counter_start(int leader) {
  (void)leader;
  return -ENOSYS;
}

int perf_counter_stop(int leader) {
  (void)leader;
  return -ENOSYS;
}

int perf_counter_read(int counter, uint64_t *value) {
  (void)counter;
  (void)value;
  return -ENOSYS;
}

#endif
