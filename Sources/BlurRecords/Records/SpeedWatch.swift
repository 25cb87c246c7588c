import Blur
import BlurText

/// Notices that the machine has become slower or faster since the run began, by the memcpy beside every
/// workload.
///
/// A neighbour, heat or a governor changes all times alike, and no sample by itself shows that.
public struct SpeedWatch {
  /// How far a copy may be from what it took before, as a ratio either way, until its workload is marked.
  public static let limit = 1.25
  /// With this many samples, the halves of one workload's copies are compared too.
  static let samplesOfHalves = 4

  /// Median copying times of the workloads so far, by what was copied.
  private var earlier: [Workload: [Double]] = [:]

  /// Begins with what an earlier run has left.
  public init(_ kept: [Record] = []) {
    for workload in Dictionary(grouping: kept.filter(\.isCopy), by: \.name).values { _ = marked(workload) }
  }

  /// The records of one workload, with ``Record/speedShift`` where the machine's speed has shifted.
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

  /// How much longer the later half of the copies took, where there are enough.
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
  /// What a copy beside this workload depends on: neither sigma nor edge mode.
  fileprivate var copied: Workload {
    var copied = self
    (copied.sigma, copied.edge) = (0, .clamp)
    return copied
  }
}

extension [Record] {
  /// A sentence about the workloads that were measured while the machine's speed had shifted, if
  /// any.
  public var speedShiftNote: String? {
    let shifts = filter { $0.isCopy && $0.repetition == 0 }.compactMap(\.speedShift)
    guard let slowest = shifts.max(), let fastest = shifts.min() else { return nil }
    let place = shifts.count.of("workload")
    let ends = [fastest, slowest].map { $0.fixed(2) }
    return "the machine's speed shifted: in \(place) a memcpy took "
      + (ends[0] == ends[1] ? ends[0] : ends.joined(separator: " to "))
      + " times as long as before (column speed_shift); compare the column x memcpy of --verbose there, "
      + "not times"
  }
}
