#define _GNU_SOURCE
#include "Affinity.h"

#include <errno.h>

#if defined(__linux__)

#include <dirent.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

// Lets all other threads of this process run on the CPUs in `cpus`. A thread may end while this function
// runs, so errors are ignored.
static void set_others(const cpu_set_t *cpus) {
  DIR *tasks = opendir("/proc/self/task");
  if (!tasks) return;
  const long own = syscall(SYS_gettid);
  for (struct dirent *task; (task = readdir(tasks));) {
    const long thread = strtol(task->d_name, NULL, 10);
    if (thread > 0 && thread != own) sched_setaffinity((pid_t)thread, sizeof *cpus, cpus);
  }
  closedir(tasks);
}

// Pins the calling thread to the CPU with this index, or lets it run on all CPUs again if the index is
// negative. If `with_others` is 0, all other threads are allowed to run on all CPUs. Otherwise, they get the
// same CPUs as the calling thread.
static int pin(int index, int with_others) {
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
  set_others(with_others ? &wanted : &all);
  return sched_setaffinity(0, sizeof wanted, &wanted) == 0 ? 0 : -errno;
}

int affinity_set(int index) { return pin(index, 0); }

int affinity_set_all(int index) { return pin(index, 1); }

int affinity_count(int thread) {
  cpu_set_t set;
  return sched_getaffinity(thread, sizeof set, &set) == 0 ? CPU_COUNT(&set) : -errno;
}

int affinity_current(void) {
  const int cpu = sched_getcpu();
  return cpu >= 0 ? cpu : -errno;
}

#else

int affinity_set(int index) {
  (void)index;
  return -ENOSYS;
}

int affinity_set_all(int index) {
  (void)index;
  return -ENOSYS;
}

int affinity_count(int thread) {
  (void)thread;
  return -ENOSYS;
}

int affinity_current(void) { return -ENOSYS; }

#endif
