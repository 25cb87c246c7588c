import Blur
import BlurText

/// Detects that the machine has become slower or faster since the run began. It uses the times of the memcpy
/// that is measured alongside every workload.
///
/// The cause can be another virtual machine, heat or the clock governor, for example. Such a change is not
/// visible in individual samples, because it affects all samples alike.
public struct SpeedShiftDetector {
  /// The smallest change that counts. If a memcpy becomes slower or faster by more than this factor, the
  /// machine's speed has changed, and the records of the workload are marked with the change.
  public static let limit = 1.25
  /// The smallest number of memcpy samples that is enough to detect a change of speed within one workload. To
  /// detect such a change, the median of the earlier half of the samples is compared with the median of the
  /// later half.
  static let samplesOfHalves = 4

  /// The median memcpy times of the workloads that have been measured so far. There is one list for each kind
  /// of image that was copied.
  private var earlier: [Workload: [Double]] = [:]

  /// Creates a detector. If this run resumes an earlier run, `kept` contains the records of the earlier run,
  /// and its memcpy times are included in the comparison.
  public init(_ kept: [Record] = []) {
    for workload in Dictionary(grouping: kept.filter(\.isCopy), by: \.name).values { _ = marked(workload) }
  }

  /// Returns the records of one workload, with ``Record/speedShift`` set if the machine's speed has changed.
  public mutating func marked(_ records: [Record]) -> [Record] {
    let copies = records.filter { $0.isCopy && $0.isMeasured }
      .sorted { ($0.repetition ?? 0) < ($1.repetition ?? 0) }
    let times = copies.compactMap(\.realTime)
    guard let copy = copies.first?.item, let now = Statistics.median(times)
    else { return records }
    let usual = Statistics.median(earlier[copy.workload.copied, default: []])
    earlier[copy.workload.copied, default: []].append(now)
    let shifts = [usual.map { now / $0 }, Self.betweenHalves(times)].compactMap(\.self)
    guard let shift = shifts.max(by: { Self.size($0) < Self.size($1) }), Self.size(shift) > Self.limit
    else { return records }
    return records.map { record in
      var record = record
      record.speedShift = shift
      return record
    }
  }

  /// Returns the median time of the later half of the samples divided by the median time of the earlier half,
  /// or nil if there are too few samples.
  private static func betweenHalves(_ times: [Double]) -> Double? {
    guard times.count >= samplesOfHalves,
      let before = Statistics.median(Array(times.prefix(times.count / 2))),
      let after = Statistics.median(Array(times.suffix(times.count / 2)))
    else { return nil }
    return after / before
  }

  private static func size(_ ratio: Double) -> Double { max(ratio, 1 / ratio) }
}

extension Workload {
  /// The workload without its sigma and edge mode, because the time of a memcpy does not depend on them.
  fileprivate var copied: Workload {
    var copied = self
    (copied.sigma, copied.edge) = (0, .clamp)
    return copied
  }
}

extension [Record] {
  /// A sentence that says by how much the machine became slower or faster during the run, and on how many
  /// workloads this was seen. It is nil if the speed did not change.
  public var speedShiftNote: String? {
    let shifts = filter { $0.isCopy && $0.repetition == 0 }.compactMap(\.speedShift)
    guard let slowest = shifts.max(), let fastest = shifts.min() else { return nil }
    let place = shifts.count.of("workload")
    let ends = [fastest, slowest].map { $0.fixed(2) }
    return "the speed of the machine changed during the run: in \(place), a memcpy took "
      + (ends[0] == ends[1] ? ends[0] : ends.joined(separator: " to "))
      + " times as long as before (column speed_shift); for these workloads, compare the column x memcpy of "
      + "--verbose instead of the times"
  }
}
