import ArgumentParser
import Blur
import BlurComparison
import BlurMeasurement
import Foundation

/// `blurbench compare`: is one side slower than the other, or wrong?
struct CompareCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compare",
    abstract: "Say whether one side is slower than another, or wrong, with an exit code for CI.",
    usage: """
      blurbench compare BASE HEAD [--suite NAME] [options]
      blurbench compare --kernel A --kernel B [options]
      """,
    discussion: """
      A side is a built blurbench, a folder with its sources, a git revision, a plug-in (.so, .dylib, .py), or records \
      (.csv). All but records are measured now, in processes that take turns. Verdicts: regressed, improved, same, \
      can't tell; a change counts from half the threshold on, and when a second measurement in reversed order agrees. \
      Wrong results, errors that grew and outputs that changed are regressions whatever the time.

      Exit codes: 0 no regression, 1 could not do it, 3 a regression, 4 cannot tell, 64 usage.
      """)

  @Argument(help: ArgumentHelp("What is compared: the old side, then the new one.", valueName: "side"))
  var sides: [String] = []
  @Option(help: "A kernel (repeatable): only these; without sides, the first is compared with the others.")
  var kernel: [String] = []
  @OptionGroup var options: CompareOptions
  @OptionGroup var lists: WorkloadLists
  @OptionGroup var foreign: ForeignOptions

  func validate() throws {
    guard sides.count == 2 || (sides.isEmpty && kernels.count > 1) else {
      throw ValidationError("name two sides to compare, or two kernels with --kernel A --kernel B")
    }
  }

  private var kernels: [String] { kernel.flatMap { $0.split(separator: ",").map(String.init) } }

  func run() throws {
    do {
      let comparison = try compare()
      try options.show(comparison)
      switch comparison.outcome {
      case .good: break
      case .regressed: throw ExitCode.checkFailed
      case .cannotTell: throw ExitCode.cannotTell
      }
    } catch let error as MeasurementError where error.isUsage {
      throw ValidationError(error.description)
    }
  }

  private func compare() throws(MeasurementError) -> Comparison {
    guard !sides.isEmpty else { return try compareKernels() }
    return try compareBuilds(try Side(sides[0]), try Side(sides[1]))
  }

  // MARK: Kernels

  private func compareKernels() throws(MeasurementError) -> Comparison {
    let plan = try plan(foreign)
    let cases = plan.jobs.filter { $0.cases.count == kernels.count }.map { $0.cases.map(\.name) }
    guard !cases.isEmpty else {
      throw .usage("--kernel: needs kernels that differ, and one --isa: best, or the widest allowed")
    }
    let process = try processes(foreign, executable: nil, title: "blurbench")
    let comparison = PairedComparison(
      kernels: cases, in: process, options.comparison, progress: options.progress)
    try comparison.measure()
    return comparison.result(
      base: kernels[0], head: kernels.dropFirst().joined(separator: ", "), method: .kernels)
  }

  // MARK: Builds

  private func compareBuilds(_ base: Side, _ head: Side) throws(MeasurementError) -> Comparison {
    let names = try plan(foreign.adding(head)).jobs.flatMap { $0.cases.map(\.name) }
    let comparison = PairedComparison(
      names, base: try processes(of: base, sides[0]), head: try processes(of: head, sides[1]),
      options.comparison, progress: options.progress)
    try comparison.measure()
    return comparison.result(base: sides[0], head: sides[1], method: .processes)
  }

  private func processes(of side: Side, _ title: String) throws(MeasurementError) -> SideProcesses {
    let executable = try side.executable { Terminal.say($0) }
    return try processes(foreign.adding(side), executable: executable, title: title)
  }

  private func processes(
    _ foreign: ForeignOptions, executable: String?, title: String
  ) throws(MeasurementError) -> SideProcesses {
    let executable = executable ?? Bundle.main.executablePath ?? CommandLine.arguments[0]
    let libraries = try foreign.libraries()
    return SideProcesses(
      title: title, executable: executable, libraries: libraries, patience: foreign.kernelTimeout
    ) { () throws(MeasurementError) in
      let process = try foreign.worker(["pace"] + libraries)
      process.executableURL = URL(filePath: executable)
      return process
    }
  }

  private func plan(_ foreign: ForeignOptions) throws(MeasurementError) -> MeasurementPlan {
    try MeasurementPlan(
      suite: options.suite,
      lists: lists.given(kernels: kernel.isEmpty ? nil : kernels.joined(separator: ",")),
      filter: options.filter, cores: Machine.current.cores,
      kernels: Registry.kernels + foreign.described().map(\.elsewhere))
  }
}

extension ForeignOptions {
  /// These, and the plug-in of a side.
  fileprivate func adding(_ side: Side) -> ForeignOptions {
    var all = self
    if let path = side.plugin {
      if path.hasSuffix(".py") { all.python.append(path) } else { all.plugin.append(path) }
    }
    return all
  }
}
