import BlurRecords

extension Provenance {
  /// Measures how many cores `threads` threads really get, see ``ParallelismProbe``. Nothing is measured for
  /// a single thread.
  public mutating func probeCores(threads: Int) {
    guard threads > 1 else { return }
    probedThreads = threads
    effectiveCores = ParallelismProbe.effectiveCores(threads: threads)
  }
}
