#ifndef BLUR_CPU_H
#define BLUR_CPU_H

#include <stdbool.h>

/// Returns whether this CPU (and its operating system) has AVX2 and FMA.
bool blur_cpu_has_avx2(void);

/// Returns whether this CPU (and its operating system) has the AVX-512 instructions of x86-64-v4: F, BW, CD,
/// DQ and VL.
bool blur_cpu_has_avx512(void);

/// Returns the number of CPUs that this process may use, at least 1.
int blur_cpu_count(void);

#endif
