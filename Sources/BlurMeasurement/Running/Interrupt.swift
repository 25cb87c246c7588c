import Dispatch
import Foundation

/// Signals that ask the program to end.
enum Interrupt {
  // SAFETY: kept alive here, never read.
  private nonisolated(unsafe) static var sources: [any DispatchSourceSignal] = []

  /// Calls `body` on SIGINT or SIGTERM, then ends the program with 128 and the signal's number.
  static func handle(_ body: @escaping @Sendable () -> Void) {
    sources = [SIGINT, SIGTERM].map { number in
      #if canImport(Darwin)
        // On Linux Dispatch takes the signal itself, and one that is ignored would not reach it.
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
