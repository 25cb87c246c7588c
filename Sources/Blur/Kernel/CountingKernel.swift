/// A kernel that counts its operations.
package protocol CountingKernel: BlurKernel {
  /// The operations of a blur. Choosing asks every kernel for them: closed forms, nothing is designed or allocated.
  static func cost(_ problem: BlurProblem, _ accuracy: Accuracy, order: Int) -> Cost
}
