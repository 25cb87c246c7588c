import Blur

/// Records by workload, machine and kernel.
struct FleetTable {
  /// A kernel's records on one machine with the widest instruction set so far.
  struct Cell {
    var isa: InstructionSet
    var records: [Record]
  }

  /// In the order of the records.
  private(set) var workloads: [Workload] = [], machines: [String] = []
  private(set) var rows: [Workload: [String: [String: Cell]]] = [:]
  /// How many records do not say which machine they are of.
  let unknown: Int

  /// Sorts records; the memcpy and rows whose names are no cases are left out.
  init(_ records: [Record]) {
    unknown = records.count { $0.machineKey.isEmpty }
    for record in records where !record.machineKey.isEmpty {
      guard let item = record.item, !record.isCopy else { continue }
      if !machines.contains(record.machineKey) { machines.append(record.machineKey) }
      if rows[item.workload] == nil { workloads.append(item.workload) }
      add(record, item, to: &rows[item.workload, default: [:]][record.machineKey, default: [:]])
    }
  }

  private func add(_ record: Record, _ item: Case, to cells: inout [String: Cell]) {
    if let cell = cells[item.kernel], cell.isa > item.isa { return }
    if cells[item.kernel]?.isa == item.isa {
      cells[item.kernel]?.records.append(record)
    } else {
      cells[item.kernel] = Cell(isa: item.isa, records: [record])
    }
  }
}
