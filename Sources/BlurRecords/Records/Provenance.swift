import Blur
import BlurText
import Foundation

/// Where results come from: the text that stands beside them.
public struct Provenance: Sendable {
  /// The computer.
  public var machine: Machine
  /// The suite's name, and a hash of its file.
  public var suite: String, suiteHash: String
  /// The command line.
  public var command: [String]
  /// When the run began.
  public var date: Date
  /// The program.
  public var build: BuildIdentity
  /// What external kernels say of themselves, their libraries' versions among it, by name.
  public var externalKernels: [(name: String, summary: String)] = []
  /// The files with external kernels, and the hash of each.
  public var files: [(name: String, hash: String)] = []
  /// How many cores' worth of work two or more threads got done, if that was probed.
  public var effectiveCores: Double?
  /// How many threads that probe had.
  public var probedThreads: Int?
  /// Which share of the suite this run measures, where several machines do.
  public var shardPlan: ShardPlan?

  /// Gathers what is known.
  public init(
    machine: Machine, build: BuildIdentity, suite: String, suiteText: String, command: [String], date: Date
  ) {
    self.machine = machine
    self.build = build
    self.suite = suite
    suiteHash = FNV1a(of: suiteText).digits
    self.command = command
    self.date = date
  }

  /// Caveats of the times, as text.
  public var warnings: [String] {
    var warnings = machine.warnings
    if let cores = effectiveCores, let threads = probedThreads, cores < 0.8 * Double(threads) {
      warnings.append(
        "\(threads) threads got the work of \(cores.fixed(2)) cores done: times with threads are doubtful")
    }
    return warnings
  }

  /// The lines `key: value`.
  public var text: String {
    let caches = machine.caches.map { "L\($0.level) \($0.type) \($0.size / 1024) KiB / \($0.sharing) CPUs" }
    let lines: [(String, String)] = [
      ("date", date.ISO8601Format()), ("command", command.joined(separator: " ")),
      ("suite", suite), ("suite hash", suiteHash), ("kernels revision", Registry.revision),
      ("machine key", machine.key), ("cpu", machine.model),
      ("cpu flags", machine.flags), ("cores", String(machine.cores)),
      ("effective cores", effectiveCores.map { $0.fixed(2) } ?? "not probed"),
      ("widest instruction set", machine.isa.name), ("mhz stated", machine.megahertz.short),
      ("caches", caches.isEmpty ? "unknown" : caches.listed), ("system", machine.system),
      ("governor", machine.governor ?? "unknown"),
      ("frequency scaling", machine.isScaling.map { $0 ? "on" : "off" } ?? "unknown"),
      ("load average", machine.loadAverage.map { $0.fixed(2) }.listed),
      ("warnings", warnings.isEmpty ? "none" : warnings.joined(separator: "; ")),
    ]
    let kernels = externalKernels.map { ("kernel \($0.name)", $0.summary) }
    let files = files.map { ("file \($0.name)", $0.hash) }
    return (lines + build.lines + files + kernels + (shardPlan?.lines ?? [])).map { "\($0): \($1.oneLine)\n" }
      .joined()
  }

  /// The same for the JSON document.
  public var context: JSONText {
    machine.context(
      date: date, executable: command.first ?? "blurbench",
      custom: [
        ("program", build.hash), ("git_revision", build.revision ?? BuildIdentity.unknown),
        ("compiler", build.compiler), ("build_flags", build.flags), ("suite", suite),
        ("suite_hash", suiteHash),
        ("command", command.joined(separator: " ")),
      ] + externalKernels.map { ("kernel_" + $0.name, $0.summary) })
  }
}
