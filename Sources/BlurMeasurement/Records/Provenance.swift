import Blur
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
  /// How many cores' worth of work two or more threads got done, if that was probed; see ``SpinProbe``.
  public var effectiveCores: Double?
  /// How many threads that probe had.
  public var probedThreads: Int?
  /// Which share of the suite this run measures, where several machines do.
  public var shardPlan: ShardPlan?

  /// Gathers what is known.
  public init(machine: Machine, suite: String, suiteText: String, command: [String], date: Date) {
    self.machine = machine
    self.suite = suite
    suiteHash = PixelHash.of(text: suiteText)
    self.command = command
    self.date = date
  }

  /// Finds out how many cores so many threads really get; nothing to find out for one.
  public mutating func probeCores(threads: Int, stopwatch: some Stopwatch = GoogleBenchmark()) {
    guard threads > 1 else { return }
    probedThreads = threads
    effectiveCores = SpinProbe.effectiveCores(threads: threads, stopwatch: stopwatch)
  }

  /// What makes the times doubtful, for a person.
  public var warnings: [String] {
    var warnings = machine.warnings
    if let cores = effectiveCores, let threads = probedThreads, cores < 0.8 * Double(threads) {
      warnings.append(
        "\(threads) threads got the work of \(cores.twoDigits) cores done: times with threads are doubtful")
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
      ("effective cores", effectiveCores.map(\.twoDigits) ?? "not probed"),
      ("widest instruction set", machine.isa.name), ("mhz stated", machine.megahertz.short),
      ("caches", caches.isEmpty ? "unknown" : caches.listed), ("system", machine.system),
      ("governor", machine.governor ?? "unknown"),
      ("frequency scaling", machine.isScaling.map { $0 ? "on" : "off" } ?? "unknown"),
      ("load average", machine.loadAverage.map(\.twoDigits).listed),
      ("compiler", Self.compiler ?? "unknown"), ("build", Build.type),
      ("instruction sets built", InstructionSet.available.map(\.name).listed),
      ("git revision", Self.gitRevision ?? "not in a checkout"),
      ("warnings", warnings.isEmpty ? "none" : warnings.joined(separator: "; ")),
    ]
    return (lines + (shardPlan?.lines ?? [])).map { "\($0): \($1.oneLine)\n" }.joined()
  }

  /// The same for the JSON document.
  public var context: JSONText {
    machine.context(
      date: date, executable: command.first ?? "blurbench",
      custom: [("suite", suite), ("suite_hash", suiteHash), ("command", command.joined(separator: " "))])
  }

  // Asked once, for to start other programs takes a while.
  private static let compiler = firstLine(of: ["swift", "--version"])

  private static let gitRevision: String? = {
    guard let revision = firstLine(of: ["git", "rev-parse", "HEAD"]) else { return nil }
    let changed = firstLine(of: ["git", "status", "--porcelain"]) != nil
    return revision + (changed ? ", with uncommitted changes" : "")
  }()

  /// The first line that a program prints, or nil when it is absent, fails, or says nothing.
  private static func firstLine(of command: [String]) -> String? {
    guard let finished = try? FinishedProcess(command), finished.isGood else { return nil }
    return finished.output.split(separator: "\n").first.map(String.init)
  }
}

extension Double {
  /// The number with two digits after the point, for a person.
  var twoDigits: String { String(format: "%.2f", self) }
}
