import BlurMeasurement
import BlurRecords

extension Comparison {
  /// Counts the instructions of all cases that have times, in both builds. Cases with one thread are counted
  /// with the CPU's hardware counters if these are available. All other cases are counted with callgrind.
  ///
  /// If a case cannot be counted, a note says why. If the user has limited the growth of the counts, such a
  /// case also gets a caveat, because it would otherwise pass without having been checked.
  ///
  /// - Parameters:
  ///   - base: Starts processes of the old build.
  ///   - head: Starts processes of the new build.
  ///   - gate: The fraction by which a count may grow, or nil if it may grow by any amount.
  ///   - progress: A function that receives a line of text that says what is being counted.
  /// - Throws: ``MeasurementError/failed(_:)`` if callgrind is needed but not installed.
  mutating func countInstructions(
    base: SideProcesses, head: SideProcesses, gate: Double?, progress: (String) -> Void
  ) throws(MeasurementError) {
    let timed = cases.filter { $0.ratio != nil }
    let callgrind = try Callgrind.found(for: timed.compactMap { try? Case(name: $0.name) })
    var reason: String?
    var remarks: [String] = []
    for index in cases.indices where cases[index].ratio != nil {
      let row = cases[index]
      progress("counting instructions: \(index + 1) of \(cases.count)")
      do throws(MeasurementError) {
        let sides = [(row.baseName ?? row.name, base), (row.name, head)]
        let counts = try Self.counts(sides, callgrind, &reason, &remarks)
        cases[index].note(instructions: counts[0], counts[1], gate: gate)
      } catch {
        remarks.append("\(row.name): \(error)")
        if gate != nil { cases[index].caveat = "instructions could not be counted" }
      }
    }
    if let reason { notes.append("\(reason); instructions were counted with callgrind instead") }
    notes += remarks
  }

  /// Returns the instruction counts of one case for the base and the head. Both are counted in the same way,
  /// because hardware counters and callgrind can give different counts. For example, callgrind does not
  /// support AVX-512, so the kernel runs its AVX2 code instead.
  ///
  /// - Parameters:
  ///   - callgrind: Callgrind, or nil if it is not installed and the hardware counters must be used.
  ///   - reason: The reason why the hardware counters cannot be used, or nil if no such reason is known yet.
  ///     If the hardware counters fail and callgrind is installed, this method sets the reason.
  private static func counts(
    _ sides: [(String, SideProcesses)], _ callgrind: Callgrind?, _ reason: inout String?,
    _ remarks: inout [String]
  ) throws(MeasurementError) -> [Double] {
    let counter = { () throws(MeasurementError) -> [Double] in
      try sides.map { (name, side) throws(MeasurementError) in try hardware(name, side) }
    }
    guard let callgrind else {
      do throws(MeasurementError) { return try counter() } catch {
        throw .failed("\(error); callgrind, which could count instead, is not installed")
      }
    }
    if reason == nil, try Case(name: sides[1].0).workload.threads == 1 {
      do throws(MeasurementError) { return try counter() } catch { reason = "\(error)" }
    }
    let counted = try sides.map { (name, side) throws(MeasurementError) in
      try callgrind.instructions(of: name, executable: side.executable, libraries: side.libraries)
    }
    if let note = counted[1].note, !remarks.contains(note) { remarks.append(note) }
    return counted.map(\.perBlur)
  }

  private static func hardware(_ name: String, _ side: SideProcesses) throws(MeasurementError) -> Double {
    let process = try side.start()
    if let problem = try process.open(0, BenchRequest(name)).problem { throw .failed(problem) }
    return try process.instructions(0)
  }
}
