import BlurRecords
import CLinux

/// Says of each sample what disturbed it from outside this process: probes the cores before and after it, and
/// reads what the system counts.
public final class DisturbanceWatch {
  /// What was known before a sample.
  public struct Beginning {
    let slowdown: Double?
    let clocks: SystemClocks
  }

  private let probe: CoreProbe
  /// What the system counts, what this process counts, and the clock of the CPU.
  let clocks: () -> SystemClocks
  private let own: () -> SystemClocks, megahertz: () -> Double?
  /// A sample is noisy when others took more than this share of its time from it.
  private static let share = 0.05
  /// How often the probe runs before its least time is believed.
  private static let trials = 20

  /// Watches this machine.
  public convenience init() {
    let files = MachineFiles()
    self.init(
      CoreProbe(), clocks: { .now(files) }, own: SystemClocks.own,
      megahertz: { files.currentMegahertz(cpu: Int(affinity_current())) })
  }

  init(
    _ probe: CoreProbe, clocks: @escaping () -> SystemClocks, own: @escaping () -> SystemClocks,
    megahertz: @escaping () -> Double? = { nil }
  ) {
    (self.probe, self.clocks, self.own, self.megahertz) = (probe, clocks, own, megahertz)
  }

  /// To be called before a sample on this number of threads.
  public func begin(threads: Int) -> Beginning {
    if probe.least(threads: threads) == .infinity {
      for _ in 0..<Self.trials { _ = probe.slowdown(threads: threads) }
    }
    return Beginning(slowdown: slowdown(threads), clocks: clocks())
  }

  /// To be called after it.
  public func end(_ beginning: Beginning, threads: Int) -> Disturbance {
    disturbance(clocks().load(since: beginning.clocks), beginning, threads: threads)
  }

  /// What disturbed a sample during which others took so much.
  func disturbance(
    _ load: SystemClocks.OutsideLoad, _ beginning: Beginning, threads: Int
  ) -> Disturbance {
    var disturbance = Disturbance()
    if let before = beginning.slowdown, let after = slowdown(threads) {
      disturbance.coreSlowdown = max(before, after)
    }
    if load.seconds > 0 {
      disturbance.stolenCPUs = load.stolen.map { $0 / load.seconds }
      disturbance.othersCPUs = load.others.map { $0 / load.seconds }
    }
    disturbance.throttles = load.throttles
    disturbance.megahertz = megahertz()
    disturbance.isQuiet = isQuiet(disturbance)
    return disturbance
  }

  private func isQuiet(_ disturbance: Disturbance) -> Bool? {
    let signs = [
      disturbance.coreSlowdown.map { $0 <= probe.limit }, disturbance.stolenCPUs.map { $0 <= Self.share },
      disturbance.othersCPUs.map { $0 <= Self.share }, disturbance.throttles.map { $0 == 0 },
    ].compactMap(\.self)
    return signs.isEmpty ? nil : signs.allSatisfy(\.self)
  }

  /// Nil where threads of this process are still at work and would be taken for a neighbour.
  private func slowdown(_ threads: Int) -> Double? {
    let before = own()
    let slowdown = probe.slowdown(threads: 1)
    let after = own()
    let (process, thread) = (after.process - before.process, after.thread - before.thread)
    guard process - thread <= 0.3 * thread + 2e-6 else { return nil }
    return threads > 1 ? max(slowdown, probe.slowdown(threads: threads)) : slowdown
  }
}
