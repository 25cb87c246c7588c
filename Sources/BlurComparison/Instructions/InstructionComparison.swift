import BlurMeasurement
import BlurRecords

/// Counts the instructions of each case in both of the builds that are compared, the base and the head. The
/// hardware counters of the CPU are used if they are available, and callgrind otherwise.
struct InstructionComparison {
  private let base: SideProcesses, head: SideProcesses
  private let callgrind: Callgrind
  private let gate: Double?
  private let progress: (String) -> Void

  /// Prepares to count instructions.
  ///
  /// - Parameters:
  ///   - base: Starts processes of the build that serves as the reference.
  ///   - head: Starts processes of the build that is compared with the base.
  ///   - gate: The fraction by which a count may grow, or nil if it may grow by any amount.
  ///   - progress: A function that receives a line of text on what is being counted.
  /// - Throws: ``MeasurementError/failed(_:)`` if callgrind is not installed.
  init(
    base: SideProcesses, head: SideProcesses, gate: Double?, progress: @escaping (String) -> Void
  ) throws(MeasurementError) {
    self.base = base
    self.head = head
    self.gate = gate
    self.progress = progress
    callgrind = try Callgrind()
  }

  /// Adds instruction counts to all cases that have times. If a case cannot be counted, a note says why. If
  /// there is a limit for the growth of the counts, the case is also marked with a caveat, so that it does
  /// not pass unchecked.
  func add(to comparison: inout Comparison) {
    var reason: String?
    var notes: [String] = []
    for index in comparison.cases.indices where comparison.cases[index].ratio != nil {
      let row = comparison.cases[index]
      progress("counting instructions: \(index + 1) of \(comparison.cases.count)")
      do throws(MeasurementError) {
        let (old, new) = try counts(row, &reason, &notes)
        comparison.cases[index].note(instructions: old, new, gate: gate)
      } catch {
        notes.append("\(row.name): \(error)")
        if gate != nil { comparison.cases[index].caveat = "instructions could not be counted" }
      }
    }
    if let reason { comparison.notes.append("\(reason); instructions were counted with callgrind instead") }
    comparison.notes += notes
  }

  /// Returns the instruction counts of one case in the base and in the head. The same tool counts both,
  /// because the two tools can give different counts: callgrind does not support AVX-512, so it runs AVX2
  /// code in its place.
  ///
  /// - Parameter reason: The reason why the hardware counters cannot be used, or nil if they can. This method
  ///   sets the reason when the counters turn out to be unusable.
  private func counts(
    _ row: CaseComparison, _ reason: inout String?, _ notes: inout [String]
  ) throws(MeasurementError) -> (base: Double, head: Double) {
    let sides = [(row.baseName ?? row.name, base), (row.name, head)]
    if reason == nil, try Case(name: row.name).workload.threads == 1 {
      do throws(MeasurementError) {
        let counted = try sides.map { (name, side) throws(MeasurementError) in try Self.hardware(name, side) }
        return (counted[0], counted[1])
      } catch { reason = "\(error)" }
    }
    let counted = try sides.map { (name, side) throws(MeasurementError) in
      try callgrind.instructions(of: name, executable: side.executable, libraries: side.libraries)
    }
    if let note = counted[1].note, !notes.contains(note) { notes.append(note) }
    return (counted[0].perBlur, counted[1].perBlur)
  }

  private static func hardware(_ name: String, _ side: SideProcesses) throws(MeasurementError) -> Double {
    let process = try side.start()
    if let problem = try process.open(0, BenchRequest(name)).problem { throw .failed(problem) }
    return try process.instructions(0)
  }
}
