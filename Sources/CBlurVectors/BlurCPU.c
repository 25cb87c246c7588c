#include "BlurCPU.h"

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
