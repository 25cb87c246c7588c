import Blur
import BlurRecords

/// The page's matrix: the fastest kernels of each workload of one file.
struct FastestTable: Encodable {
  /// The file's place, and the sigmas of the columns.
  let file: Int, sigmas: [Double]
  let rows: [Row]

  /// A format and size; a cell for each sigma, nil where nothing was measured.
  struct Row: Encodable {
    let title: String
    let cells: [Cell?]
  }

  /// A workload. Its kernels are none where no kernel is near the Gaussian.
  struct Cell: Encodable {
    /// A case of the workload: its place in the page's list.
    let place: Int
    let kernels: [String]
    /// Whether a kernel of this package is fastest or tied, and whether a plug-in is too.
    let isOwn: Bool, isTie: Bool
    let time: Double?, runnerUp: String?
    /// How many times as long the runner-up takes, and the ends of its interval.
    let lead: Double?, leadLow: Double?, leadHigh: Double?
    /// What a report's address says of the workload, by key.
    let address: [String: String]
  }

  /// Makes the table; nil where the file has no blurs.
  init?(_ winners: Winners, _ cases: [ReportCase], file: Int) {
    guard !winners.workloads.isEmpty else { return nil }
    self.file = file
    let sigmas = Set(winners.workloads.map(\.sigma)).sorted()
    self.sigmas = sigmas
    var places: [Workload: Int] = [:]
    for (place, item) in cases.enumerated() where item.file == file && !item.times.isEmpty {
      guard let workload = item.record.item?.workload, !item.record.isCopy else { continue }
      if places[workload] == nil || winners.cells[workload]?.kernels.first == item.kernel {
        places[workload] = place
      }
    }
    rows = winners.workloads.inGroups(by: \.row).map { row, workloads in
      let cells = sigmas.map { sigma in
        workloads.first { $0.sigma == sigma }.flatMap { workload in
          places[workload].map { Cell(workload, place: $0, winners.cells[workload]) }
        }
      }
      return Row(title: row.rowTitle, cells: cells)
    }
  }
}

extension FastestTable.Cell {
  fileprivate init(_ workload: Workload, place: Int, _ winner: Winners.Cell?) {
    self.place = place
    kernels = winner?.kernels ?? []
    let own = Set(Registry.all.map(\.name))
    isOwn = kernels.contains(where: own.contains)
    isTie = isOwn && !kernels.allSatisfy(own.contains)
    time = winner?.time.inFiveDigits
    runnerUp = winner?.runnerUp
    lead = winner?.lead?.median.inFiveDigits
    leadLow = winner?.lead?.low.inFiveDigits
    leadHigh = winner?.lead?.high.inFiveDigits
    address = [
      "format": "\(workload.layout.format)", "size": Size(workload.layout).text,
      "sigma": workload.sigma.short, "threads": "\(workload.threads)", "edge": workload.edge.name,
      "pace": workload.pace.rawValue,
    ]
  }
}
