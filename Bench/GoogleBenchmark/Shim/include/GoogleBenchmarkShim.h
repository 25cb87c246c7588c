#ifndef GOOGLE_BENCHMARK_SHIM_H
#define GOOGLE_BENCHMARK_SHIM_H

// A C interface to Google Benchmark: register functions, run them, and receive every repetition.
//
// The library has a single global list of benchmarks, so only one thread may use these functions at a time.
// All pointers passed to callbacks are valid only during that call. All times are in nanoseconds per
// iteration.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Runs one iteration of the code that is timed. `context` is the pointer that was registered with the
/// function.
typedef void (*gbs_function)(void *context);

/// Called before the iterations of a run (`is_end` is false) and after them (`is_end` is true). The time of
/// this call is not measured. The last `repetitions` runs of a benchmark are its repetitions, in order.
/// Earlier runs serve to warm up and to find the number of iterations.
typedef void (*gbs_boundary)(bool is_end, void *context);

/// The settings for measuring one benchmark.
typedef struct {
  /// The number of samples, at least 1.
  int repetitions;
  /// The shortest duration of a repetition in seconds, which must be greater than 0. The first repetition
  /// determines the number of iterations for all repetitions.
  double min_time;
  /// The number of seconds for which iterations run unmeasured before the first repetition, or 0 for none.
  double warm_up;
  /// The number of function calls in each repetition. With 0, the library chooses the number from `min_time`
  /// and `warm_up`.
  int64_t iterations;
} gbs_settings;

/// One repetition of a benchmark, as Google Benchmark reports it.
typedef struct {
  /// The name as it was registered, without the suffixes that the library appends, such as
  /// `/repeats:5/real_time`.
  const char *name;
  /// The name as the library prints it, with its suffixes.
  const char *run_name;
  /// The index of the registered benchmark, starting at 0, and the index of this instance of the benchmark.
  int64_t family_index, per_family_instance_index;
  /// The index of this repetition, starting at 0, and the number of repetitions.
  int64_t repetition_index, repetitions;
  /// The number of the library's own threads. It is always 1, because our kernels start their own threads.
  int64_t threads;
  /// The number of times that the function was called.
  int64_t iterations;
  /// The wall time and the CPU time of the whole process, in nanoseconds per iteration.
  double real_time, cpu_time;
  /// Whether the run failed, and the library's error message, which is empty if the run succeeded.
  bool error_occurred;
  const char *error_message;
} gbs_run;

/// Receives one repetition.
typedef void (*gbs_report)(const gbs_run *run, void *context);

/// Adds a benchmark. The functions and `context` must remain valid until `gbs_run_all` returns. `boundary`
/// may be null.
void gbs_register(const char *name, gbs_function function, gbs_boundary boundary, void *context,
                  gbs_settings settings);

/// Runs all registered benchmarks, passes every repetition to `report`, and then removes the benchmarks. With
/// `interleave`, the repetitions of all benchmarks run in one random order. Returns the number of benchmarks
/// that ran.
size_t gbs_run_all(bool interleave, gbs_report report, void *context);

#ifdef __cplusplus
}
#endif

#endif
