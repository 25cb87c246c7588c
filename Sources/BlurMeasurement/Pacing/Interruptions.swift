import Foundation

/// How often the system took a core away from this process.
enum Interruptions {
  /// Involuntary context switches of all threads since the process began.
  static var count: Int {
    var usage = rusage()
    getrusage(RUSAGE_SELF, &usage)
    return usage.ru_nivcsw
  }
}
