import Blur
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
    /// Median wall time in nanoseconds.
    public let median: Double
    /// The median over that of the fastest in the same group.
    public internal(set) var ratio: Double
    /// The median over the memcpy's.
    public let memcpyRatio: Double?
    /// Largest error in levels, and signal-to-noise ratio in dB.
    public let maxErrorLevels: Double, psnr: Double?
    /// Whether no other kernel is better in both time and error.
    public internal(set) var isPareto: Bool
  }

  /// The kernels of one workload, by group and then by time.
  public struct Block: Encodable, Sendable {
    /// The workload in a few words, and its number of threads.
    public let workload: String, threads: Int
    public let entries: [Entry]
  }

  /// A kernel's geometric mean over the workloads where it is in one group.
  public struct Mean: Encodable, Sendable {
    public let kernel: String, quality: Quality, threads: Int
    /// The geometric mean of ``Entry/ratio``.
    public let ratio: Double
    /// Over how many workloads, of how many with that number of threads.
    public let count: Int, all: Int
  }

  public let blocks: [Block]
  public let means: [Mean]

  /// Ranks records; rows without a time or an error are left out.
  public init(_ records: [Record]) {
    let measured = records.filter { $0.isMeasured && !$0.isCopy }
    blocks = measured.inGroups { $0.item?.workload }.map { workload, records in
      let entries = records.inGroups(by: \.item).compactMap { Entry($0.key, $0.elements) }
      return Block(workload: workload.title, threads: workload.threads, entries: Self.ranked(entries))
    }
    means = Self.means(of: blocks)
  }

  private static func ranked(_ entries: [Entry]) -> [Entry] {
    Quality.allCases.flatMap { quality in
      let group = entries.filter { $0.quality == quality }.sorted {
        ($0.median, $0.kernel) < ($1.median, $1.kernel)
      }
      return group.map { entry in
        var entry = entry
        entry.ratio = entry.median / group[0].median
        entry.isPareto = !entries.contains { $0.isBetter(than: entry) }
        return entry
      }
    }
  }

  private static func means(of blocks: [Block]) -> [Mean] {
    let keys = blocks.flatMap { block in
      block.entries.map { Key(threads: block.threads, quality: $0.quality, kernel: $0.kernel) }
    }
    let all = Set(keys).map { key in
      let ratios = blocks.filter { $0.threads == key.threads }.flatMap { block in
        block.entries.filter { $0.kernel == key.kernel && $0.quality == key.quality }.map(\.ratio)
      }
      return Mean(
        kernel: key.kernel, quality: key.quality, threads: key.threads,
        ratio: exp(ratios.map { log($0) }.reduce(0, +) / Double(ratios.count)), count: ratios.count,
        all: blocks.count { $0.threads == key.threads })
    }
    return all.sorted {
      ($0.threads, $0.quality.rank, $0.ratio, $0.kernel) < ($1.threads, $1.quality.rank, $1.ratio, $1.kernel)
    }
  }

  private struct Key: Hashable {
    let threads: Int
    let quality: Quality
    let kernel: String
  }
}

extension Ranking.Entry {
  init?(_ item: Case, _ records: [Record]) {
    guard let median = Statistics.median(records.compactMap(\.realTime)),
      let error = records.compactMap(\.maxErrorLevels).max()
    else { return nil }
    kernel = item.kernel
    isa = item.isa.name
    quality = Ranking.Quality(levels: error, format: item.workload.layout.format)
    self.median = median
    memcpyRatio = Statistics.median(records.compactMap(\.memcpyRatio))
    maxErrorLevels = error
    psnr = records.first?.psnr
    ratio = 1
    isPareto = false
  }

  /// At least as good in time and error, and better in one of them.
  func isBetter(than other: Self) -> Bool {
    median <= other.median && maxErrorLevels <= other.maxErrorLevels
      && (median < other.median || maxErrorLevels < other.maxErrorLevels)
  }
}
