import Dispatch
import Foundation

/// Handles the signals that ask the program to end.
enum Interrupt {
  // SAFETY: the array only keeps the signal sources alive. It is never read, and `handle`, which sets it, is
  // called once.
  private nonisolated(unsafe) static var sources: [any DispatchSourceSignal] = []

  /// Makes SIGINT and SIGTERM call `body` and then end the program, with 128 plus the signal's number as exit
  /// code.
  static func handle(_ body: @escaping @Sendable () -> Void) {
    sources = [SIGINT, SIGTERM].map { number in
      #if canImport(Darwin)
        // On Darwin, the default action of the signal must be switched off, because it would end the program
        // before the dispatch source below receives the signal. On Linux, Dispatch installs its own handler,
        // and an ignored signal would never reach it.
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
