import Blur
import BlurRecords

/// The matrix of workloads and machines on the report page. It shows the fastest kernel on each machine, and
/// the slowdown if one kernel is used on all machines.
struct AcrossMachines: Encodable {
  /// A sentence about the cost of using one kernel everywhere, and notes about what the figures do not show.
  let sentence: String, notes: [String]
  /// The names of the machines, and the slowdown above which a choice is marked.
  let machines: [String], limit: Double
  let rows: [Row]

  /// A row for one workload. The cells are in the order of the machines, and nil if nothing was measured.
  /// `choice` is the kernel for all machines, or nil if there is none, and `worst` is its largest slowdown.
  struct Row: Encodable {
    let workload: String
    let cells: [Cell?]
    let choice: String?, worst: Double?
  }

  /// A cell for one machine: its fastest kernel, or nil if none is close enough to the Gaussian, and the
  /// slowdown of the kernel for all machines there.
  struct Cell: Encodable {
    let kernel: String?, isa: String?
    let time: Double?, slowdown: Double?
  }

  /// Compares the machines of the files. Returns nil unless at least two machines have a workload in common.
  ///
  /// As in the rest of the page, only kernels that were close to the Gaussian on the measured picture take
  /// part.
  init?(_ files: [ReportFile]) {
    let records = files.flatMap { file -> [Record] in
      if case .records(let records, _) = file.content { records } else { [] }
    }
    guard Set(records.map(\.machineKey)).count > 1 else { return nil }
    let fleet = FleetSelection(
      records, origins: files.flatMap(\.provenance), by: .picture, kernels: [],
      within: { $0.component == .uint8 ? .levels(1) : .share(1e-3) })
    guard !fleet.choices.isEmpty else { return nil }
    sentence = fleet.sentence + "."
    notes = fleet.notes
    machines = fleet.machines.map(\.name)
    limit = FleetChoice.limit
    rows = fleet.choices.map { choice in
      let cells = choice.places.indices.map { (choice.places[$0].machine, Cell(choice, $0)) }
      let byMachine = Dictionary(uniqueKeysWithValues: cells)
      return Row(
        workload: choice.title, cells: fleet.machines.map { byMachine[$0.key] },
        choice: choice.chosen?.kernel,
        worst: choice.chosen?.worst.inFiveDigits)
    }
  }
}

extension AcrossMachines.Cell {
  fileprivate init(_ choice: FleetChoice, _ place: Int) {
    let fastest = choice.places[place].fastest
    (kernel, isa, time) = (fastest?.kernel, fastest?.isa, fastest?.time?.inFiveDigits)
    slowdown = choice.chosen?.slowdowns[place].inFiveDigits
  }
}
