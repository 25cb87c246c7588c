import Blur
import BlurText

/// The choice of a kernel for one workload: the fastest kernel whose error stays within a bound. The choice
/// is based on records. For every other kernel, the selection contains the reason why it was not chosen.
public struct Selection: Encodable, Sendable {
  /// A kernel and its instruction set, with its time and errors.
  public struct Entry: Encodable, Sendable {
    public let kernel: String, isa: String
    /// The median wall time in nanoseconds.
    public var time: Double?
    /// Three errors in levels: the largest error on the test image, the largest error that the kernel
    /// promises for any image, and the largest error that is certified for any image.
    public var maxErrorLevels: Double?, promisedLevels: Double?, certifiedLevels: Double?
    /// The time divided by the time of the chosen kernel. It is set only for kernels that are accurate enough
    /// but slower than the chosen kernel.
    public var slowdown: Double?
    /// The reason why the kernel was not chosen, or nil for the chosen kernel.
    public var reason: String?

    private enum CodingKeys: String, CodingKey {
      case kernel, isa
      case time = "timeNs"
      case maxErrorLevels, promisedLevels, certifiedLevels, slowdown, reason
    }
  }

  /// The workload in a few words, its number of threads, and the largest accepted error in levels.
  public let workload: String, threads: Int, bound: Double
  /// Whether the workload is an interface scene. This matters because a scene's error is measured on the
  /// finished screen, whereas a kernel's promise covers only the blur, and not the colour effects that follow
  /// it.
  let isOfScene: Bool
  /// The chosen kernel, or nil if no kernel is accurate enough.
  public package(set) var chosen: Entry?
  /// The time of the next best kernel divided by the time of the chosen kernel, and the name of the next best
  /// kernel.
  public let margin: Double?, runnerUp: String?
  /// All other kernels: first the kernels that are accurate enough but slower than the chosen kernel, then
  /// the rest.
  public let others: [Entry]

  private enum CodingKeys: String, CodingKey {
    case workload, threads
    case bound = "boundLevels"
    case chosen, margin, runnerUp, others
  }

  /// Selects a kernel from the records of one workload.
  ///
  /// - Parameters:
  ///   - kernels: The kernels whose promises are trusted. Any other kernel is chosen only if its error was
  ///     certified.
  public init(_ workload: Workload, _ records: [Record], within bound: ErrorBound, kernels: [Kernel]) {
    let cases = records.filter { $0.item?.workload == workload && !$0.isCopy }.inGroups(by: \.item)
    let entries = cases.map { Entry($0.key, $0.elements, within: bound.levels, kernels) }
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
      entry.reason = "takes \(ratio.fixed(2)) times as long"
      return entry
    }
    let unmeasured = kernels.filter { kernel in !entries.contains { $0.kernel == kernel.name } }.map {
      kernel in
      Entry(notMeasured: kernel, workload.blurredFormat, within: bound)
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

  /// Returns one selection for each workload, in the order of the records.
  public static func all(_ records: [Record], within bound: ErrorBound, kernels: [Kernel]) -> [Selection] {
    records.inGroups { $0.item?.workload }.map { workload, records in
      Selection(workload, records, within: bound, kernels: kernels)
    }
  }
}

extension Selection.Entry {
  fileprivate init(_ item: Case, _ records: [Record], within bound: Double, _ kernels: [Kernel]) {
    kernel = item.kernel
    isa = item.isa.name
    time = Statistics.median(records.filter(\.isMeasured).compactMap(\.realTime))
    maxErrorLevels = records.compactMap(\.maxErrorLevels).max()
    certifiedLevels = records.compactMap(\.certifiedLevels).max()
    let promise = kernels.first { $0.name == item.kernel }?.promise
    promisedLevels = promise?.bound(for: item.workload.blurredFormat)
    if let wrong = records.first(where: \.errorOccurred) {
      reason = "wrong: \(wrong.errorMessage)"
    } else if let skipped = records.first(where: \.isSkipped) {
      reason = "skipped: \(skipped.errorMessage)"
    } else if (time ?? 0) <= 0 {
      reason = "has no valid time"
    } else {
      reason = excess(within: bound) ?? objection(within: bound)
    }
  }

  /// Creates the entry of a kernel that was not measured, with the reason why it cannot be chosen.
  fileprivate init(notMeasured kernel: Kernel, _ format: PixelFormat, within bound: ErrorBound) {
    self.kernel = kernel.name
    isa = kernel.instructionSet(upTo: .best).name
    promisedLevels = kernel.promise.bound(for: format)
    reason = bound.allows(kernel, for: format) ? "not measured" : excess(within: bound.levels)
  }

  /// Returns the reason why the kernel's error may exceed the bound on some image, or nil if it never exceeds
  /// the bound. The promised error counts or, if the kernel promises none, the certified error.
  private func excess(within bound: Double) -> String? {
    if let promisedLevels {
      guard promisedLevels <= bound else {
        return "its promised error is \(promisedLevels.threeDigits) levels; allowed: \(bound.threeDigits)"
      }
    } else {
      guard let certifiedLevels else { return "promises no bound on its error" }
      guard certifiedLevels <= bound else {
        return "its certified error is \(certifiedLevels.threeDigits) levels; allowed: \(bound.threeDigits)"
      }
    }
    return nil
  }

  /// Returns a message if the kernel's error on the test image exceeds the bound, or nil otherwise.
  private func objection(within bound: Double) -> String? {
    guard let maxErrorLevels, maxErrorLevels > bound else { return nil }
    return "its error on the test image is \(maxErrorLevels.threeDigits) levels; "
      + "allowed: \(bound.threeDigits)"
  }
}
