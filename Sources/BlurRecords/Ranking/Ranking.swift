import Blur
import BlurText
import Foundation

/// A ranking of kernels by time. Each workload is ranked separately, and only kernels of similar accuracy are
/// compared with each other.
///
/// The number of threads is part of the workload, so times with different numbers of threads are never
/// compared.
public struct Ranking: Encodable, Sendable {
  /// A group of results with similar accuracy. The largest error on the test image decides which group a
  /// result belongs to. The error is measured in levels for 8-bit formats, and as a fraction of full scale
  /// for all other formats.
  public enum Quality: String, CaseIterable, Encodable, Sendable {
    case withinHundredThousandth = "within 1e-5 of full scale"
    case withinThousandth = "within 1e-3 of full scale"
    case withinOne = "within 1 level"
    case withinThree = "within 3 levels"
    case looser = "looser"
    /// The result is so far from the Gaussian that the kernel may be broken, or may not be a Gaussian blur at
    /// all.
    case suspect = "suspect"

    /// Whether the error against the Gaussian is at most 1 level in 8-bit formats, or at most 10⁻³ of full
    /// scale in other formats.
    var isNear: Bool { ![.withinThree, .looser, .suspect].contains(self) }

    /// The position of the group in tables. The most accurate group comes first.
    fileprivate var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }

    init(levels: Double, format: PixelFormat) {
      if format.component == .uint8 {
        self = levels <= 1 ? .withinOne : levels <= 3 ? .withinThree : .looser
      } else {
        let fine = Promise.exact(levels: 1, share: 1e-5).bound(for: format) ?? 0
        self = levels <= fine ? .withinHundredThousandth : levels <= 0.255 ? .withinThousandth : .looser
      }
    }
  }

  /// The result of one kernel on one workload.
  public struct Entry: Encodable, Sendable {
    public let kernel: String, isa: String
    /// The accuracy group of the result, which follows from its largest error.
    public let quality: Quality
    /// The wall time in nanoseconds.
    public let time: Estimate
    /// The slowdown: the time divided by the time of the fastest kernel in the same accuracy group or in a
    /// more accurate group.
    public internal(set) var ratio: Estimate
    /// The time divided by the time of the fastest memcpy of the same image.
    public let memcpyRatio: Estimate?
    /// Three measures of accuracy: the largest error on the test image in levels, the certified largest error
    /// on any image in levels, and the peak signal-to-noise ratio in dB.
    public let maxErrorLevels: Double, certifiedLevels: Double?, psnr: Double?
    /// For a result in the group ``Quality/suspect``, a phrase that states the largest error, the achieved
    /// sigma and the requested sigma. For all other results, the value is nil.
    public let doubt: String?
    /// Whether the kernel is on the Pareto front: no other kernel is at least as good in both time and error,
    /// and better in at least one of the two.
    public internal(set) var isPareto: Bool
  }

  /// The results on one workload, sorted by accuracy group and then by time.
  public struct Block: Encodable, Sendable {
    /// The workload in a few words, and its number of threads.
    public let workload: String, threads: Int
    public let entries: [Entry]

    /// The workload, followed by its number of threads.
    var title: String { "\(workload), \(threads.of("thread"))" }
  }

  /// A kernel's average slowdown over all workloads, with facts that help to interpret it, such as the number
  /// of skipped workloads.
  public struct Score: Encodable, Sendable {
    public let kernel: String, isa: String
    /// The geometric mean of the kernel's slowdowns (``Entry/ratio``) over all workloads.
    ///
    /// The lower end of the confidence interval is the geometric mean of all the slowdowns' lower ends, and
    /// the upper end is the geometric mean of their upper ends. This makes the interval wide, because it
    /// assumes that all slowdowns err in the same direction.
    public let slowdown: Estimate
    /// The kernel's largest slowdown on any workload, and the workload on which it occurs.
    public let worst: Double, worstWorkload: String
    /// The accuracy group of the kernel's least accurate result, and the number of the kernel's results in
    /// this group.
    public let bound: Quality, boundCount: Int
    /// The ``Entry/doubt`` of the kernel's first suspect result, or nil if the kernel has no suspect result.
    public let doubt: String?
    /// The number of workloads on which this kernel was timed, and the number of workloads on which at least
    /// one kernel was timed.
    public let count: Int, all: Int
    /// The number of workloads on which the kernel was skipped, and the number of workloads on which its
    /// result was wrong.
    public let skipped: Int, wrong: Int
  }

  /// A case with a wrong result, which is listed separately from the ranking.
  public struct Wrong: Encodable, Sendable {
    public let kernel: String, isa: String
    /// The workload in a few words, and its number of threads.
    public let workload: String, threads: Int
    /// A message that says what is wrong with the result.
    public let message: String

    /// A line of text about the wrong result.
    var line: String { "WRONG \(kernel) \(isa), \(workload), \(threads.of("thread")): \(message)" }
  }

  public let blocks: [Block]
  public let scores: [Score]
  /// The cases whose results were wrong, in the order of the records. They are not ranked.
  public let wrong: [Wrong]

  /// Ranks kernels by the times and errors in their records. Records without a time or without a measured
  /// error are not ranked.
  public init(_ records: [Record]) {
    let kernels = records.filter { !$0.isCopy }
    let measured = kernels.filter(\.isMeasured)
    let workloads = Set(measured.compactMap { $0.item?.workload })
    let others = kernels.filter { record in
      !record.isMeasured && record.item.map { workloads.contains($0.workload) } ?? false
    }
    blocks = measured.inGroups { $0.item?.workload }.map { workload, records in
      let entries = records.inGroups(by: \.item).compactMap { Entry($0.key, $0.elements) }
      return Block(workload: workload.title, threads: workload.threads, entries: Self.ranked(entries))
    }
    scores = Self.scores(of: blocks, without: others)
    wrong = kernels.filter(\.errorOccurred).inGroups(by: \.item).map { item, records in
      Wrong(
        kernel: item.kernel, isa: item.isa.name, workload: item.workload.title,
        threads: item.workload.threads, message: records[0].errorMessage)
    }
  }

  /// Returns a line for each case that has a time but cannot be ranked, with the reason.
  public static func leftOut(of records: [Record]) -> [String] {
    records.filter { $0.isMeasured && !$0.isCopy }.inGroups(by: \.name).compactMap { name, records in
      if records[0].item == nil {
        do { _ = try Case(name: name) } catch { return "\(error)" }
      }
      return records.contains { $0.maxErrorLevels != nil } ? nil : "\(name): no error was measured"
    }
  }

  private static func ranked(_ entries: [Entry]) -> [Entry] {
    Quality.allCases.flatMap { quality in
      let bounded = entries.filter { $0.quality.rank <= quality.rank }
      let fastest = bounded.min { $0.time.median < $1.time.median }
      let group = bounded.filter { $0.quality == quality }.sorted {
        ($0.time.median, $0.kernel) < ($1.time.median, $1.kernel)
      }
      return group.map { entry in
        var entry = entry
        if let fastest, fastest.time.median < entry.time.median {
          entry.ratio = entry.time / fastest.time
        }
        entry.isPareto = !entries.contains { $0.isBetter(than: entry) }
        return entry
      }
    }
  }

  private static func scores(of blocks: [Block], without others: [Record]) -> [Score] {
    let cells = blocks.flatMap { block in block.entries.map { (block: block, entry: $0) } }
    let missing = Dictionary(grouping: others) { [$0.item?.kernel ?? "", $0.isa] }
    let scores = cells.inGroups { [$0.entry.kernel, $0.entry.isa] }.compactMap { key, cells in
      Score(cells, all: blocks.count, missing: missing[key] ?? [])
    }
    return scores.sorted {
      ($0.bound.rank, $0.all - $0.count, $0.slowdown.median, $0.kernel)
        < ($1.bound.rank, $1.all - $1.count, $1.slowdown.median, $1.kernel)
    }
  }
}

