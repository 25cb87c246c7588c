#define _GNU_SOURCE
#include "Affinity.h"

#include <errno.h>

#if defined(__linux__)

#include <sched.h>

int affinity_set(int index) {
  static cpu_set_t all;
  static int is_known = 0;
  if (!is_known && sched_getaffinity(0, sizeof all, &all) != 0) return -errno;
  is_known = 1;
  cpu_set_t wanted = all;
  if (index >= 0) {
    int left = index % CPU_COUNT(&all);
    CPU_ZERO(&wanted);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
      if (CPU_ISSET(cpu, &all) && left-- == 0) CPU_SET(cpu, &wanted);
    }
  }
  return sched_setaffinity(0, sizeof wanted, &wanted) == 0 ? 0 : -errno;
}

#else

int affinity_set(int index) {
  (void)index;
  return -ENOSYS;
}

#endif
