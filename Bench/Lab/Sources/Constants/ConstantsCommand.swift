import ArgumentParser
import Blur
import BlurMeasurement
import BlurRecords
import BlurText
import Foundation

/// The command `lab constants`, which measures the constants for estimating times.
struct ConstantsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "constants",
    abstract: "Measure the constants of the time estimate, and print them as Swift source.",
    discussion: """
      The output is an entry for the list of machines in MachineConstants.swift. Run the command in the \
      root of the repository, or name a suite.
      """)

  @Option(
    help: ArgumentHelp("The suite from whose times the constants are computed.", valueName: "FILE.yml"),
    completion: .file(extensions: ["yml"]))
  var suite = "Bench/Lab/constants.yml"

  func run() throws {
    let machine = Machine.current
    for warning in machine.warnings { Terminal.say("warning: \(warning)") }
    let workloads = try MeasurementPlan(suite: suite, cores: machine.cores).jobs.map(\.workload)
    let found = try ConstantsFit().measure(workloads) { Terminal.progress($0.line) }
    Terminal.progress("")
    if machine.cores == 1 {
      Terminal.say(
        "note: with a single core, the cost of waking threads cannot be measured; "
          + "the constants for it are those of the library")
    }
    let threads = try machine.cores == 1 ? ThreadCosts.compiled : ThreadCosts.measured()
    print(
      ConstantsFit.source(
        found, threads: threads, machine: machine.model, date: Date().ISO8601Format()), terminator: "")
  }
}