extension Ranking.Score {
  /// Computes the score of one kernel from its results on all workloads. In each cell, `entry` is the
  /// kernel's result on one workload, and `block` holds the results of all kernels on this workload.
  fileprivate init?(_ cells: [(block: Ranking.Block, entry: Ranking.Entry)], all: Int, missing: [Record]) {
    let ratios = cells.map(\.entry.ratio)
    guard let slowdown = Estimate(geometricMeanOf: ratios),
      let worst = cells.max(by: { $0.entry.ratio.median < $1.entry.ratio.median }),
      let bound = cells.map(\.entry.quality).max(by: { $0.rank < $1.rank })
    else { return nil }
    (kernel, isa, self.slowdown) = (worst.entry.kernel, worst.entry.isa, slowdown)
    (self.worst, worstWorkload) = (worst.entry.ratio.median, worst.block.title)
    (self.bound, boundCount) = (bound, cells.count { $0.entry.quality == bound })
    doubt = cells.compactMap(\.entry.doubt).first
    (count, self.all) = (cells.count, all)
    wrong = Set(missing.filter(\.errorOccurred).map(\.name)).count
    skipped = Set(missing.filter(\.isSkipped).map(\.name)).count
  }
}

extension Ranking.Entry {
  init?(_ item: Case, _ records: [Record]) {
    guard let time = Estimate(records.compactMap(\.realTime)), time.low > 0,
      let error = records.compactMap(\.maxErrorLevels).max()
    else { return nil }
    kernel = item.kernel
    isa = item.isa.name
    let achieved = records.compactMap(\.achievedSigma).first
    doubt = Self.doubt(error, requested: item.workload.sigma, achieved: achieved)
    quality =
      doubt == nil ? Ranking.Quality(levels: error, format: item.workload.layout.format) : .suspect
    self.time = time
    memcpyRatio = Estimate(ratioToMemcpy: records)
    maxErrorLevels = error
    certifiedLevels = records.compactMap(\.certifiedLevels).max()
    psnr = records.first?.psnr
    ratio = Estimate(median: 1, low: 1, high: 1)
    isPareto = false
  }

  /// Returns a phrase that states the error and the achieved sigma if either of them shows that the blur is
  /// hardly a Gaussian with the requested sigma. Returns nil otherwise. The achieved sigma may be off by a
  /// third, or by 0.8 if sigma is small, because box filters can only have whole numbers as widths.
  private static func doubt(_ error: Double, requested sigma: Double, achieved: Double?) -> String? {
    let isWrongSigma = achieved.map { abs($0 - sigma) > max(sigma / 3, 0.8) } ?? false
    guard isWrongSigma || error > 127.5 else { return nil }
    let blur = achieved.map { ", achieved sigma \($0.threeDigits) instead of \(sigma.short)" } ?? ""
    return "error \(error.threeDigits) levels\(blur)"
  }

  /// Returns whether this entry is at least as good as the other entry in both time and error, and better in
  /// at least one of the two.
  func isBetter(than other: Self) -> Bool {
    time.median <= other.time.median && maxErrorLevels <= other.maxErrorLevels
      && (time.median < other.time.median || maxErrorLevels < other.maxErrorLevels)
  }
}
