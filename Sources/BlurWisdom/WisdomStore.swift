import Blur

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A file of wisdom that grows.
public struct WisdomStore {
  /// What is in the file.
  public private(set) var wisdom: Wisdom
  /// What was in it before it was renewed, of any machine and any kernels.
  public private(set) var forgotten: [MeasuredProblem] = []
  private let path: String
  private var written = ContinuousClock.now

  /// Goes on with the file at `path`, or begins a new one.
  ///
  /// - Parameter renew: whether the store begins empty, and what stands there is ``forgotten``.
  /// - Throws: ``WisdomFile/Failure`` for a file that is damaged, or of another machine or other kernels,
  ///   unless it is renewed; for a file of another kind in any case.
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
      // What is renewed was wisdom once: a mistyped path overwrites no records.
      case .otherKind: throw error
      default: if !renew { throw error }
      }
    }
  }

  /// Those whose problems are not there yet, then those whose were noisy.
  ///
  /// - Parameter problem: what is measured of one.
  public func missing<Item, E: Error>(
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

  /// Adds problems in place of older ones, and writes the file.
  ///
  /// - Parameter isLater: whether the file may wait until a second has passed since it was written.
  /// - Throws: ``WisdomFile/Failure/unwritable(path:reason:)``; the old file is then as it was.
  public mutating func add(
    _ problems: [Wisdom.Problem], isLater: Bool = false
  ) throws(WisdomFile.Failure) {
    wisdom.merge(problems)
    wisdom.date = Self.now
    guard !isLater || ContinuousClock.now - written > .seconds(1) else { return }
    try WisdomFile.write(wisdom, to: path)
    written = .now
  }

  /// Adds what a table knows of problems that are not here yet, such as those that plans measured, and writes
  /// the file.
  ///
  /// - Throws: ``WisdomFile/Failure/unwritable(path:reason:)``; the old file is then as it was.
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

  /// Adds the problems of another file of this machine and these kernels.
  ///
  /// - Throws: ``WisdomFile/Failure`` for a file that is not, and when this one cannot be written.
  public mutating func merge(
    file: String, processor: Processor = .current
  ) throws(WisdomFile.Failure) {
    wisdom.merge(try WisdomFile.load(file, for: processor).problems)
    try add([])
  }

  private static var now: String { Date().ISO8601Format() }
}
