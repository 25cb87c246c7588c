import BlurRecords

extension Provenance {
  /// Finds out how many cores N threads really get; nothing to find out for one. See ``ParallelismProbe``.
  public mutating func probeCores(threads: Int, stopwatch: some Stopwatch = GoogleBenchmark()) {
    guard threads > 1 else { return }
    probedThreads = threads
    effectiveCores = ParallelismProbe.effectiveCores(threads: threads, stopwatch: stopwatch)
  }
}
