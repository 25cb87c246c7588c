import BlurRecords
import CLinux

/// Reports how other programs disturbed each sample. The watch runs ``CoreProbe`` before and after each
/// sample, and reads the counters of the operating system.
public final class DisturbanceWatch {
  /// The state of the machine just before a sample.
  typealias Beginning = (slowdown: Double?, clocks: SystemClocks)

  private let probe: CoreProbe
  /// Reads the counters of the whole system.
  let clocks: () -> SystemClocks
  /// Functions that read the counters of this process (`own`) and the clock frequency of the CPU
  /// (`megahertz`).
  private let own: () -> SystemClocks, megahertz: () -> Double?
  /// The amount of CPU time that other programs may use before a sample counts as disturbed, in CPU seconds
  /// per second. The same limit applies to other virtual machines.
  private static let share = 0.05
  /// The number of times that the probe must run before its shortest time is trusted.
  private static let trials = 20

  /// Creates a watch that reports how other programs on this machine disturb samples.
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

  /// Returns the state of the machine. Call this method just before taking a sample on `threads` threads.
  func begin(threads: Int) -> Beginning {
    if probe.least(threads: threads) == .infinity {
      for _ in 0..<Self.trials { _ = probe.slowdown(threads: threads) }
    }
    return (slowdown(threads), clocks())
  }

  /// Returns how much a sample was disturbed. Call this method just after the sample, and pass the value that
  /// `begin(threads:)` returned just before the sample.
  func end(_ beginning: Beginning, threads: Int) -> Disturbance {
    disturbance(clocks().load(since: beginning.clocks), beginning, threads: threads)
  }

  /// Returns how much a sample was disturbed. `load` is the load that other programs and virtual machines
  /// caused during the sample.
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

  /// Returns how much other programs slow the cores down, or nil if threads of this process are still
  /// working. Such threads slow the probe down too, so they would be mistaken for other programs.
  private func slowdown(_ threads: Int) -> Double? {
    let before = own()
    let slowdown = probe.slowdown(threads: 1)
    let after = own()
    let (process, thread) = (after.process - before.process, after.thread - before.thread)
    guard process - thread <= 0.3 * thread + 2e-6 else { return nil }
    return threads > 1 ? max(slowdown, probe.slowdown(threads: threads)) : slowdown
  }
}
