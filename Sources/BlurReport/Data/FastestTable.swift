import Blur
import BlurRecords

/// The table of the fastest kernels on the report page, for the records of one file. It has a row for each
/// image format and size, and a column for each sigma.
struct FastestTable: Encodable {
  /// The index of the file in the report, and the sigma of each column of the table.
  let file: Int, sigmas: [Double]
  let rows: [Row]

  /// A row for one format and size, with a cell for each sigma. A cell is nil if nothing was measured with
  /// this format, size and sigma.
  struct Row: Encodable {
    let title: String
    let cells: [Cell?]
  }

  /// A cell of the table, with the fastest kernels for one workload. The list of kernels is empty if no
  /// kernel is close enough to the Gaussian.
  struct Cell: Encodable {
    /// The index of a case in the page's list of cases. The cell links to this case, which is a measurement
    /// of the fastest kernel. If no kernel is close enough to the Gaussian, the cell links to the first
    /// measured case of its workload.
    let place: Int
    let kernels: [String]
    /// `isOwn` says whether at least one of the fastest kernels belongs to this package. `isTie` says whether
    /// the fastest kernels include both a kernel of this package and a kernel of a plug-in.
    let isOwn: Bool, isTie: Bool
    let time: Double?, runnerUp: String?
    /// The time of the runner-up divided by the time of the fastest kernel, and the lower and upper ends of
    /// the confidence interval of this ratio.
    let lead: Double?, leadLow: Double?, leadHigh: Double?
    /// The key-value pairs that select this workload in the address of a report page, such as `sigma=5`.
    let address: [String: String]
  }

  /// Creates the table of the fastest kernels, or returns nil if the file has no records of blurs.
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
    let alpha = workload.layout.alpha
    let edge = workload.edge.name + (alpha == .premultiplied ? "" : ", alpha \(alpha.rawValue)")
    address = [
      "format": "\(workload.layout.format)", "size": Size(workload.layout).text,
      "sigma": workload.sigma.short, "threads": "\(workload.threads)", "edge": edge,
      "pace": workload.pace.rawValue,
    ]
  }
}
