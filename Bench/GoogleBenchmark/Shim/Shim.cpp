#if !__has_include(<benchmark/benchmark.h>)
#error "Google Benchmark is missing: apt-get install libbenchmark-dev, or brew install google-benchmark"
#endif
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "GoogleBenchmarkShim.h"

namespace {

// Since version 1.8 of Google Benchmark, a run has the field `skipped` in place of `error_occurred`, and
// `skip_message` in place of `error_message`. The overloads below support both versions.
template <class Run>
auto failed(const Run &run, int) -> decltype(run.error_occurred) {
  return run.error_occurred;
}
template <class Run>
auto failed(const Run &run, long) -> decltype(run.skipped, bool()) {
  return static_cast<int>(run.skipped) != 0;
}
template <class Run>
auto message(const Run &run, int) -> decltype(run.error_message.c_str()) {
  return run.error_message.c_str();
}
template <class Run>
auto message(const Run &run, long) -> decltype(run.skip_message.c_str()) {
  return run.skip_message.c_str();
}

/// Passes each repetition on to the caller. The library's CSV reporter is not used because it aborts if rows
/// have different columns, and its aggregates are not needed because the caller keeps all samples and
/// computes its own statistics.
class Reporter : public benchmark::BenchmarkReporter {
 public:
  Reporter(gbs_report report, void *context) : report_(report), context_(context) {}

  bool ReportContext(const Context &) override { return true; }

  void ReportRuns(const std::vector<Run> &runs) override {
    for (const Run &run : runs) {
      if (run.run_type == Run::RT_Iteration) hand_on(run);
    }
  }

 private:
  void hand_on(const Run &run) {
    const std::string run_name = run.benchmark_name();
    const double count = run.iterations > 0 ? static_cast<double>(run.iterations) : 1;
    gbs_run handed = {};
    handed.name = run.run_name.function_name.c_str();
    handed.run_name = run_name.c_str();
    handed.family_index = run.family_index;
    handed.per_family_instance_index = run.per_family_instance_index;
    handed.repetition_index = run.repetition_index;
    handed.repetitions = run.repetitions;
    handed.threads = run.threads;
    handed.iterations = run.iterations;
    handed.real_time = run.real_accumulated_time / count * 1e9;
    handed.cpu_time = run.cpu_accumulated_time / count * 1e9;
    handed.error_occurred = failed(run, 0);
    handed.error_message = message(run, 0);
    report_(&handed, context_);
  }

  gbs_report report_;
  void *context_;
};

/// Sets every flag that matters, so that BENCHMARK_... environment variables have no effect.
void set_flags(bool interleave) {
  // The library keeps a pointer to this string, so it must be static.
  static char executable[] = "blurbench";
  static char out[] = "--benchmark_out=";
  static char list[] = "--benchmark_list_tests=false";
  static char samples[] = "--benchmark_report_aggregates_only=false";
  static char shown[] = "--benchmark_display_aggregates_only=false";
  static char together[] = "--benchmark_enable_random_interleaving=true";
  static char apart[] = "--benchmark_enable_random_interleaving=false";
  char *arguments[] = {executable, out, list, samples, shown, interleave ? together : apart, nullptr};
  int count = 6;
  benchmark::Initialize(&count, arguments);
}

}  // namespace

void gbs_register(const char *name, gbs_function function, gbs_boundary boundary, void *context,
                  gbs_settings settings) {
  auto body = [function, boundary, context](benchmark::State &state) {
    if (boundary) boundary(false, context);
    for (auto _ : state) function(context);
    if (boundary) boundary(true, context);
  };
  // The CPU time of the main thread alone would miss the kernel's other threads, so the CPU time of the
  // process is measured. With several threads it grows faster than the wall time, so the number of iterations
  // must be chosen by wall time.
  auto *registered = benchmark::RegisterBenchmark(name, body)
                         ->MeasureProcessCPUTime()
                         ->UseRealTime()
                         ->Unit(benchmark::kNanosecond)
                         ->Repetitions(settings.repetitions);
  // The library aborts if a number of iterations is set together with a minimum time.
  if (settings.iterations > 0) {
    registered->Iterations(settings.iterations);
  } else {
    registered->MinTime(settings.min_time)->MinWarmUpTime(settings.warm_up);
  }
}

size_t gbs_run_all(bool interleave, gbs_report report, void *context) {
  set_flags(interleave);
  Reporter reporter(report, context);
  const size_t count = benchmark::RunSpecifiedBenchmarks(&reporter, ".");
  benchmark::ClearRegisteredBenchmarks();
  return count;
}
