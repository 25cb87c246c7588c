import BlurRecords
import Foundation

/// Compares results rather than times.
package struct FaultFinder {
  /// How much errors may grow: another order of additions in a float kernel is no fault.
  static let slack = 1.01
  /// Levels below which errors are not told apart: rounding of floats.
  static let leastLevels = 1e-4

  private let comparesResults: Bool
  private let options: ComparisonOptions

  /// - Parameters:
  ///   - comparesResults: whether promises, errors and outputs must stay as they are: those of one kernel in
  ///     two builds.
  ///   - options: say what is accepted.
  package init(comparesResults: Bool, _ options: ComparisonOptions) {
    self.comparesResults = comparesResults
    self.options = options
  }

  /// What is worse in the head than in the base.
  package func faults(base: Findings, head: Findings) -> [Fault] {
    results(base, head).map { kind, reason in
      let isAccepted =
        switch kind.acceptance {
        case .outputs: options.acceptsOutputs
        case .gone: options.acceptsGone
        default: false
        }
      return Fault(kind, reason, isAccepted: isAccepted)
    }
  }

  private func results(_ base: Findings, _ head: Findings) -> [(Fault.Kind, String)] {
    if let problem = head.problem, !head.isWrong {
      return base.problem == nil ? [(head.isGone == true ? .gone : .refused, problem)] : []
    }
    // Also where the base was wrong: a promise that is loosened is no way to become right.
    let promise = comparesResults ? loosened(base, head).map { [(Fault.Kind.promise, $0)] } ?? [] : []
    if let problem = head.problem { return (base.isWrong ? [] : [(.wrong, problem)]) + promise }
    guard base.problem == nil, comparesResults else { return promise }
    var faults = promise
    if let old = base.maxErrorLevels, let new = head.maxErrorLevels,
      new > max(old * Self.slack, Self.leastLevels)
    {
      faults.append((.error, "\(NumberText.levels(new)), where it was \(NumberText.levels(old))"))
    }
    if let old = base.outputHash, let new = head.outputHash, old != new {
      let error =
        faults.isEmpty
        ? "; the largest error did not grow (`blurbench verify` says whether all became darker or brighter)"
        : ""
      faults.append((.output, "other bits\(Self.difference(base, head))\(error)"))
    }
    return faults
  }

  /// By how much two results that were held to the truth can differ, in words.
  private static func difference(_ base: Findings, _ head: Findings) -> String {
    guard let old = base.maxErrorLevels, let new = head.maxErrorLevels else { return "" }
    return "; the two differ by at most \(NumberText.levels(old + new)), the sum of their errors"
  }

  /// How the head promises less than the base, in words; nil where it does not, or where one does not say.
  private func loosened(_ base: Findings, _ head: Findings) -> String? {
    guard base.promise != nil, let promise = head.promise, let old = base.promisedLevels else { return nil }
    guard let new = head.promisedLevels else { return "\(NumberText.levels(old)) → \(promise)" }
    return new > old ? "\(NumberText.levels(old)) → \(NumberText.levels(new))" : nil
  }
}
