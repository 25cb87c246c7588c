/// A kernel that was chosen automatically, and the reason for the choice.
public struct Choice: Sendable, CustomStringConvertible {
  /// The source of a kernel's time: a measurement, an estimate, or none.
  public enum Basis: String, Sendable {
    /// The kernel was measured on this machine, for exactly this problem.
    case measured = "measured time"
    /// The time was estimated: the kernel says how many operations of each kind the blur needs, and each of
    /// these numbers is multiplied by the known time of one such operation.
    case estimate
    /// No time is known. In this case, the choice prefers kernels that come later in the list of kernels,
    /// because they are more elaborate.
    case order = "order of the list"
  }

  /// The second-best kernel, which follows the chosen kernel in the ranking.
  public struct RunnerUp: Sendable {
    /// The name of the kernel.
    public let kernel: String
    /// The time of this kernel divided by the time of the chosen kernel. It is nil if the ratio is unknown or
    /// below 1.
    public let slowdown: Double?
    /// The source of the two times that ``slowdown`` compares. If the second-best kernel was measured, both
    /// times are measurements. Otherwise, both times are estimates, or no time is known.
    public let basis: Basis
  }

  /// The kernel that was chosen.
  public let kernel: Kernel
  /// The instruction set that the kernel runs with.
  public let instructionSet: InstructionSet
  /// The measured or estimated wall time for blurring the wanted region, in nanoseconds, or nil if no time is
  /// known.
  public let time: Double?
  /// The source of ``time``: a measurement, an estimate, or none.
  public let basis: Basis
  /// The second-best kernel, or nil if no other kernel stays within the error bound.
  public internal(set) var runnerUp: RunnerUp?

  /// A one-line description of the choice.
  public var description: String {
    let predicted = time.map { ", \(Self.milliseconds($0)) ms" } ?? ""
    let next = runnerUp.map { next in
      let by = next.basis == basis ? "" : " by \(next.basis.rawValue)"
      return "; next \(next.kernel)"
        + (next.slowdown.map { ", \(Self.rounded($0, 100))x as long\(by)" } ?? "")
    }
    return "\(kernel.name) (\(instructionSet.name)) by \(basis.rawValue)\(predicted)\(next ?? "")"
  }

  private static func milliseconds(_ nanoseconds: Double) -> String { rounded(nanoseconds / 1e6, 1e4) }

  private static func rounded(_ value: Double, _ steps: Double) -> String {
    ((value * steps).rounded() / steps).formattedShort
  }
}
