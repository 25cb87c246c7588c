import BlurRecords
import CLinux
import Foundation

/// What a blur takes beside time. Each is nil where the machine does not show it, as virtual machines seldom
/// do.
struct Consumption {
  /// Nanojoules of all packages, idle parts included, per iteration.
  var energy: Double?
  /// Misses of the last cache, and of the TLB for data, per iteration; of the calling thread.
  var cacheMisses: Double?, tlbMisses: Double?

  /// RAPL counts in steps of a millisecond.
  private static let seconds = 0.2
  private static let iterations = 16.0

  /// Nothing is known.
  init() {}

  /// Blurs for a moment, where there is anything to be read.
  init(of task: TimedTask, on threads: Int, meter: EnergyMeter?, _ stopwatch: some Stopwatch) {
    if let meter, let before = meter.joules {
      let start = stopwatch.now
      var count = 0.0
      repeat {
        task.iterate()
        count += 1
      } while stopwatch.now - start < Self.seconds
      energy = meter.joules.map { meter.difference(from: before, to: $0) / count * 1e9 }
    }
    guard threads == 1,
      let counters = try? CounterGroup([PERF_COUNTER_CACHE_MISSES, PERF_COUNTER_TLB_MISSES])
    else { return }
    let counts = counters.count { for _ in 0..<Int(Self.iterations) { task.iterate() } }
    cacheMisses = counts.map { Double($0[0]) / Self.iterations }
    tlbMisses = counts.map { Double($0[1]) / Self.iterations }
  }
}

extension Record {
  /// The record with what a blur takes.
  func with(_ consumption: Consumption) -> Record {
    var record = self
    record.energy = consumption.energy
    (record.cacheMisses, record.tlbMisses) = (consumption.cacheMisses, consumption.tlbMisses)
    return record
  }
}

/// The energy that Linux reads from the CPU's packages (RAPL).
struct EnergyMeter {
  private let zones: [URL]
  /// Where all counters begin again, in joules; the smallest.
  private let range: Double

  /// - Parameter folder: where Linux shows the zones.
  /// - Returns: nil where there is none that may be read.
  init?(folder: URL = URL(filePath: "/sys/class/powercap")) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    // intel-rapl:0 is a package, intel-rapl:0:1 a part of it.
    zones = names.filter { $0.hasPrefix("intel-rapl:") && $0.split(separator: ":").count == 2 }.sorted()
      .map { folder.appending(path: $0) }
    let ranges = zones.compactMap { Self.joules($0, "max_energy_range_uj") }
    guard let least = ranges.min(), ranges.count == zones.count else { return nil }
    range = least
    guard joules != nil else { return nil }
  }

  /// Since some moment; nil where it can't be read.
  var joules: Double? {
    let all = zones.compactMap { Self.joules($0, "energy_uj") }
    return all.count == zones.count ? all.reduce(0, +) : nil
  }

  /// The joules between two readings, of which at most one counter began again.
  func difference(from before: Double, to after: Double) -> Double {
    after >= before ? after - before : after - before + range
  }

  private static func joules(_ zone: URL, _ file: String) -> Double? {
    let text = try? String(contentsOf: zone.appending(path: file), encoding: .utf8)
    return text.flatMap { Double($0.trimmingCharacters(in: .whitespacesAndNewlines)) }.map { $0 / 1e6 }
  }
}
