#ifndef BLUR_CPU_H
#define BLUR_CPU_H

#include <stdbool.h>

/// Whether this CPU (and its operating system) has AVX2 and FMA.
bool blur_cpu_has_avx2(void);

/// Whether this CPU (and its operating system) has what x86-64-v4 asks for: AVX-512 F, BW, CD, DQ and VL.
bool blur_cpu_has_avx512(void);

/// How many CPUs this process may use, at least 1.
int blur_cpu_count(void);

#endif
