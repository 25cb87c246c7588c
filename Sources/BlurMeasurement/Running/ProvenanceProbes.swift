import BlurRecords

extension Provenance {
  /// Asks the system which compiler and which revision this is.
  public mutating func askTools() {
    compiler = Self.firstLine(of: ["swift", "--version"])
    guard let revision = Self.firstLine(of: ["git", "rev-parse", "HEAD"]) else { return }
    let isChanged = Self.firstLine(of: ["git", "status", "--porcelain"]) != nil
    gitRevision = revision + (isChanged ? ", with uncommitted changes" : "")
  }

  /// Finds out how many cores so many threads really get; nothing to find out for one. See ``SpinProbe``.
  public mutating func probeCores(threads: Int, stopwatch: some Stopwatch = GoogleBenchmark()) {
    guard threads > 1 else { return }
    probedThreads = threads
    effectiveCores = SpinProbe.effectiveCores(threads: threads, stopwatch: stopwatch)
  }

  /// The first line that a program prints, or nil when it is absent, fails, or says nothing.
  private static func firstLine(of command: [String]) -> String? {
    guard let finished = try? FinishedProcess(command), finished.isGood else { return nil }
    return finished.output.split(separator: "\n").first.map(String.init)
  }
}
