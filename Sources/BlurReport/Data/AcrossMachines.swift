import Blur
import BlurRecords

/// The matrix of workloads and machines on the report page. It shows the fastest kernel on each machine, and
/// the slowdown if one kernel is used on all machines.
struct AcrossMachines: Encodable {
  /// A sentence about the cost of using one kernel everywhere, and notes about what the figures do not show.
  let sentence: String, notes: [String]
  /// The names of the machines, and a limit for slowdowns. The page marks every slowdown that is larger than
  /// this limit.
  let machines: [String], limit: Double
  let rows: [Row]

  /// The results for one workload.
  ///
  /// `cells` has one element for each machine, which is nil if the machine did not measure the workload.
  /// `choice` is the best single kernel for all machines, and `worst` is the largest slowdown of this kernel.
  /// Both are nil if no kernel is accurate enough on all machines.
  struct Row: Encodable {
    let workload: String
    let cells: [Cell?]
    let choice: String?, worst: Double?
  }

  /// The result on one machine. `kernel` is the fastest kernel on this machine, or nil if no kernel is close
  /// enough to the Gaussian. `slowdown` is the slowdown on this machine if it uses the best single kernel for
  /// all machines.
  struct Cell: Encodable {
    let kernel: String?, isa: String?
    let time: Double?, slowdown: Double?
  }

  /// Compares the machines on which the records of the files were measured. Returns nil unless at least two
  /// machines have a workload in common.
  ///
  /// As in the rest of the page, only kernels that are close to the Gaussian on the test image are compared.
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
