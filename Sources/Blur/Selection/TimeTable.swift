#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Times of kernels on a grid of workloads, and what lies between them: the logarithm of the time for a pixel is
/// interpolated linearly in the logarithms of pixels and sigma.
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
    let pixels: Double, sigma: Double
    let edge: EdgeMode
    let threads: Int
  }

  /// By runner, the logarithm of nanoseconds for a pixel. Not-a-number where it is not known.
  private typealias Times = [Float]

  private struct Column: Sendable {
    let logPixels: Double
    /// By sigma.
    let points: [(logSigma: Double, times: Times)]
  }

  private struct Sheet: Sendable {
    let edge: String
    let threads: Int
    let runners: [Runner]
    /// By size.
    let columns: [Column]
  }

  private let sheets: [PixelFormat: [Sheet]]

  /// A runner that was not timed on a workload, though others of its sheet were, had been given up as far slower:
  /// it counts as so many times as slow as the slowest that was.
  private static let givenUp = Float(log(2.0))
  /// How far beyond the grid a table still speaks, as factors.
  private static let pixelsBelow = log(6.0), pixelsAbove = log(32.0), sigmaAbove = log(2.0)
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
    let sizes = Dictionary(grouping: workloads) { $0.width * $0.height }
    let columns = sizes.sorted { $0.key < $1.key }.map { pixels, workloads in
      let points = workloads.sorted { $0.sigma < $1.sigma }.map { workload in
        (logSigma: log(max(workload.sigma, leastSigma)), times: times(of: workload, runners))
      }
      return Column(logPixels: log(Double(pixels)), points: points)
    }
    let ordered = runners.sorted { $0.value < $1.value }.map(\.key)
    return Sheet(edge: edge, threads: threads, runners: ordered, columns: columns)
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
    guard let sheet = nearestSheet(query) else { return false }
    let place = (x: log(query.pixels), y: log(max(query.sigma, Self.leastSigma)))
    guard isEndless || Self.reaches(sheet, place.x, place.y) else { return false }
    let across = Self.bracket(sheet.columns.count, place.x) { sheet.columns[$0].logPixels }
    let (low, high) = (sheet.columns[across.low], sheet.columns[across.high])
    let lowRows = Self.bracket(low.points.count, place.y) { low.points[$0].logSigma }
    let highRows = Self.bracket(high.points.count, place.y) { high.points[$0].logSigma }
    for (index, runner) in sheet.runners.enumerated() {
      let a = Self.mean(low, lowRows, index)
      let b = Self.mean(high, highRows, index)
      let time = exp(a + (b - a) * across.share) * query.pixels
      body(runner, Self.time(time, measured: sheet.threads, wanted: query.threads))
    }
    return true
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

  /// The sheet of the nearest number of threads, if possible of the edge mode, else of clamped edges.
  private func nearestSheet(_ query: Query) -> Sheet? {
    sheets[query.format]?.min { Self.distance($0, query) < Self.distance($1, query) }
  }

  private static func distance(_ sheet: Sheet, _ query: Query) -> Double {
    let threads = abs(log(Double(sheet.threads) / Double(query.threads)))
    return 100 * threads + (sheet.edge == query.edge.name ? 0 : sheet.edge == "clamp" ? 1 : 2)
  }

  /// Whether the place is inside the grid or not far outside. Small sigmas all cost the same.
  private static func reaches(_ sheet: Sheet, _ x: Double, _ y: Double) -> Bool {
    let sigmas = sheet.columns.compactMap { $0.points.last?.logSigma }
    return x >= sheet.columns[0].logPixels - pixelsBelow
      && x <= sheet.columns[sheet.columns.count - 1].logPixels + pixelsAbove
      && y <= sigmas.max()! + sigmaAbove
  }

  /// A time on another number of threads: work is divided, if it is worth waking them.
  private static func time(_ time: Double, measured: Int, wanted: Int) -> Double {
    guard measured != wanted else { return time }
    let alone = time * Double(measured)
    return min(alone, alone / Double(wanted) + waking)
  }
}
