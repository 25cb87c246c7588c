import BlurMeasurement
import Dispatch
import Foundation
import Synchronization

/// The records of a run as they arrive: on the disk first, shown when the run ends or is interrupted.
final class RunJournal: Sendable {
  private struct State {
    let files: RecordFiles?
    var records: [Record]
    var watch: SpeedWatch
  }

  private let state: Mutex<State>
  private let show: @Sendable ([Record]) -> Void
  /// Names of cases that need not be measured again.
  let done: Set<String>

  /// - Parameter show: shows records to the user.
  init(_ files: sending RecordFiles?, show: @escaping @Sendable ([Record]) -> Void) {
    self.show = show
    let kept = files?.kept ?? []
    done = files?.done ?? []
    state = Mutex(State(files: files, records: kept, watch: SpeedWatch(kept)))
  }

  /// Adds the records of a workload.
  func add(_ new: [Record]) throws(MeasurementError) {
    try state.withLock { (state) throws(MeasurementError) in
      let new = state.watch.marked(new)
      try state.files?.append(new)
      state.records += new
    }
  }

  /// Shows all records.
  func finish() -> [Record] {
    let records = state.withLock { $0.records }
    show(records)
    return records
  }

  /// From now on, Ctrl-C and termination show what there is and end the program with 128 and the signal's number.
  func endOnInterrupt(_ output: String?) {
    Interrupt.handle { [self] in
      // Locked until the end, so that no record is half written.
      state.withLock { state in
        Terminal.progress("")
        show(state.records)
        let cases = Set(state.records.map(\.name)).count
        let saved =
          output.map { "are saved in \($0); --resume goes on with them" } ?? "are shown above; none are saved"
        Terminal.say("interrupted: \(cases) cases \(saved)")
      }
    }
  }
}

/// Signals that ask the program to end.
enum Interrupt {
  // SAFETY: kept alive here, never read.
  private nonisolated(unsafe) static var sources: [any DispatchSourceSignal] = []

  /// Calls `body` on SIGINT or SIGTERM, then ends the program with 128 and the signal's number.
  static func handle(_ body: @escaping @Sendable () -> Void) {
    sources = [SIGINT, SIGTERM].map { number in
      #if canImport(Darwin)
        // Elsewhere Dispatch takes the signal itself, and one that is ignored would not reach it.
        signal(number, SIG_IGN)
      #endif
      let source = DispatchSource.makeSignalSource(signal: number)
      source.setEventHandler {
        body()
        fflush(nil)
        _exit(128 + number)
      }
      source.activate()
      return source
    }
  }
}
