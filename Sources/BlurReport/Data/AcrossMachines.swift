import Blur
import BlurRecords

/// The page's matrix of workloads and machines: the fastest kernel of each, and what one kernel for all
/// costs.
struct AcrossMachines: Encodable {
  /// How much is lost by one choice, and what the figures do not show.
  let sentence: String, notes: [String]
  /// Names of machines, and the slowdown above which a choice is marked.
  let machines: [String], limit: Double
  let rows: [Row]

  /// A workload: its cells in the order of the machines, nil where nothing was measured; the kernel for all
  /// of them, nil if there is none, and its worst slowdown.
  struct Row: Encodable {
    let workload: String
    let cells: [Cell?]
    let choice: String?, worst: Double?
  }

  /// The fastest kernel of a machine, nil where none is near enough; and what the choice costs there.
  struct Cell: Encodable {
    let kernel: String?, isa: String?
    let time: Double?, slowdown: Double?
  }

  /// Compares the machines that files are of; nil unless two of them have the same workload.
  ///
  /// As in the rest of the page, kernels count that were near the Gaussian on the measured picture.
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
