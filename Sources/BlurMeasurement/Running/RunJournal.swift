import BlurRecords
import Foundation
import Synchronization

/// The records of a run as they arrive: on the disk first, shown when the run ends or is interrupted.
public final class RunJournal: Sendable {
  private struct State {
    let files: RecordFiles?
    var records: [Record]
    var watch: SpeedWatch
  }

  private let state: Mutex<State>
  private let build: String
  private let show: @Sendable ([Record]) -> Void
  /// What an earlier run has left.
  private let kept: [Record]

  /// - Parameters:
  ///   - build: the program that measures, see ``BuildIdentity/hash``.
  ///   - show: shows records to the user.
  public init(_ files: sending RecordFiles?, build: String, show: @escaping @Sendable ([Record]) -> Void) {
    self.show = show
    self.build = build
    kept = files?.kept ?? []
    state = Mutex(State(files: files, records: kept, watch: SpeedWatch(kept)))
  }

  /// Names of cases that need not be measured again, in this process of a run with several.
  public func done(inProcess process: Int? = nil) -> Set<String> {
    kept.names(inProcess: process)
  }

  /// Adds the records of a workload.
  public func add(_ new: [Record]) throws(MeasurementError) {
    try state.withLock { (state) throws(MeasurementError) in
      var new = state.watch.marked(new).map(\.rounded)
      for index in new.indices { new[index].build = build }
      try state.files?.append(new)
      state.records += new
    }
  }

  /// Shows all records.
  public func finish() -> [Record] {
    let records = state.withLock { $0.records }
    show(records)
    return records
  }

  /// From now on, Ctrl-C and termination show what there is and end the program with 128 and the signal's
  /// number.
  ///
  /// - Parameter say: is told what was shown.
  public func endOnInterrupt(say: @escaping @Sendable ([Record]) -> Void) {
    Interrupt.handle { [self] in
      // Locked until the end, so that no record is half written.
      state.withLock { state in
        show(state.records)
        say(state.records)
      }
    }
  }
}
