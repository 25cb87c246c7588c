#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Times measured with one format, edge mode and number of threads.
struct TimeSheet: Sendable {
  typealias Runner = TimeTable.Runner

  /// What a kernel took.
  fileprivate struct Cost: Sendable {
    /// The logarithm of nanoseconds for a unit of effort.
    let log: Double
    /// The way to blur that it took, see ``Effort``.
    let way: Int
    /// Whether it was timed here; else it had been given up.
    let isMeasured: Bool
  }

  fileprivate struct Column: Sendable {
    let logWidth: Double, logHeight: Double
    /// By sigma, the costs of each runner.
    let points: [(logSigma: Double, costs: [Cost])]
  }

  private struct Size: Hashable { let width: Int, height: Int }

  /// A kernel, and the places of its runners among the costs.
  private struct Entry: Sendable {
    let effort: Effort.Estimate
    var runners: [(place: Int, runner: Runner)]
  }

  private let entries: [Entry]
  /// Logarithms of all widths and heights there are, ascending.
  private let widths: [Double], heights: [Double]
  /// For each width the columns of all heights; nil where that size was not measured.
  private let columns: [Column?]

  /// A runner that was not timed on a workload, though others were, had been given up as far slower: it counts as so
  /// many times as slow as the slowest that was.
  private static let givenUp = 2.0
  /// How much less a size says for each sigma that lies between what is asked and where a runner took that way there.
  private static let fading = 0.01
  /// Below, every window is a single pixel.
  private static let leastSigma = 0.05

  /// The logarithm of sigma, of which nothing is known near 0.
  static func logSigma(_ sigma: Double) -> Double { log(max(sigma, leastSigma)) }

  /// Makes a sheet of workloads that differ in size and sigma alone.
  init(_ workloads: [Wisdom.Workload], _ format: PixelFormat) {
    let runners = Set(workloads.flatMap(\.times).compactMap(Runner.init))
      .sorted { ($0.kernel, $0.isa) < ($1.kernel, $1.isa) }
    let places = Dictionary(uniqueKeysWithValues: runners.enumerated().map { ($1, $0) })
    let entries = Self.entries(runners)
    let sizes = Dictionary(grouping: workloads) { Size(width: $0.width, height: $0.height) }
    let (widths, heights) = (Set(sizes.keys.map(\.width)).sorted(), Set(sizes.keys.map(\.height)).sorted())
    self.entries = entries
    self.widths = widths.map { log(Double($0)) }
    self.heights = heights.map { log(Double($0)) }
    columns = widths.flatMap { width in
      heights.map { height in
        sizes[Size(width: width, height: height)].map { workloads in
          Column(
            logWidth: log(Double(width)), logHeight: log(Double(height)),
            points: workloads.sorted { $0.sigma < $1.sigma }.map { workload in
              (Self.logSigma(workload.sigma), Self.costs(of: workload, format, entries, places))
            })
        }
      }
    }
  }

  /// Runners by kernel.
  private static func entries(_ runners: [Runner]) -> [Entry] {
    runners.enumerated().reduce(into: []) { entries, new in
      if entries.last?.runners[0].runner.kernel != new.element.kernel {
        entries.append(Entry(effort: new.element.effort, runners: []))
      }
      entries[entries.count - 1].runners.append((new.offset, new.element))
    }
  }

  /// The costs of all runners, in the order of their places.
  private static func costs(
    of workload: Wisdom.Workload, _ format: PixelFormat, _ entries: [Entry], _ places: [Runner: Int]
  ) -> [Cost] {
    let times = times(of: workload, places)
    let givenUp = (workload.times.map(\.ns).max() ?? 0) * Self.givenUp
    let work = BlurWork(
      format: format, width: workload.width, height: workload.height, sigma: workload.sigma)
    return entries.flatMap { entry in
      let effort = entry.effort(work)
      return entry.runners.map { place, runner in
        let effort = effort(runner.isa)
        return Cost(
          log: log((times[place] ?? givenUp) / effort.amount), way: effort.way,
          isMeasured: times[place] != nil)
      }
    }
  }

  /// Nanoseconds by runner.
  private static func times(of workload: Wisdom.Workload, _ places: [Runner: Int]) -> [Double?] {
    var times = [Double?](repeating: nil, count: places.count)
    for time in workload.times {
      if let runner = Runner(time) { times[places[runner]!] = time.ns }
    }
    return times
  }

  /// Calls `body` with each runner that was timed near, its time in nanoseconds, and whether threads can share the work.
  func forEach(_ query: TimeTable.Query, _ body: (Runner, Double, Bool) -> Void) {
    let z = Self.logSigma(query.sigma)
    let corners = corners(log(Double(query.width)), log(Double(query.height)))
    let work = BlurWork(
      format: query.format, width: query.width, height: query.height, sigma: query.sigma)
    for entry in entries {
      let effort = entry.effort(work)
      for (place, runner) in entry.runners {
        let effort = effort(runner.isa)
        guard let cost = cost(of: place, effort.way, corners, z) ?? cost(of: place, nil, corners, z)
        else { continue }
        body(runner, exp(cost) * effort.amount, effort.isShared)
      }
    }
  }

