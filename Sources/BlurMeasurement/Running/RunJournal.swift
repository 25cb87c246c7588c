import BlurRecords
import Dispatch
import Foundation
import Synchronization

/// Collects the records of a run. New records are written to disk immediately, and all records are shown when
/// the run ends or is interrupted.
public final class RunJournal: Sendable {
  private struct State {
    let files: RecordFiles?
    var records: [Record]
    var watch: SpeedShiftDetector
  }

  private let state: Mutex<State>
  private let build: String
  private let show: @Sendable ([Record]) -> Void
  /// The records of an earlier run that this run continues.
  private let kept: [Record]

  /// Creates a journal.
  ///
  /// - Parameters:
  ///   - files: The files to which the records are written, or nil to write no files.
  ///   - build: The hash of the program that measures (see ``BuildIdentity/hash``).
  ///   - show: Shows the records to the user.
  public init(_ files: sending RecordFiles?, build: String, show: @escaping @Sendable ([Record]) -> Void) {
    self.show = show
    self.build = build
    kept = files?.kept ?? []
    state = Mutex(State(files: files, records: kept, watch: SpeedShiftDetector(kept)))
  }

  /// Returns the names of the cases that an earlier run has already measured.
  ///
  /// - Parameter process: The index of the measuring process, or nil for a run with a single process.
  public func done(inProcess process: Int? = nil) -> Set<String> {
    kept.names(inProcess: process)
  }

  /// Adds the records of one workload to the journal and writes them to the files.
  public func add(_ new: [Record]) throws(MeasurementError) {
    try state.withLock { (state) throws(MeasurementError) in
      var new = state.watch.marked(new).map(\.rounded)
      for index in new.indices { new[index].build = build }
      try state.files?.append(new)
      state.records += new
    }
  }

  /// Shows all records and returns them.
  public func finish() -> [Record] {
    let records = state.withLock { $0.records }
    show(records)
    return records
  }

  /// Installs a handler for Ctrl-C and for requests to terminate. The handler shows all records that the
  /// journal has collected so far, and then ends the program. The exit code is 128 plus the signal's number.
  ///
  /// - Parameter say: Tells the user about the interruption. The handler calls this function with all
  ///   collected records, after it has shown them.
  public func endOnInterrupt(say: @escaping @Sendable ([Record]) -> Void) {
    Self.sources = [SIGINT, SIGTERM].map { number in
      #if canImport(Darwin)
        // On Darwin, the signal must be ignored here, because its default action would end the program before
        // the dispatch source below receives the signal. On Linux, the signal must not be ignored, because
        // Dispatch installs its own handler, and an ignored signal would never reach it.
        signal(number, SIG_IGN)
      #endif
      let source = DispatchSource.makeSignalSource(signal: number)
      source.setEventHandler { [self] in
        // The lock keeps other threads from writing records while the handler shows the records.
        state.withLock { state in
          show(state.records)
          say(state.records)
        }
        fflush(nil)
        _exit(128 + number)
      }
      source.activate()
      return source
    }
  }

  // SAFETY: the array only keeps the signal sources alive. It is never read, and `endOnInterrupt`, which sets
  // it, is called once.
  private nonisolated(unsafe) static var sources: [any DispatchSourceSignal] = []
}
