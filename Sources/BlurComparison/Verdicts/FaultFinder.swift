import BlurRecords
import Foundation

/// Compares results rather than times.
package struct FaultFinder {
  /// How much errors may grow: another order of additions in a float kernel is no fault.
  static let slack = 1.01
  /// Levels below which errors are not told apart: rounding of floats.
  static let leastLevels = 1e-4

  /// Whether errors and outputs must stay as they are: those of one kernel in two builds.
  package var comparesErrors: Bool, comparesOutputs: Bool

  /// Says what must stay as it is.
  package init(comparesErrors: Bool, comparesOutputs: Bool) {
    self.comparesErrors = comparesErrors
    self.comparesOutputs = comparesOutputs
  }

  /// What is worse in the head than in the base.
  package func faults(base: Findings, head: Findings) -> [Fault] {
    if let problem = head.problem {
      if head.isWrong { return base.isWrong ? [] : [Fault(.wrong, problem)] }
      return base.problem == nil ? [Fault(.missing, problem)] : []
    }
    guard base.problem == nil else { return [] }
    var faults: [Fault] = []
    if comparesErrors, let old = base.maxErrorLevels, let new = head.maxErrorLevels,
      new > max(old * Self.slack, Self.leastLevels)
    {
      faults.append(Fault(.error, "\(levels(new)), where it was \(levels(old))"))
    }
    if comparesOutputs, let old = base.outputHash, let new = head.outputHash, old != new {
      let error = comparesErrors && faults.isEmpty ? "; the error did not grow" : ""
      faults.append(Fault(.output, "hash \(new), where it was \(old)\(error)"))
    }
    return faults
  }

  private func levels(_ value: Double) -> String { String(format: "%.3g levels", value) }
}
