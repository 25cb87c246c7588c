import BlurRecords
import CLinux
import Foundation

/// What a blur takes beside time, at the pace at which it is timed. Each is nil where the machine does not
/// show it, as virtual machines seldom do.
struct Consumption {
  /// Nanojoules of all packages per iteration, idle parts and the waits for frames included. Nil for cold
  /// blurs: what it takes to empty the caches cannot be told apart.
  var energy: Double?
  /// Misses of the last cache, and of the TLB for data, per iteration; of the calling thread.
  var cacheMisses: Double?, tlbMisses: Double?

  /// RAPL counts in steps of a millisecond.
  private static let seconds = 0.2
  private static let iterations = 16

  /// Nothing is known.
  init() {}

  /// Blurs for a moment, where there is anything to be read.
  init(
    of task: TimedTask, on threads: Int, at pace: Pace, meter: EnergyMeter?, _ stopwatch: some Stopwatch
  ) {
    let start = stopwatch.now
    if pace != .cold, let meter, let before = meter.joules {
      var count = 0.0
      repeat {
        _ = stopwatch.begin(task, at: pace, since: start)
        task.iterate()
        count += 1
      } while stopwatch.now - start < Self.seconds
      energy = meter.joules.map { meter.difference(from: before, to: $0) / count * 1e9 }
    }
    guard threads == 1 else { return }
    var counters = MissCounters()
    guard counters.isAny else { return }
    // Warm blurs follow each other with nothing in between, not even the counters' own steps.
    let together = pace == .warm ? Self.iterations : 1
    for _ in 0..<Self.iterations / together {
      _ = stopwatch.begin(task, at: pace, since: start)
      counters.count { for _ in 0..<together { task.iterate() } }
    }
    (cacheMisses, tlbMisses) = counters.means(of: together)
  }
}

/// Counters of misses, of which a CPU may have one and not the other.
private struct MissCounters: ~Copyable {
  private let cache = try? CounterGroup([PERF_COUNTER_CACHE_MISSES])
  private let tlb = try? CounterGroup([PERF_COUNTER_TLB_MISSES])
  private var cacheCounts: [UInt64] = [], tlbCounts: [UInt64] = []

  var isAny: Bool { cache != nil || tlb != nil }

  /// Counts once. The counters are started one after the other: what that itself misses is little.
  mutating func count(_ body: () -> Void) {
    var inner: [UInt64]?
    let outer = Self.count(cache) { inner = Self.count(tlb, body) }
    cacheCounts += outer ?? []
    tlbCounts += inner ?? []
  }

  private static func count(_ group: borrowing CounterGroup?, _ body: () -> Void) -> [UInt64]? {
    switch group {
    case .some(let group): return group.count(body)
    case .none:
      body()
      return nil
    }
  }

  /// Misses of one iteration, of `iterations` in each count; nil where another program took the counter.
  func means(of iterations: Int) -> (cache: Double?, tlb: Double?) {
    let share = Double(iterations)
    return (Self.mean(cacheCounts).map { $0 / share }, Self.mean(tlbCounts).map { $0 / share })
  }

  private static func mean(_ counts: [UInt64]) -> Double? {
    counts.isEmpty ? nil : Double(counts.reduce(0, +)) / Double(counts.count)
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
    // intel-rapl:0 is a package, intel-rapl:0:1 a part of it; the whole platform, psys, holds the packages.
    zones = names.filter { $0.hasPrefix("intel-rapl:") && $0.split(separator: ":").count == 2 }.sorted()
      .map { folder.appending(path: $0) }
      .filter { Self.text($0, "name")?.hasPrefix("package") ?? false }
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
    text(zone, file).flatMap { Double($0) }.map { $0 / 1e6 }
  }

  private static func text(_ zone: URL, _ file: String) -> String? {
    let text = try? String(contentsOf: zone.appending(path: file), encoding: .utf8)
    return text?.trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
