import Blur
import BlurText

/// The fastest kernel of a workload that keeps a bound, by records, and why the others were not taken.
public struct Selection: Encodable, Sendable {
  /// What a kernel's error is known by.
  public enum Evidence: Sendable {
    /// Its promise for any image, or a certificate; the measured picture must agree.
    case promise
    /// The measured picture alone.
    case picture
  }

  /// A kernel with an instruction set.
  public struct Entry: Encodable, Sendable {
    public let kernel: String, isa: String
    /// Median wall time in nanoseconds.
    public var time: Double?
    /// The largest error on the measured picture, and that of any image by promise and by certificate; in
    /// levels.
    public var maxErrorLevels: Double?, promisedLevels: Double?, certifiedLevels: Double?
    /// The time over that of the kernel that was taken.
    public var slowdown: Double?
    /// Why it was not taken; nil for the one that was.
    public var reason: String?

    private enum CodingKeys: String, CodingKey {
      case kernel, isa
      case time = "timeNs"
      case maxErrorLevels, promisedLevels, certifiedLevels, slowdown, reason
    }

    /// Whether it keeps the bound and has a time, so that it would do.
    var isFit: Bool { reason == nil || slowdown != nil }
  }

  /// The workload in a few words, and the accepted error in levels.
  public let workload: String, threads: Int, bound: Double
  /// Whether it is an interface scene: errors are then the screen's, promises those of its blur.
  let isOfScene: Bool
  /// What is taken; nil if nothing keeps the bound.
  public package(set) var chosen: Entry?
  /// The next best kernel's time over that of the one taken, and its name.
  public let margin: Double?, runnerUp: String?
  /// All others: those that would do by time, then the rest.
  public let others: [Entry]

  private enum CodingKeys: String, CodingKey {
    case workload, threads
    case bound = "boundLevels"
    case chosen, margin, runnerUp, others
  }

  /// Selects by the records of one workload.
  ///
  /// - Parameters:
  ///   - evidence: what errors are known by.
  ///   - kernels: whose promises are believed. Others must have a certificate.
  public init(
    _ workload: Workload, _ records: [Record], within bound: ErrorBound, by evidence: Evidence = .promise,
    kernels: [Kernel]
  ) {
    let cases = records.filter { $0.item?.workload == workload && !$0.isCopy }.inGroups(by: \.item)
    let entries = cases.map { Entry($0.key, $0.elements, within: bound.levels, by: evidence, kernels) }
    let fit = entries.filter { $0.reason == nil }.sorted {
      ($0.time ?? .infinity, $0.kernel) < ($1.time ?? .infinity, $1.kernel)
    }
    let best = fit.first
    let next = fit.first { $0.kernel != best?.kernel }
    let slowdown = { (entry: Entry) in (entry.time ?? .infinity) / (best?.time ?? 1) }
    let slower = fit.dropFirst().map { entry in
      var entry = entry
      let ratio = slowdown(entry)
      entry.slowdown = ratio
      entry.reason = "takes \(ratio.fixed(2))x as long"
      return entry
    }
    let unmeasured = kernels.filter { kernel in !entries.contains { $0.kernel == kernel.name } }.map {
      kernel in
      Entry(notMeasured: kernel, workload.layout.format, within: bound)
    }
    self.workload = workload.title
    isOfScene = workload.scene != nil
    threads = workload.threads
    self.bound = bound.levels
    chosen = best
    margin = next.map(slowdown)
    runnerUp = next?.kernel
    others = slower + entries.filter { $0.reason != nil } + unmeasured
  }

  /// Why a kernel without records is not taken.
  static let notMeasured = "not measured"

  /// What is said of a kernel; nil if nothing is known of it.
  func entry(of kernel: String) -> Entry? {
    chosen?.kernel == kernel ? chosen : others.first { $0.kernel == kernel }
  }

  /// One selection for each workload of the records, in their order.
  public static func all(_ records: [Record], within bound: ErrorBound, kernels: [Kernel]) -> [Selection] {
    records.inGroups { $0.item?.workload }.map { workload, records in
      Selection(workload, records, within: bound, kernels: kernels)
    }
  }
}

extension Selection.Entry {
  fileprivate init(
    _ item: Case, _ records: [Record], within bound: Double, by evidence: Selection.Evidence,
    _ kernels: [Kernel]
  ) {
    kernel = item.kernel
    isa = item.isa.name
    time = Statistics.median(records.filter(\.isMeasured).compactMap(\.realTime))
    maxErrorLevels = records.compactMap(\.maxErrorLevels).max()
    certifiedLevels = records.compactMap(\.certifiedLevels).max()
    let promise = kernels.first { $0.name == item.kernel }?.promise
    promisedLevels = promise?.bound(for: item.workload.layout.format)
    if let wrong = records.first(where: \.errorOccurred) {
      reason = "wrong: \(wrong.errorMessage)"
    } else if let skipped = records.first(where: \.isSkipped) {
      reason = "refused: \(skipped.errorMessage)"
    } else if (time ?? 0) <= 0 {
      reason = "has no time"
    } else if evidence == .picture && maxErrorLevels == nil {
      reason = "has no measured error"
    } else {
      reason = (evidence == .promise ? excess(within: bound) : nil) ?? objection(within: bound)
    }
  }

  /// A kernel without records.
  fileprivate init(notMeasured kernel: Kernel, _ format: PixelFormat, within bound: ErrorBound) {
    self.kernel = kernel.name
    isa = kernel.instructionSet(upTo: .best).name
    promisedLevels = kernel.promise.bound(for: format)
    reason =
      bound.allows(kernel, for: format)
      ? Selection.notMeasured : excess(within: bound.levels)
  }

  /// Why the error of some image may be too large for the bound. A kernel without a promise needs a
  /// certificate.
  private func excess(within bound: Double) -> String? {
    if let promisedLevels {
      guard promisedLevels <= bound else {
        return "over the bound: promises \(promisedLevels.threeDigits) levels > \(bound.threeDigits)"
      }
    } else {
      guard let certifiedLevels else { return "promises no bound on its error" }
      guard certifiedLevels <= bound else {
        return "over the bound: certified \(certifiedLevels.threeDigits) levels > \(bound.threeDigits)"
      }
    }
    return nil
  }

  /// Why the error on the measured picture is too large for the bound.
  private func objection(within bound: Double) -> String? {
    guard let maxErrorLevels, maxErrorLevels > bound else { return nil }
    return "over the bound: off by \(maxErrorLevels.threeDigits) levels > \(bound.threeDigits) on the picture"
  }
}
