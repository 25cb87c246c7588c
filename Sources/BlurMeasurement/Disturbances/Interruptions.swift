import BlurRecords
import Foundation

/// Counts how often the operating system has taken a core away from this process.
enum Interruptions {
  /// The value of `RUSAGE_SELF`. The constant itself is not used because its type differs between operating
  /// systems.
  private static let thisProcess: Int32 = 0

  /// The number of involuntary context switches of all threads since the process started.
  static var count: Int {
    var usage = rusage()
    getrusage(thisProcess, &usage)
    return usage.ru_nivcsw
  }
}
