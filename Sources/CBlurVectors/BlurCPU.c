#if defined(__linux__)
#define _GNU_SOURCE
#include <sched.h>
#endif
#if __has_include(<unistd.h>)
#include <unistd.h>
#endif

#include "BlurCPU.h"
#include "BlurWisdom.h"

__attribute__((weak)) void blur_wisdom_load(void *times) { (void)times; }

int blur_cpu_count(void) {
#if defined(__linux__)
  // Counts the CPUs on which the process may run. The call passes the process ID and not 0, because 0 stands
  // for the calling thread, and this thread can be bound to a single CPU.
  cpu_set_t set;
  if (sched_getaffinity(getpid(), sizeof set, &set) == 0) return CPU_COUNT(&set);
#endif
#if __has_include(<unistd.h>)
  long count = sysconf(_SC_NPROCESSORS_ONLN);
  return count < 1 ? 1 : (int)count;
#else
  return 1;
#endif
}

#if defined(__x86_64__)

bool blur_cpu_has_avx2(void) {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

bool blur_cpu_has_avx512(void) {
  return blur_cpu_has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl");
}

#else

bool blur_cpu_has_avx2(void) { return false; }
bool blur_cpu_has_avx512(void) { return false; }

#endif
