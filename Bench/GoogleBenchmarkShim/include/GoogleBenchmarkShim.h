#ifndef GOOGLE_BENCHMARK_SHIM_H
#define GOOGLE_BENCHMARK_SHIM_H

// Google Benchmark behind a C border: register functions, run them, be handed every repetition.
//
// The registry of the library is global: one thread at a time may use these functions. All pointers handed
// out are valid during the call that hands them out; all times are in nanoseconds per iteration.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// One iteration of what is timed; `context` is what was registered with it.
typedef void (*gbs_function)(void *context);

/// Is called before the iterations of a run and after them, outside of what is timed. The last `repetitions`
/// runs of a benchmark are its repetitions in order; those before them warm up and find the number of
/// iterations.
typedef void (*gbs_boundary)(bool is_end, void *context);

/// How one benchmark is measured.
typedef struct {
  /// How many samples are taken, at least 1.
  int repetitions;
  /// Seconds that one repetition lasts at least; the first one sets the number of iterations. Above 0.
  double min_time;
  /// Seconds of iterations before the first repetition that are not measured; 0 for none.
  double warm_up;
  /// How often each repetition calls the function; 0 leaves that to the library, by min_time and warm_up.
  int64_t iterations;
} gbs_settings;

/// One repetition of one benchmark, as Google Benchmark reports it.
typedef struct {
  /// The name as registered, without what the library appends (`/repeats:5/real_time`).
  const char *name;
  /// The name as the library prints it.
  const char *run_name;
  /// Which registered benchmark this is, from 0, and which instance of it.
  int64_t family_index, per_family_instance_index;
  /// Which repetition this is, from 0, and of how many.
  int64_t repetition_index, repetitions;
  /// The library's own threads: always 1, because our kernels bring theirs.
  int64_t threads;
  /// How often the function was called.
  int64_t iterations;
  /// Wall time, and CPU time of the whole process, in nanoseconds per iteration.
  double real_time, cpu_time;
  /// Whether the run failed, and the library's words for it (empty if not).
  bool error_occurred;
  const char *error_message;
} gbs_run;

/// Receives one repetition.
typedef void (*gbs_report)(const gbs_run *run, void *context);

/// Adds a benchmark; the functions and `context` must live until `gbs_run_all` returns. `boundary` may be
/// null.
void gbs_register(const char *name, gbs_function function, gbs_boundary boundary, void *context,
                  gbs_settings settings);

/// Runs all registered benchmarks, hands every repetition to `report`, and forgets the benchmarks.
///
/// With `interleave`, the repetitions of all benchmarks are run in one random order.
/// Returns how many benchmarks ran.
size_t gbs_run_all(bool interleave, gbs_report report, void *context);

#ifdef __cplusplus
}
#endif

#endif
