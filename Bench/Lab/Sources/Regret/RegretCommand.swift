import ArgumentParser
import BlurMeasurement
import BlurRecords
import BlurText
import Foundation

/// The command `lab regret`, which measures how good the choices of the library are.
struct RegretCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "regret",
    abstract: "Measure how much longer the chosen kernel takes than the fastest one.",
    discussion: """
      The problems are random. Three ways of choosing a kernel are compared: always the same kernel, by the \
      estimate, and by measured times, as `blurbench tune` measures them.

      Example:
        lab regret --seed 7
      """)

  @Option(help: "The number of random problems.") var count = 60
  @Option(help: "The seed of the random problems.") var seed: UInt64 = 1
  @Option(
    help: ArgumentHelp(
      "The time in which the kernels are tuned for all problems together.", valueName: "seconds"))
  var budget = 60.0
  @Option(
    help: ArgumentHelp("Write the figures and their origin to a file.", valueName: "FILE.json"),
    completion: .file(extensions: ["json"]))
  var output: String?

  func validate() throws {
    guard (1...10_000).contains(count) else {
      throw ValidationError("--count \(count): must be from 1 to 10000")
    }
    guard budget > 0, budget.isFinite else {
      throw ValidationError("--budget \(budget): must be above 0 seconds")
    }
    if let output, !output.hasSuffix(".json") {
      throw ValidationError("--output '\(output)': must end with .json")
    }
  }

  func run() throws {
    let (machine, start) = (Machine.current, Date())
    for warning in machine.warnings { Terminal.say("warning: \(warning)") }
    let found = try RegretRun().measure(
      count: count, seed: seed, cores: machine.cores, tuning: budget / Double(count)
    ) {
      Terminal.progress($0.line)
    }
    Terminal.progress("")
    if let output {
      let provenance = Provenance(
        machine: machine, build: .current(), suite: "problems of seed \(seed)", suiteText: "\(seed) \(count)",
        command: CommandLine.arguments, date: start)
      try TextFile.write(try found.figures(seed: seed, provenance), to: output)
    }
    print(found.text, terminator: "")
  }
}
