#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Times of kernels on a grid of workloads, and what lies between them: the logarithm of the time for a pixel is
/// interpolated linearly in the logarithms of width, height and sigma.
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

  /// By runner, the logarithm of nanoseconds for a pixel. Not-a-number where it is not known.
  private typealias Times = [Float]

  private struct Column: Sendable {
    let logWidth: Double, logHeight: Double
    /// By sigma.
    let points: [(logSigma: Double, times: Times)]
  }

  private struct Sheet: Sendable {
    let edge: String
    let threads: Int
    let runners: [Runner]
    /// Logarithms of all widths and heights there are, ascending.
    let widths: [Double], heights: [Double]
    /// For each width the columns of all heights; nil where that size was not measured.
    let columns: [Column?]
    /// The logarithm of the largest sigma.
    let largestSigma: Double

    subscript(_ x: Int, _ y: Int) -> Column? { columns[x * heights.count + y] }
  }

  private let sheets: [PixelFormat: [Sheet]]

  /// A runner that was not timed on a workload, though others of its sheet were, had been given up as far slower:
  /// it counts as so many times as slow as the slowest that was.
  private static let givenUp = Float(log(2.0))
  /// How far beyond the grid a table still speaks, as factors.
  private static let sidesBelow = log(2.0), pixelsAbove = log(32.0), sigmaAbove = log(2.0)
  /// Below, every window is a single pixel.
  private static let leastSigma = 0.05
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
    var sheets: [PixelFormat: [Sheet]] = [:]
    for (place, workloads) in places {
      sheets[place.format, default: []].append(Self.sheet(place.edge, place.threads, workloads))
    }
    self.sheets = sheets.mapValues { $0.sorted { ($0.threads, $0.edge) < ($1.threads, $1.edge) } }
  }

  private static func sheet(_ edge: String, _ threads: Int, _ workloads: [Wisdom.Workload]) -> Sheet {
    var runners: [Runner: Int] = [:]
    for time in workloads.flatMap(\.times) {
      guard let isa = InstructionSet(rawValue: time.isa) else { continue }
      let runner = Runner(kernel: time.kernel, isa: isa)
      if runners[runner] == nil { runners[runner] = runners.count }
    }
    struct Size: Hashable { let width: Int, height: Int }
    let sizes = Dictionary(grouping: workloads) { Size(width: $0.width, height: $0.height) }
    let widths = Set(workloads.map(\.width)).sorted()
    let heights = Set(workloads.map(\.height)).sorted()
    let columns = widths.flatMap { width in
      heights.map { height in
        sizes[Size(width: width, height: height)].map { column($0, runners) }
      }
    }
    return Sheet(
      edge: edge, threads: threads, runners: runners.sorted { $0.value < $1.value }.map(\.key),
      widths: widths.map { log(Double($0)) }, heights: heights.map { log(Double($0)) }, columns: columns,
      largestSigma: log(max(workloads.map(\.sigma).max()!, leastSigma)))
  }

  /// The workloads of one size.
  private static func column(_ workloads: [Wisdom.Workload], _ runners: [Runner: Int]) -> Column {
    let points = workloads.sorted { $0.sigma < $1.sigma }.map { workload in
      (logSigma: log(max(workload.sigma, leastSigma)), times: times(of: workload, runners))
    }
    return Column(
      logWidth: log(Double(workloads[0].width)), logHeight: log(Double(workloads[0].height)), points: points)
  }

  private static func times(of workload: Wisdom.Workload, _ runners: [Runner: Int]) -> Times {
    var times = Times(repeating: .nan, count: runners.count)
    let pixels = Double(workload.width * workload.height)
    for time in workload.times {
      guard let isa = InstructionSet(rawValue: time.isa) else { continue }
      times[runners[Runner(kernel: time.kernel, isa: isa)]!] = Float(log(time.ns / pixels))
    }
    let slowest = times.filter { !$0.isNaN }.max() ?? .nan
    return times.map { $0.isNaN ? slowest + givenUp : $0 }
  }

  /// Calls `body` with each runner and its time in nanoseconds, or returns false where the query is far from all
  /// that was timed.
  ///
  /// - Parameter isEndless: whether to speak far beyond the grid too.
  func forEach(_ query: Query, isEndless: Bool = false, _ body: (Runner, Double) -> Void) -> Bool {
    let place = (
      x: log(Double(query.width)), y: log(Double(query.height)), z: log(max(query.sigma, Self.leastSigma))
    )
    let sheets = (sheets[query.format] ?? []).filter {
      isEndless || Self.reaches($0, place.x, place.y, place.z)
    }
    guard let sheet = sheets.min(by: { Self.distance($0, query) < Self.distance($1, query) }) else {
      return false
    }
    let corners = Self.corners(of: sheet, place.x, place.y).map { column, weight in
      (column, weight, Self.bracket(column.points.count, place.z) { column.points[$0].logSigma })
    }
    let pixels = Double(query.width) * Double(query.height)
    for (index, runner) in sheet.runners.enumerated() {
      let cost = corners.reduce(0) { $0 + $1.1 * Self.mean($1.0, $1.2, index) }
      body(runner, Self.time(exp(cost) * pixels, measured: sheet.threads, wanted: query.threads))
    }
    return true
  }

  /// Measured sizes around a place, with weights that add up to 1: the four of its cell, or where one of them was
  /// not measured, all sizes by their distance.
  private static func corners(of sheet: Sheet, _ x: Double, _ y: Double) -> [(Column, Double)] {
    let across = bracket(sheet.widths.count, x) { sheet.widths[$0] }
    let down = bracket(sheet.heights.count, y) { sheet.heights[$0] }
    var corners: [(Column, Double)] = []
    for (i, a) in [(across.low, 1 - across.share), (across.high, across.share)] {
      for (j, b) in [(down.low, 1 - down.share), (down.high, down.share)] where a * b > 0 {
        guard let column = sheet[i, j] else { return scattered(sheet.columns.compactMap { $0 }, x, y) }
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

  private typealias Bracket = (low: Int, high: Int, share: Double)

  private static func mean(_ column: Column, _ rows: Bracket, _ index: Int) -> Double {
    let (a, b) = (Double(column.points[rows.low].times[index]), Double(column.points[rows.high].times[index]))
    return a + (b - a) * rows.share
  }

  /// The two neighbours of `x` in an ascending list, and where it lies between them; at an end, the end twice.
  private static func bracket(_ count: Int, _ x: Double, _ value: (Int) -> Double) -> Bracket {
    var (low, high) = (0, count - 1)
    if x <= value(low) { return (low, low, 0) }
    if x >= value(high) { return (high, high, 0) }
    while high - low > 1 {
      let middle = (low + high) / 2
      if value(middle) <= x { low = middle } else { high = middle }
    }
    return (low, high, (x - value(low)) / (value(high) - value(low)))
  }

  /// How far a sheet is from what is asked: first by edge mode, then by the number of threads. Modes that repeat the
  /// image cost much the same, others do not.
  private static func distance(_ sheet: Sheet, _ query: Query) -> Double {
    let threads = abs(log(Double(sheet.threads) / Double(query.threads)))
    let edge = query.edge.name
    let isLike = repeating.contains(edge) && repeating.contains(sheet.edge)
    return 10 * (sheet.edge == edge ? 0 : isLike ? 1 : sheet.edge == "clamp" ? 2 : 3) + threads
  }

  private static let repeating: Set<String> = ["mirror", "reflect", "wrap"]

  /// Whether the place is inside the grid or not far outside. Beyond its largest sizes, and below its least sigma,
  /// costs for a pixel hardly change.
  private static func reaches(_ sheet: Sheet, _ x: Double, _ y: Double, _ z: Double) -> Bool {
    let largest = sheet.columns.compactMap { $0.map { $0.logWidth + $0.logHeight } }.max()!
    return x >= sheet.widths[0] - sidesBelow && y >= sheet.heights[0] - sidesBelow
      && x + y <= largest + pixelsAbove && z <= sheet.largestSigma + sigmaAbove
  }

  /// A time on another number of threads: work is divided, if it is worth waking them.
  private static func time(_ time: Double, measured: Int, wanted: Int) -> Double {
    guard measured != wanted else { return time }
    let alone = time * Double(measured)
    return min(alone, alone / Double(wanted) + waking)
  }
}
