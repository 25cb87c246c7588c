import BlurRecords
import CLinux
import Foundation

/// The energy and the cache misses of a blur, measured under the same conditions as its times, for example
/// with empty caches or once per frame. A value is nil if the machine cannot measure it, which is common on
/// virtual machines.
struct Consumption {
  /// The energy of all CPU packages in nanojoules per iteration, including the energy of idle cores and of
  /// waiting for frames. It is nil for cold blurs, because the measurement would include the energy for
  /// emptying the caches.
  var energy: Double?
  /// The numbers of misses per iteration in the last-level cache and in the data TLB. They are counted only
  /// for the calling thread, so both are nil for a case with several threads.
  var cacheMisses: Double?, tlbMisses: Double?

  /// The number of seconds for which the energy is measured. This time is long enough for a precise result,
  /// although the RAPL energy counters advance only about once per millisecond.
  private static let seconds = 0.2
  private static let iterations = 16

  /// Creates a consumption with unknown values: the energy and the numbers of misses are nil.
  init() {}

  /// Measures the energy and the cache misses of a blur by running blurs for a moment. If the machine can
  /// measure neither energy nor cache misses, no blurs are run.
  init(of task: TimedTask, at pace: Pace, meter: EnergyMeter?, _ sampler: Sampler) {
    let start = sampler.now()
    if !pace.emptiesCaches, let meter, let before = meter.joules {
      var count = 0.0
      repeat {
        _ = sampler.begin(task, rate: pace.frameRate, since: start)
        task.iterate()
        count += 1
      } while sampler.now() - start < Self.seconds
      energy = meter.joules.map { meter.difference(from: before, to: $0) / count * 1e9 }
    }
    guard task.threads == 1 else { return }
    var counters = MissCounters()
    guard counters.isAny else { return }
    // At a steady pace, blurs follow each other directly, which keeps the caches warm. Starting and stopping
    // the counters between the blurs would disturb the caches, so all blurs are counted together.
    let together = pace.isSteady ? Self.iterations : 1
    for _ in 0..<Self.iterations / together {
      _ = sampler.begin(task, rate: pace.frameRate, since: start)
      counters.count { for _ in 0..<together { task.iterate() } }
    }
    (cacheMisses, tlbMisses) = counters.means(of: together)
  }
}

/// Counters for cache misses and TLB misses. Some CPUs have only one of the two counters.
private struct MissCounters: ~Copyable {
  private let cache = try? CounterGroup([PERF_COUNTER_CACHE_MISSES])
  private let tlb = try? CounterGroup([PERF_COUNTER_TLB_MISSES])
  private var cacheCounts: [UInt64] = [], tlbCounts: [UInt64] = []

  var isAny: Bool { cache != nil || tlb != nil }

  /// Counts the cache misses and the TLB misses while `body` runs. The two counters are started one after the
  /// other, so the first counter also counts the few misses that occur while the second one starts.
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

  /// Returns the mean number of misses per iteration, or nil for a counter that was unavailable. Each
  /// measured count covers `iterations` iterations.
  func means(of iterations: Int) -> (cache: Double?, tlb: Double?) {
    let means = [cacheCounts, tlbCounts].map { (counts) -> Double? in
      counts.isEmpty ? nil : Double(counts.reduce(0, +)) / Double(counts.count) / Double(iterations)
    }
    return (means[0], means[1])
  }
}

extension Record {
  /// Returns a copy of this record that also contains the energy and the cache misses of a blur.
  func with(_ consumption: Consumption) -> Record {
    var record = self
    record.energy = consumption.energy
    (record.cacheMisses, record.tlbMisses) = (consumption.cacheMisses, consumption.tlbMisses)
    return record
  }
}

/// Reads how much energy the CPU packages have used. Linux gets these values from the CPU's RAPL counters.
struct EnergyMeter {
  private let zones: [URL]
  /// The energy in joules after which a counter starts again at 0. If the counters have different ranges,
  /// this is the smallest range.
  private let range: Double

  /// Finds the CPU packages, or returns nil if there is no package whose energy may be read.
  ///
  /// - Parameter folder: The folder in which Linux lists the energy zones.
  init?(folder: URL = URL(filePath: "/sys/class/powercap")) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    // The zone intel-rapl:0 is a CPU package, and intel-rapl:0:1 is a part of this package. The zone psys is
    // left out, because it covers the whole platform and includes the packages.
    zones = names.filter { $0.hasPrefix("intel-rapl:") && $0.split(separator: ":").count == 2 }.sorted()
      .map { folder.appending(path: $0) }
      .filter { Self.text($0, "name")?.hasPrefix("package") ?? false }
    let ranges = zones.compactMap { Self.joules($0, "max_energy_range_uj") }
    guard let least = ranges.min(), ranges.count == zones.count else { return nil }
    range = least
    guard joules != nil else { return nil }
  }

  /// The energy in joules since a fixed moment, or nil if it cannot be read.
  var joules: Double? {
    let all = zones.compactMap { Self.joules($0, "energy_uj") }
    return all.count == zones.count ? all.reduce(0, +) : nil
  }

  /// Returns the energy in joules that was used between two readings. A counter starts again at 0 after its
  /// largest value, so the result is right only if this has happened at most once between the readings.
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
