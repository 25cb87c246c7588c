#ifndef GOOGLE_BENCHMARK_SHIM_H
#define GOOGLE_BENCHMARK_SHIM_H

// A C interface to Google Benchmark, which times a function.

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Runs one iteration of the code that is timed. `context` is the pointer that was passed with the function.
typedef void (*gbs_function)(void *context);

/// The times of a run.
typedef struct {
  /// The number of times that the function was called, or 0 if the library reported nothing.
  int64_t iterations;
  /// The wall time and the CPU time of the whole process, in nanoseconds per iteration.
  double real_time, cpu_time;
} gbs_times;

/// Times `iterations` calls of a function together. The library has a single global list of benchmarks, so
/// only one thread may use this function at a time.
gbs_times gbs_measure(gbs_function function, void *context, int64_t iterations);

#ifdef __cplusplus
}
#endif

#endif
