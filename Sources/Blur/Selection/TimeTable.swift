#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Times of kernels on a grid of workloads, and what lies between them: the logarithm of the time for a pixel is
/// interpolated linearly in the logarithms of width, height and sigma. Where a kernel knows better than by pixels what a
/// blur costs, see ``EffortKernel``, that is what is meant by pixels.
///
/// Immutable once built, so that any number of threads can ask it.
struct TimeTable: Sendable {
  /// A kernel with an instruction set.
  struct Runner: Hashable, Sendable {
    let kernel: String
    let isa: InstructionSet
  }

  /// What a time is asked for.
  struct Query: Sendable {
    let format: PixelFormat
    let width: Int, height: Int
    let sigma: Double
    let edge: EdgeMode
    let threads: Int
  }

  /// What was timed with one format, edge mode and number of threads.
  private struct Chapter: Sendable {
    let edge: String
    let threads: Int
    let sheet: TimeSheet
    /// Logarithms of the smallest sides, the most pixels, and the largest sigma that were timed.
    let leastWidth: Double, leastHeight: Double, mostPixels: Double, largestSigma: Double
  }

  private let chapters: [PixelFormat: [Chapter]]

  /// How far beyond the grid a table still speaks, as factors.
  private static let sidesBelow = log(2.0), pixelsAbove = log(32.0), sigmaAbove = log(2.0)
  /// Nanoseconds that it takes to wake threads.
  private static let waking = 50_000.0

  /// Makes a table; names that mean nothing here are left out.
  init(_ workloads: [Wisdom.Workload]) {
    struct Place: Hashable { let format: PixelFormat, edge: String, threads: Int }
    var places: [Place: [Wisdom.Workload]] = [:]
    for workload in workloads where !workload.times.isEmpty {
      guard let format = PixelFormat(rawValue: workload.format) else { continue }
      let place = Place(format: format, edge: workload.edge, threads: workload.threads)
      places[place, default: []].append(workload)
    }
    var chapters: [PixelFormat: [Chapter]] = [:]
    for (place, workloads) in places {
      chapters[place.format, default: []].append(
        Chapter(
          edge: place.edge, threads: place.threads, sheet: TimeSheet(workloads, place.format),
          leastWidth: log(Double(workloads.map(\.width).min()!)),
          leastHeight: log(Double(workloads.map(\.height).min()!)),
          mostPixels: log(Double(workloads.map { $0.width * $0.height }.max()!)),
          largestSigma: TimeSheet.logSigma(workloads.map(\.sigma).max()!)))
    }
    self.chapters = chapters.mapValues { $0.sorted { ($0.threads, $0.edge) < ($1.threads, $1.edge) } }
  }

  /// Calls `body` with each runner and its time in nanoseconds, or returns false where the query is far from all
  /// that was timed.
  ///
  /// - Parameter isEndless: whether to speak far beyond the grid too.
  func forEach(_ query: Query, isEndless: Bool = false, _ body: (Runner, Double) -> Void) -> Bool {
    let chapters = (chapters[query.format] ?? []).filter { isEndless || Self.reaches($0, query) }
    guard let chapter = chapters.min(by: { Self.distance($0, query) < Self.distance($1, query) }) else {
      return false
    }
    guard chapter.threads != query.threads else {
      chapter.sheet.forEach(query) { runner, time, _ in body(runner, time) }
      return true
    }
    let speedUps = speedUps(from: chapter, to: query, among: chapters)
    chapter.sheet.forEach(query) { runner, time, isShared in
      let likely = isShared ? Self.time(time, measured: chapter.threads, wanted: query.threads) : time
      body(runner, speedUps[runner].map { time / $0 } ?? likely)
    }
    return true
  }

  /// How much sooner runners are done with the threads that are asked for, where both were timed with another edge mode.
  private func speedUps(from chapter: Chapter, to query: Query, among chapters: [Chapter]) -> [Runner: Double]
  {
    guard let wanted = chapters.first(where: { $0.threads == query.threads }),
      let given = chapters.first(where: { $0.threads == chapter.threads && $0.edge == wanted.edge })
    else { return [:] }
    var times: [Runner: Double] = [:]
    given.sheet.forEach(query) { runner, time, _ in times[runner] = time }
    var speedUps: [Runner: Double] = [:]
    wanted.sheet.forEach(query) { runner, time, _ in
      if let before = times[runner] {
        speedUps[runner] = min(max(1, before / time), Double(query.threads) / Double(chapter.threads))
      }
    }
    return speedUps
  }

  /// How far a chapter is from what is asked: first by edge mode, then by the number of threads. Modes that repeat the
  /// image cost much the same, others do not.
  private static func distance(_ chapter: Chapter, _ query: Query) -> Double {
    let threads = abs(log(Double(chapter.threads) / Double(query.threads)))
    let edge = query.edge.name
    let isLike = repeating.contains(edge) && repeating.contains(chapter.edge)
    return 10 * (chapter.edge == edge ? 0 : isLike ? 1 : chapter.edge == "clamp" ? 2 : 3) + threads
  }

  private static let repeating: Set<String> = ["mirror", "reflect", "wrap"]

  /// Whether the query is inside the grid or not far outside. Beyond its largest sizes, and below its least sigma,
  /// costs for a pixel hardly change.
  private static func reaches(_ chapter: Chapter, _ query: Query) -> Bool {
    let (x, y) = (log(Double(query.width)), log(Double(query.height)))
    // Small images are left to one thread, whose times are elsewhere.
    let sidesBelow = chapter.threads > 1 ? 0 : sidesBelow
    return x >= chapter.leastWidth - sidesBelow && y >= chapter.leastHeight - sidesBelow
      && x + y <= chapter.mostPixels + pixelsAbove
      && TimeSheet.logSigma(query.sigma) <= chapter.largestSigma + sigmaAbove
  }

  /// A time on another number of threads: work is divided, if it is worth waking them.
  private static func time(_ time: Double, measured: Int, wanted: Int) -> Double {
    guard measured != wanted else { return time }
    let alone = time * Double(measured)
    return min(alone, alone / Double(wanted) + waking)
  }
}