  /// The mean cost of a runner at some sizes, of those where it took that way; nil where most of it would be made up.
  private func cost(of index: Int, _ way: Int?, _ corners: [(Column, Double)], _ z: Double) -> Double? {
    var (sum, weights, measured) = (0.0, 0.0, 0.0)
    for (column, weight) in corners {
      guard let cost = column.cost(of: index, way, z) else { continue }
      let weight = weight * (cost.steps == 0 ? 1 : pow(Self.fading, Double(cost.steps)))
      sum += weight * cost.log
      measured += weight * cost.measured
      weights += weight
    }
    return measured > weights / 2 ? sum / weights : nil
  }

  /// Measured sizes around a place, with weights that add up to 1: the four of its cell, or where one of them was
  /// not measured, all sizes by their distance.
  private func corners(_ x: Double, _ y: Double) -> [(Column, Double)] {
    let across = Self.bracket(widths.count, x) { widths[$0] }
    let down = Self.bracket(heights.count, y) { heights[$0] }
    var corners: [(Column, Double)] = []
    for (i, a) in [(across.low, 1 - across.share), (across.high, across.share)] {
      for (j, b) in [(down.low, 1 - down.share), (down.high, down.share)] where a * b > 0 {
        guard let column = columns[i * heights.count + j] else {
          return Self.scattered(columns.compactMap { $0 }, x, y)
        }
        corners.append((column, a * b))
      }
    }
    return corners
  }

  /// All sizes, weighted by the fourth power of their nearness (D. Shepard, "A two-dimensional interpolation function
  /// for irregularly-spaced data", 1968).
  private static func scattered(_ columns: [Column], _ x: Double, _ y: Double) -> [(Column, Double)] {
    let weights = columns.map { column in
      let square =
        (column.logWidth - x) * (column.logWidth - x) + (column.logHeight - y) * (column.logHeight - y)
      return 1 / max(square * square, 1e-12)
    }
    let sum = weights.reduce(0, +)
    return zip(columns, weights).map { ($0, $1 / sum) }
  }

  fileprivate typealias Bracket = (low: Int, high: Int, share: Double)

  /// The two neighbours of `x` in an ascending list, and where it lies between them; at an end, the end twice.
  fileprivate static func bracket(_ count: Int, _ x: Double, _ value: (Int) -> Double) -> Bracket {
    var (low, high) = (0, count - 1)
    if x <= value(low) { return (low, low, 0) }
    if x >= value(high) { return (high, high, 0) }
    while high - low > 1 {
      let middle = (low + high) / 2
      if value(middle) <= x { low = middle } else { high = middle }
    }
    return (low, high, (x - value(low)) / (value(high) - value(low)))
  }
}

extension TimeSheet.Column {
  /// What a runner costs at a sigma between those that were timed, by those where it took that way, the share of it that
  /// was measured, and how many sigmas nearer than those were passed over; nil where it took that way nowhere.
  fileprivate func cost(
    of index: Int, _ way: Int?, _ z: Double
  ) -> (log: Double, measured: Double, steps: Int)? {
    let nearest = TimeSheet.bracket(points.count, z) { points[$0].logSigma }
    var (low, high) = (nearest.low, nearest.high)
    let isLike = { way == nil || points[$0].costs[index].way == way }
    while low >= 0, !isLike(low) { low -= 1 }
    while high < points.count, !isLike(high) { high += 1 }
    guard low >= 0 || high < points.count else { return nil }
    // At an end, the end twice.
    let (a, b) = (points[low >= 0 ? low : high], points[high < points.count ? high : low])
    let share = a.logSigma == b.logSigma ? 0 : (z - a.logSigma) / (b.logSigma - a.logSigma)
    let (from, to) = (a.costs[index], b.costs[index])
    return (
      from.log + (to.log - from.log) * share,
      (from.isMeasured ? 1 - share : 0) + (to.isMeasured ? share : 0),
      min(low >= 0 ? nearest.low - low : .max, high < points.count ? high - nearest.high : .max)
    )
  }
}

extension TimeTable.Runner {
  fileprivate init?(_ time: Wisdom.Time) {
    guard let isa = InstructionSet(rawValue: time.isa) else { return nil }
    self.init(kernel: time.kernel, isa: isa)
  }

  fileprivate var effort: Effort.Estimate {
    Registry.kernels.first { $0.name == kernel }?.effort ?? Effort.pixels
  }
}
