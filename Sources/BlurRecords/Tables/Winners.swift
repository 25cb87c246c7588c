import Blur
import BlurText

/// The fastest accurate kernel for each workload. Interface scenes, and blurs that run once per frame of a
/// screen, are left out.
public struct Winners: Sendable {
  /// The fastest kernel on a workload, and the kernels that are tied with it because the confidence intervals
  /// of their times overlap.
  public struct Cell: Equatable, Sendable {
    /// The median time of the fastest kernel in nanoseconds.
    public let time: Double
    /// The distance from the median to the farther end of its interval, as a fraction of the median.
    public let spread: Double
    /// The fastest kernel, followed by the kernels that are tied with it.
    public let kernels: [String]
    /// The next kernel behind the winner, leaving out the kernels that are tied with the winner, and this
    /// kernel's time divided by the winner's time. Both values are nil if there is no such kernel.
    public let runnerUp: String?, lead: Estimate?
  }

  /// The workloads, in the order of the records.
  public private(set) var workloads: [Workload] = []
  /// The winner of each workload. A workload on which no kernel is accurate enough has no entry.
  public private(set) var cells: [Workload: Cell] = [:]

  /// Finds the winners from records in any order.
  ///
  /// Only kernels that are accurate enough can win: their largest error on the test image must be at most 1
  /// level, or 10⁻³ of full scale in 16-bit and float formats.
  public init(_ records: [Record]) {
    let measured = records.filter { $0.isMeasured && !$0.isCopy }
    for (workload, records) in measured.inGroups(by: { $0.item?.workload }) where !workload.isOfFrames {
      workloads.append(workload)
      cells[workload] = Cell(records)
    }
  }

  /// The number of workloads on which each kernel is fastest or tied.
  public var wins: [String: Int] {
    cells.values.flatMap(\.kernels).reduce(into: [:]) { $0[$1, default: 0] += 1 }
  }

  /// A summary of the results in two texts: a sentence about the kernel that wins most often, and further
  /// sentences about the other kernels and about workloads without a winner. A text is empty if there is
  /// nothing to say.
  public var verdict: (first: String, others: String) {
    let near =
      "within 1 level of the true Gaussian" + (isDeep ? " (10⁻³ of full scale in 16 bits and float)" : "")
    let missing = workloads.count { cells[$0] == nil }
    let nothing = "In \(missing) of \(workloads.count) workloads, no kernel is \(near)."
    let ranked = wins.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    guard let first = ranked.first else { return (workloads.isEmpty ? "" : nothing, "") }
    let count = workloads.count.of("workload")
    let others = ranked.dropFirst().map { "\($0.key) in \($0.value)" }.joined(separator: ", ")
    let sentences = [
      others.isEmpty ? nil : "Also fastest or tied: \(others).", missing == 0 ? nil : nothing,
    ]
    return (
      "\(first.key) is fastest or tied in \(first.value) of \(count), among the kernels \(near).",
      sentences.compactMap(\.self).joined(separator: " ")
    )
  }

  /// Whether any workload has 16-bit or float pixels. The verdict then also states the limit for such pixels:
  /// the error of a winner may be at most 10⁻³ of full scale.
  private var isDeep: Bool { workloads.contains { $0.layout.format.component != .uint8 } }
}

extension Winners.Cell {
  /// Finds the winner among the records of one workload, or returns nil if no kernel is accurate enough.
  fileprivate init?(_ records: [Record]) {
    let times = records.inGroups(by: \.item).compactMap {
      item, records -> (kernel: String, time: Estimate)? in
      guard let levels = records.compactMap(\.maxErrorLevels).max(),
        Ranking.Quality(levels: levels, format: item.workload.layout.format).isNear
      else { return nil }
      return Estimate(records.compactMap(\.realTime)).map { (item.kernel, $0) }
    }.sorted { $0.time.median < $1.time.median }
    guard let fastest = times.first?.time else { return nil }
    let tied = times.filter { $0.time.low <= fastest.high }.map(\.kernel)
    kernels = tied.enumerated().filter { !tied[..<$0.offset].contains($0.element) }.map(\.element)
    let behind = times.first { [kernels] in !kernels.contains($0.kernel) }
    time = fastest.median
    spread = max(fastest.high / fastest.median - 1, 1 - fastest.low / fastest.median)
    runnerUp = behind?.kernel
    lead = behind.map { $0.time / fastest }
  }
}

extension Workload {
  /// The workload with sigma set to 0. This value is equal for all workloads in the same row of the table.
  public var row: Workload {
    var row = self
    row.sigma = 0
    return row
  }

  /// The title of the table row to which the workload belongs.
  public var rowTitle: String {
    "\(imageTitle)\(edge == .clamp ? "" : ", \(edge.name)")" + (mask.map { ", mask \($0.rawValue)" } ?? "")
      + (threads > 1 ? ", \(threads) threads" : "") + (pace == .warm ? "" : ", \(pace.rawValue)")
  }
}
