import BlurComparison
import BlurMeasurement
import BlurRecords

/// Counts the instructions of each case on both sides, by the CPU's counters where there are any, else by callgrind.
public struct InstructionComparison {
  private let base: SideProcesses, head: SideProcesses
  private let callgrind: Callgrind
  private let progress: (String) -> Void

  /// - Parameter progress: receives what is counted.
  /// - Throws: ``MeasurementError/failed(_:)`` where callgrind is not installed.
  public init(
    base: SideProcesses, head: SideProcesses, progress: @escaping (String) -> Void
  ) throws(MeasurementError) {
    self.base = base
    self.head = head
    self.progress = progress
    callgrind = try Callgrind()
  }

  /// Adds the counts to the cases that have times; what could not be counted is a note.
  public func add(to comparison: inout Comparison) {
    var reason: String?
    var notes: [String] = []
    for index in comparison.cases.indices where comparison.cases[index].ratio != nil {
      let row = comparison.cases[index]
      progress("counting instructions: \(index + 1) of \(comparison.cases.count)")
      do throws(MeasurementError) {
        let old = try count(row.baseName ?? row.name, base, &reason, &notes)
        let new = try count(row.name, head, &reason, &notes)
        comparison.cases[index].base.instructions = old
        comparison.cases[index].head.instructions = new
        comparison.cases[index].instructionRatio = new / old
      } catch { notes.append("\(row.name): \(error)") }
    }
    if let reason { comparison.notes.append("\(reason); instructions were counted by callgrind") }
    comparison.notes += notes
  }

  /// - Parameter reason: why there are no hardware counters, once that is known.
  private func count(
    _ name: String, _ side: SideProcesses, _ reason: inout String?, _ notes: inout [String]
  ) throws(MeasurementError) -> Double {
    let item = try Case(name: name)
    if reason == nil && item.workload.threads == 1 {
      do throws(MeasurementError) {
        let track = try side.start()
        if let problem = try track.open(0, BenchRequest(name)).problem { throw .failed(problem) }
        return try track.instructions(0)
      } catch { reason = "\(error)" }
    }
    let counted = try callgrind.instructions(of: name, executable: side.executable, libraries: side.libraries)
    if let note = counted.note, !notes.contains(note) { notes.append(note) }
    return counted.perBlur
  }
}
