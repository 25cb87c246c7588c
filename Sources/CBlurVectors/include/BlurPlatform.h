#ifndef BLUR_PLATFORM_H
#define BLUR_PLATFORM_H

// The C functions that the library needs, for use by Sources/Blur/Platform.swift only. On a platform without
// an operating system, there may be no headers that declare these functions. In this case, they are declared
// here, and the program that links the library must supply them.

#include <stddef.h>
#include <stdint.h>

#if __has_include(<stdlib.h>) && __has_include(<time.h>)

#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>

/// Lets other threads run on this CPU.
static inline void blur_yield(void) { sched_yield(); }

/// Returns the time in nanoseconds, by a clock that never goes back.
static inline uint64_t blur_nanoseconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

#else

int posix_memalign(void **address, size_t alignment, size_t size);
void free(void *address);
double atan2(double y, double x);
double cos(double angle);
double exp(double power);
double log(double number);
double pow(double base, double power);
double sin(double angle);

/// Does nothing, because without an operating system there are no other threads.
static inline void blur_yield(void) {}

/// Returns the time in nanoseconds, by a clock that never goes back. The program that links the library must
/// define this function, but only if kernels are chosen by measuring their times.
uint64_t blur_nanoseconds(void);

#endif

/// Tells the CPU that this thread only waits. This saves power, and leaves more of the core to its other
/// hardware thread.
static inline void blur_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
  __builtin_arm_yield();
#endif
}

/// Returns memory that begins at a multiple of `alignment`, or null if there is not enough memory.
static inline void *blur_allocate(size_t size, size_t alignment) {
  void *address;
  return posix_memalign(&address, alignment, size) == 0 ? address : NULL;
}

/// Frees memory that `blur_allocate` returned.
static inline void blur_free(void *address) { free(address); }

static inline double blur_atan2(double y, double x) { return atan2(y, x); }
static inline double blur_cos(double angle) { return cos(angle); }
static inline double blur_exp(double power) { return exp(power); }
static inline double blur_log(double number) { return log(number); }
static inline double blur_pow(double base, double power) { return pow(base, power); }
static inline double blur_sin(double angle) { return sin(angle); }

#endif
