/// A kernel that was chosen, and why.
public struct Choice: Sendable, CustomStringConvertible {
  /// What times are known by.
  public enum Basis: String, Sendable {
    /// This very problem was measured on this machine.
    case measured = "measured time"
    /// Operations were counted, and multiplied with the constants of the instruction set.
    case estimate
    /// None: the more elaborate kernel goes first.
    case order = "order of the list"
  }

  /// The next best kernel.
  public struct RunnerUp: Sendable {
    /// Its name.
    public let kernel: String
    /// How many times as long it would take; nil where neither times nor estimates say.
    public let slowdown: Double?
    /// What that is known by: an estimate where the next kernel was not measured.
    public let basis: Basis
  }

  /// The kernel.
  public let kernel: Kernel
  /// The instruction set that it runs with.
  public let instructionSet: InstructionSet
  /// The wall time of a blur of the wanted region, in nanoseconds; nil where the basis is the order.
  public let time: Double?
  /// What it is known by.
  public let basis: Basis
  /// What would be next; nil for the last.
  public internal(set) var runnerUp: RunnerUp?

  /// One line of text.
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
