import BlurRecords
import Foundation

/// Compares the results of two sides, such as errors and outputs, but not their times.
package struct FaultFinder {
  /// The factor by which an error may grow before the growth counts as a fault. It allows for small
  /// differences, which occur if a kernel adds floating-point numbers in a different order than before.
  static let slack = 1.01
  /// The error in 8-bit levels below which all errors count as equal, because they come from the rounding of
  /// floats.
  static let leastLevels = 1e-4

  private let comparesResults: Bool
  private let options: ComparisonOptions

  /// Creates a fault finder.
  ///
  /// - Parameters:
  ///   - comparesResults: Whether promises, errors and outputs must stay as they are, because both sides are
  ///     builds of one kernel.
  ///   - options: The options that say which faults are accepted.
  package init(comparesResults: Bool, _ options: ComparisonOptions) {
    self.comparesResults = comparesResults
    self.options = options
  }

  /// Returns the ways in which the results of the head, the new version, are worse than those of the base,
  /// the old version. Faults that the options accept are included and marked as accepted.
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
    // A looser promise counts as a fault even if the result of the base was wrong. Loosening the promise
    // would make the wrong result acceptable without correcting the kernel.
    let promise = comparesResults ? loosened(base, head).map { [(Fault.Kind.promise, $0)] } ?? [] : []
    if let problem = head.problem { return (base.isWrong ? [] : [(.wrong, problem)]) + promise }
    guard base.problem == nil, comparesResults else { return promise }
    var faults = promise
    if let old = base.maxErrorLevels, let new = head.maxErrorLevels,
      new > max(old * Self.slack, Self.leastLevels)
    {
      faults.append((.error, "\(NumberText.levels(new)), up from \(NumberText.levels(old))"))
    }
    if let old = base.outputHash, let new = head.outputHash, old != new {
      let error = faults.isEmpty ? "; the largest error did not grow" : ""
      faults.append((.output, "some bits differ\(Self.difference(base, head))\(error)"))
    }
    return faults
  }

  /// Returns a text that says by how much the outputs of the base and the head can differ at most. The limit
  /// is the sum of their errors. The text is empty if one of the errors was not measured.
  private static func difference(_ base: Findings, _ head: Findings) -> String {
    guard let old = base.maxErrorLevels, let new = head.maxErrorLevels else { return "" }
    return "; the two outputs differ by at most \(NumberText.levels(old + new)), the sum of their errors"
  }

  /// Returns a text that describes how the kernel's promised error bound was loosened from the base to the
  /// head. It is nil if the bound was not loosened, or if one of the promises is unknown.
  private func loosened(_ base: Findings, _ head: Findings) -> String? {
    guard base.promise != nil, let promise = head.promise, let old = base.promisedLevels else { return nil }
    guard let new = head.promisedLevels else { return "\(NumberText.levels(old)) → \(promise)" }
    return new > old ? "\(NumberText.levels(old)) → \(NumberText.levels(new))" : nil
  }
}
