import Blur
import BlurText

/// Which kernel is fastest near the true Gaussian, for each workload. Scenes and blurs once a frame are left
/// out.
public struct Winners {
  /// The fastest kernel of a workload, and those whose intervals overlap with its own.
  public struct Cell: Equatable, Sendable {
    /// The median time of the fastest in nanoseconds.
    public let time: Double
    /// How far the farther end of its interval is from it, as a share.
    public let spread: Double
    /// The fastest kernel, then those tied with it.
    public let kernels: [String]
    /// The fastest kernel that is not tied, and how many times as long it takes; nil where there is none.
    public let runnerUp: String?, lead: Estimate?
  }

  /// The workloads in the order of the records.
  public private(set) var workloads: [Workload] = []
  /// By workload: its winner; none where no kernel is near.
  public private(set) var cells: [Workload: Cell] = [:]

  /// Finds the winners of records in any order.
  ///
  /// Near is within 1 level on the measured picture, within 10⁻³ of full scale in 16 bits and float.
  public init(_ records: [Record]) {
    let measured = records.filter { $0.isMeasured && !$0.isCopy }
    for (workload, records) in measured.inGroups(by: { $0.item?.workload }) where !workload.isOfFrames {
      workloads.append(workload)
      cells[workload] = Cell(records)
    }
  }

  /// On how many workloads each kernel is fastest or tied.
  public var wins: [String: Int] {
    cells.values.flatMap(\.kernels).reduce(into: [:]) { $0[$1, default: 0] += 1 }
  }

  /// Which kernel wins most often, then the others; empty where nothing was measured.
  public var verdict: (first: String, others: String) {
    let near =
      "within 1 level of the true Gaussian" + (isDeep ? " (10⁻³ of full scale in 16 bits and float)" : "")
    let missing = workloads.count { cells[$0] == nil }
    let nothing = "In \(missing) of \(workloads.count) workloads no kernel is \(near)."
    let ranked = wins.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    guard let first = ranked.first else { return (workloads.isEmpty ? "" : nothing, "") }
    let count = workloads.count.of("workload")
    let others = ranked.dropFirst().map { "\($0.key) in \($0.value)" }.joined(separator: ", ")
    let sentences = [
      others.isEmpty ? nil : "Also fastest or tied: \(others).", missing == 0 ? nil : nothing,
    ]
    return (
      "\(first.key) is fastest or tied in \(first.value) of \(count), \(near).",
      sentences.compactMap(\.self).joined(separator: " ")
    )
  }

  /// Whether there are formats with a stricter bound than a level.
  private var isDeep: Bool { workloads.contains { $0.layout.format.component != .uint8 } }
}

extension Winners.Cell {
  /// The winner among the records of one workload; nil where no kernel is near.
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
  /// The workload with sigma 0: what the cells of a row have in common.
  public var row: Workload {
    var row = self
    row.sigma = 0
    return row
  }

  /// What the cells of a row have in common, as a title.
  public var rowTitle: String {
    "\(imageTitle)\(edge == .clamp ? "" : ", \(edge.name)")" + (mask.map { ", mask \($0.rawValue)" } ?? "")
      + (threads > 1 ? ", \(threads) threads" : "") + (pace == .warm ? "" : ", \(pace.rawValue)")
  }
}
