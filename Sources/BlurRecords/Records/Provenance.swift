import Blur
import BlurText
import Foundation

/// A description of where results come from: the machine, the program, the suite and the command. It is
/// written as text to a file next to the results.
public struct Provenance: Sendable {
  /// The computer on which the results were measured.
  public var machine: Machine
  /// The suite's name, and a hash of its text.
  public var suite: String, suiteHash: String
  /// The program and the arguments of the command that produced the results.
  public var command: [String]
  /// The time at which the run began.
  public var date: Date
  /// The identity of the program that produced the results.
  public var build: BuildIdentity
  /// The name of each external kernel, and the kernel's own description of itself, which includes the version
  /// of its library.
  public var externalKernels: [(name: String, summary: String)] = []
  /// The names of the files with external kernels, and the hash of each file.
  public var files: [(name: String, hash: String)] = []
  /// The number of cores that the threads actually got when several of them ran at the same time, or nil if
  /// this was not measured. On a virtual machine, it can be lower than the number of threads.
  public var effectiveCores: Double?
  /// The number of threads that worked at the same time when ``effectiveCores`` was measured.
  public var probedThreads: Int?
  /// Facts about the shard that the run measures, or nil if it measures the whole suite.
  public var shard: ShardFacts?

  /// Creates the provenance of a run.
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

  /// Warnings about conditions that make the measured times unreliable.
  public var warnings: [String] {
    var warnings = machine.warnings
    if let cores = effectiveCores, let threads = probedThreads, cores < 0.8 * Double(threads) {
      warnings.append(
        "\(threads) threads together did only the work of \(cores.fixed(2)) cores, so times with several "
          + "threads are unreliable")
    }
    return warnings
  }

  /// The provenance as lines of the form `key: value`.
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
    return (lines + build.lines + files + kernels + (shard?.lines ?? [])).map { "\($0): \($1.oneLine)\n" }
      .joined()
  }

  /// The provenance as the `context` object of Google Benchmark's JSON document. Keys that Google Benchmark
  /// itself does not write come last.
  ///
  /// `library_build_type` states how this program was built. Google Benchmark would state how its own library
  /// was built, which is always `debug` in Debian's package.
  public var context: JSONText {
    let caches = machine.caches.map { cache in
      JSONText.object([
        ("type", .string(cache.type)), ("level", .integer(cache.level)), ("size", .integer(cache.size)),
        ("num_sharing", .integer(cache.sharing)),
      ])
    }
    let scaling = machine.isScaling.map { [("cpu_scaling_enabled", JSONText.bool($0))] } ?? []
    let custom: [(String, String)] =
      [
        ("program", build.hash), ("git_revision", build.revision ?? BuildIdentity.unknown),
        ("compiler", build.compiler), ("build_flags", build.flags), ("suite", suite),
        ("suite_hash", suiteHash), ("command", command.joined(separator: " ")),
      ] + externalKernels.map { ("kernel_" + $0.name, $0.summary) }
    return .object(
      [
        ("date", .string(date.ISO8601Format())), ("host_name", .string(machine.hostName)),
        ("executable", .string(command.first ?? "blurbench")), ("num_cpus", .integer(machine.cores)),
        ("mhz_per_cpu", .integer(Int(machine.megahertz.rounded()))),
      ] + scaling + [
        ("caches", .array(caches)), ("load_avg", .array(machine.loadAverage.map { .number($0) })),
        ("library_build_type", .string(BuildIdentity.currentConfiguration)),
        ("machine_key", .string(machine.key)),
      ] + custom.map { ($0.0, .string($0.1)) })
  }
}
