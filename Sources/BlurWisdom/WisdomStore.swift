import Blur

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A wisdom file to which problems are added while they are measured.
public struct WisdomStore {
  /// The current contents of the store.
  public private(set) var wisdom: Wisdom
  /// The blur problems of the old file, if the store was opened with `renew`. Their times were discarded, so
  /// these problems have to be measured again. The old file may come from another machine or kernel revision.
  package private(set) var forgotten: [MeasuredProblem] = []
  private let path: String
  private var written = ContinuousClock.now

  /// Opens the wisdom file at `path`, or starts a new one if there is none.
  ///
  /// - Parameter renew: Whether to start with an empty store. The problems in the old file are then moved to
  ///   ``forgotten``.
  /// - Throws: ``WisdomFile/Failure`` if the file holds something other than wisdom. Unless `renew` is true,
  ///   the error is also thrown if the file is damaged, or was measured on another machine or with other
  ///   kernels.
  public init(
    _ path: String, renew: Bool, processor: Processor = .current
  ) throws(WisdomFile.Failure) {
    self.path = path
    wisdom = Wisdom(processor, date: Self.now)
    do throws(WisdomFile.Failure) {
      if renew {
        forgotten = try WisdomFile.read(path).problems.compactMap { $0.measured }
      } else {
        wisdom = try WisdomFile.load(path, for: processor)
      }
    } catch {
      switch error {
      case .missing: break
      // Even with `renew`, a file of another kind is not replaced, so a mistyped path cannot overwrite a file
      // such as a measurement record.
      case .otherKind: throw error
      default: if !renew { throw error }
      }
    }
  }

  /// Returns the items that still have to be measured, because the store has no times or only noisy times for
  /// them. Items without any times come first, followed by items with noisy times.
  ///
  /// - Parameter problem: A closure that returns the blur problem of an item. A blur problem is an image
  ///   layout, a sigma, an edge mode and a number of threads.
  package func missing<Item, E: Error>(
    of items: [Item], by problem: (Item) throws(E) -> MeasuredProblem
  ) throws(E) -> [Item] {
    var isNoisy: [MeasuredProblem: Bool] = [:]
    for problem in wisdom.problems {
      if let measured = problem.measured { isNoisy[measured] = problem.noisy == true }
    }
    var (missing, noisy): ([Item], [Item]) = ([], [])
    for item in items {
      switch isNoisy[try problem(item)] {
      case nil: missing.append(item)
      case true?: noisy.append(item)
      case false?: break
      }
    }
    return missing + noisy
  }

  /// Adds problems, replacing older entries for the same problems, and writes the file.
  ///
  /// - Parameter isLater: Whether writing may be postponed if the file was written less than a second ago.
  /// - Throws: ``WisdomFile/Failure/unwritable(path:reason:)``. In that case, the old file stays unchanged.
  public mutating func add(
    _ problems: [Wisdom.Problem], isLater: Bool = false
  ) throws(WisdomFile.Failure) {
    wisdom.merge(problems)
    wisdom.date = Self.now
    guard !isLater || ContinuousClock.now - written > .seconds(1) else { return }
    try WisdomFile.write(wisdom, to: path)
    written = .now
  }

  /// Adds the times in `table`, such as those that this process measured while it made plans, and writes the
  /// file. Problems that are already in this store are left unchanged.
  ///
  /// - Throws: ``WisdomFile/Failure/unwritable(path:reason:)``. In that case, the old file stays unchanged.
  public mutating func add(_ table: MeasuredTimes) throws(WisdomFile.Failure) {
    let known = Set(wisdom.problems.compactMap(\.measured))
    try add(
      table.all.filter { !known.contains($0.problem) }.map { problem, times in
        Wisdom.Problem(
          problem,
          times: times.map {
            Wisdom.Time(kernel: $0.kernel, isa: $0.instructionSet.name, ns: $0.nanoseconds)
          })
      })
  }

  private static var now: String { Date().ISO8601Format() }
}
