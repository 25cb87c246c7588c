import BlurRecords
import CLinux
import Foundation

/// A group of CPU hardware counters that start and stop together. They count the events that the calling
/// thread causes in user space, such as executed instructions.
///
/// Only Linux offers these counters, and virtual machines and containers often hide them.
package struct CounterGroup: ~Copyable {
  private let files: [Int32]

  /// Whether this process can count instructions with the hardware counters.
  package static var canCountInstructions: Bool {
    do throws(MeasurementError) { _ = try CounterGroup([PERF_COUNTER_INSTRUCTIONS]) } catch { return false }
    return true
  }

  /// Opens one counter of each kind for the calling thread.
  ///
  /// - Throws: ``MeasurementError/failed(_:)`` with a sentence that says why a counter cannot be opened.
  init(_ kinds: [perf_counter_kind]) throws(MeasurementError) {
    var files: [Int32] = []
    for kind in kinds {
      let file = perf_counter_open(kind, files.first ?? -1)
      guard file >= 0 else {
        for file in files { close(file) }
        throw .failed("no hardware counters: \(Self.reason(-file, paranoia: Self.paranoia))")
      }
      files.append(file)
    }
    self.files = files
  }

  deinit { for file in files { close(file) } }

  /// Runs `body` and returns how many events each counter has counted, in the order in which the counters
  /// were requested. Work on other threads is not counted. The result is nil if the counters were unavailable
  /// for part of the time.
  func count(_ body: () -> Void) -> [UInt64]? {
    guard perf_counter_start(files[0]) == 0 else { return nil }
    body()
    guard perf_counter_stop(files[0]) == 0 else { return nil }
    var values = [UInt64](repeating: 0, count: files.count)
    for (index, file) in files.enumerated() {
      guard perf_counter_read(file, &values[index]) == 0 else { return nil }
    }
    return values
  }

  /// Returns a sentence that says why the counters could not be opened and, if possible, what the user can do
  /// about it.
  static func reason(_ code: Int32, paranoia: Int?) -> String {
    let words = String(cString: strerror(code)).lowercased()
    switch code {
    case ENOENT, ENODEV, EOPNOTSUPP:
      return "this machine does not offer such counters, which is common on virtual machines (\(words))"
    case ENOSYS:
      return "this system does not have the system call perf_event_open"
    case EACCES, EPERM:
      guard let paranoia, paranoia > 2 else {
        return "the system does not permit programs to use them, which is common in containers (\(words))"
      }
      return "kernel.perf_event_paranoid is \(paranoia); as root, run: sysctl kernel.perf_event_paranoid=2"
    default:
      return words
    }
  }

  private static var paranoia: Int? {
    let text = try? String(contentsOfFile: "/proc/sys/kernel/perf_event_paranoid", encoding: .utf8)
    return text.flatMap { Int($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
  }
}
