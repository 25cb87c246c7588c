import Blur

/// The records grouped by workload, machine and kernel.
struct FleetTable {
  /// The records of a kernel on one machine. If the kernel was measured with several instruction sets there,
  /// only the records for the widest set are kept.
  struct Cell {
    var isa: InstructionSet
    var records: [Record]
  }

  /// The workloads and the keys of the machines, each in the order of the records.
  private(set) var workloads: [Workload] = [], machines: [String] = []
  private(set) var rows: [Workload: [String: [String: Cell]]] = [:]
  /// The number of records that do not state on which machine they were measured.
  let unknown: Int

  /// Groups the records by workload, machine and kernel. Rows of memcpys and rows without a valid case name
  /// are left out.
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
