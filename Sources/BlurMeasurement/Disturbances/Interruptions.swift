import BlurRecords
import Foundation

/// How often the system took a core away from this process.
enum Interruptions {
  /// `RUSAGE_SELF`, whose type differs from system to system.
  private static let thisProcess: Int32 = 0

  /// Involuntary context switches of all threads since the process began.
  static var count: Int {
    var usage = rusage()
    getrusage(thisProcess, &usage)
    return usage.ru_nivcsw
  }
}
