import Blur
import BlurText
import Foundation

/// Kernels in the order of their times, workload by workload, among those of like quality.
///
/// Workloads include the number of threads, so that thread counts are never mixed.
public struct Ranking: Encodable, Sendable {
  /// How near to the truth a result is, by the largest error on the verified picture: in levels for 8-bit
  /// formats, as a share of full scale for the others.
  public enum Quality: String, CaseIterable, Encodable, Sendable {
    case withinHundredThousandth = "within 1e-5 of full scale"
    case withinThousandth = "within 1e-3 of full scale"
    case withinOne = "within 1 level"
    case withinThree = "within 3 levels"
    case looser = "looser"

    /// Whether the result is within 1 level of the Gaussian in 8 bits, within 10⁻³ of full scale otherwise.
    var isNear: Bool { ![.withinThree, .looser].contains(self) }

    /// The place in the order of tables.
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

  /// One kernel on one workload.
  public struct Entry: Encodable, Sendable {
    public let kernel: String, isa: String
    /// The group that the largest error puts it in.
    public let quality: Quality
    /// Wall time in nanoseconds.
    public let time: Estimate
    /// The slowdown: the median over that of the fastest with the same bound, which is in the same group or
    /// in a stricter one.
    public internal(set) var ratio: Estimate
    /// The time over that of the fastest memcpy.
    public let memcpyRatio: Estimate?
    /// Largest error on the measured picture, that of any picture by certificate, both in levels; and
    /// signal-to-noise ratio in dB.
    public let maxErrorLevels: Double, certifiedLevels: Double?, psnr: Double?
    /// Whether no other kernel is better in both time and error.
    public internal(set) var isPareto: Bool
  }

  /// The kernels of one workload, by group and then by time.
  public struct Block: Encodable, Sendable {
    /// The workload in a few words, and its number of threads.
    public let workload: String, threads: Int
    public let entries: [Entry]
  }

  /// One number for a kernel over all workloads, with what limits it.
  public struct Score: Encodable, Sendable {
    public let kernel: String, isa: String
    /// The geometric mean of ``Entry/ratio``. Its interval lets all cells be off in the same direction.
    public let slowdown: Estimate
    /// The largest ratio, and the workload that has it.
    public let worst: Double, worstWorkload: String
    /// The loosest group that the kernel is in, and on how many workloads.
    public let bound: Quality, boundCount: Int
    /// On how many workloads it has a time, of how many that have any.
    public let count: Int, all: Int
    /// Workloads without a time of it: how many were refused or left out, and had a wrong result.
    public let skipped: Int, wrong: Int
  }

  /// A wrong result, which has no place among the others.
  public struct Wrong: Encodable, Sendable {
    public let kernel: String, isa: String
    /// The workload in a few words, and its number of threads.
    public let workload: String, threads: Int
    /// What is wrong.
    public let message: String
  }

  public let blocks: [Block]
  public let scores: [Score]
  /// Cases with a wrong result, in the order of the records.
  public let wrong: [Wrong]

  /// Ranks records; rows without a time or an error are left out.
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
    let cells = blocks.flatMap { block in block.entries.map { Cell(block: block, entry: $0) } }
    let missing = Dictionary(grouping: others) { Key($0.item?.kernel ?? "", $0.isa) }
    let scores = cells.inGroups { Key($0.entry.kernel, $0.entry.isa) }.compactMap { key, cells in
      Score(key, cells, all: blocks.count, missing: missing[key] ?? [])
    }
    return scores.sorted {
      ($0.bound.rank, $0.all - $0.count, $0.slowdown.median, $0.kernel)
        < ($1.bound.rank, $1.all - $1.count, $1.slowdown.median, $1.kernel)
    }
  }

  /// An entry and where it stands.
  fileprivate struct Cell {
    let block: Block
    let entry: Entry
  }

  fileprivate struct Key: Hashable {
    let kernel: String, isa: String
    init(_ kernel: String, _ isa: String) { (self.kernel, self.isa) = (kernel, isa) }
  }
}

extension Ranking.Score {
  fileprivate init?(
    _ key: Ranking.Key, _ cells: [Ranking.Cell], all: Int, missing: [Record]
  ) {
    let ratios = cells.map(\.entry.ratio)
    guard let slowdown = Estimate(geometricMeanOf: ratios),
      let worst = cells.max(by: { $0.entry.ratio.median < $1.entry.ratio.median }),
      let bound = cells.map(\.entry.quality).max(by: { $0.rank < $1.rank })
    else { return nil }
    (kernel, isa, self.slowdown) = (key.kernel, key.isa, slowdown)
    (self.worst, worstWorkload) = (worst.entry.ratio.median, worst.block.title)
    (self.bound, boundCount) = (bound, cells.count { $0.entry.quality == bound })
    (count, self.all) = (cells.count, all)
    wrong = Set(missing.filter(\.errorOccurred).map(\.name)).count
    skipped = Set(missing.filter(\.isSkipped).map(\.name)).count
  }
}

extension Ranking.Block {
  /// The workload and its number of threads.
  var title: String { Ranking.title(workload, threads) }
}

extension Ranking.Wrong {
  /// A line about it.
  var line: String { "WRONG \(kernel) \(isa), \(Ranking.title(workload, threads)): \(message)" }
}

extension Ranking {
  fileprivate static func title(_ workload: String, _ threads: Int) -> String {
    "\(workload), \(threads.of("thread"))"
  }
}

extension Ranking.Entry {
  init?(_ item: Case, _ records: [Record]) {
    guard let time = Estimate(records.compactMap(\.realTime)), time.low > 0,
      let error = records.compactMap(\.maxErrorLevels).max()
    else { return nil }
    kernel = item.kernel
    isa = item.isa.name
    quality = Ranking.Quality(levels: error, format: item.workload.layout.format)
    self.time = time
    memcpyRatio = Estimate(ratioToMemcpy: records)
    maxErrorLevels = error
    certifiedLevels = records.compactMap(\.certifiedLevels).max()
    psnr = records.first?.psnr
    ratio = Estimate(median: 1, low: 1, high: 1)
    isPareto = false
  }

  /// At least as good in time and error, and better in one of them.
  func isBetter(than other: Self) -> Bool {
    time.median <= other.time.median && maxErrorLevels <= other.maxErrorLevels
      && (time.median < other.time.median || maxErrorLevels < other.maxErrorLevels)
  }
}
