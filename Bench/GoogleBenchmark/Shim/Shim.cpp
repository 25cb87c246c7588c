#if !__has_include(<benchmark/benchmark.h>)
#error "Google Benchmark is missing: apt-get install libbenchmark-dev, or brew install google-benchmark"
#endif
#include <benchmark/benchmark.h>

#include <vector>

#include "GoogleBenchmarkShim.h"

namespace {

/// Keeps the times of the run.
class Reporter : public benchmark::BenchmarkReporter {
 public:
  gbs_times times = {};

  bool ReportContext(const Context &) override { return true; }

  void ReportRuns(const std::vector<Run> &runs) override {
    for (const Run &run : runs) {
      if (run.run_type != Run::RT_Iteration || run.iterations <= 0) continue;
      const double count = static_cast<double>(run.iterations);
      times.iterations = run.iterations;
      times.real_time = run.real_accumulated_time / count * 1e9;
      times.cpu_time = run.cpu_accumulated_time / count * 1e9;
    }
  }
};

/// Sets every flag that matters, so that BENCHMARK_... environment variables have no effect.
bool set_flags() {
  // The library keeps a pointer to this string, so it must be static.
  static char executable[] = "blurbench";
  static char out[] = "--benchmark_out=";
  static char list[] = "--benchmark_list_tests=false";
  static char samples[] = "--benchmark_report_aggregates_only=false";
  static char shown[] = "--benchmark_display_aggregates_only=false";
  static char apart[] = "--benchmark_enable_random_interleaving=false";
  static char warm_up[] = "--benchmark_min_warmup_time=0";
  static char counters[] = "--benchmark_perf_counters=";
  char *arguments[] = {executable, out, list, samples, shown, apart, warm_up, counters, nullptr};
  int count = 8;
  benchmark::Initialize(&count, arguments);
  return true;
}

}  // namespace

gbs_times gbs_measure(gbs_function function, void *context, int64_t iterations) {
  static const bool are_flags_set = set_flags();
  (void)are_flags_set;
  auto body = [function, context](benchmark::State &state) {
    for (auto _ : state) function(context);
  };
  // The CPU time of the main thread alone would miss the kernel's other threads, so the CPU time of the
  // process is measured.
  benchmark::RegisterBenchmark("sample", body)
      ->MeasureProcessCPUTime()
      ->UseRealTime()
      ->Unit(benchmark::kNanosecond)
      ->Repetitions(1)
      ->Iterations(iterations);
  Reporter reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter, ".");
  benchmark::ClearRegisteredBenchmarks();
  return reporter.times;
}
