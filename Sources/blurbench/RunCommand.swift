import ArgumentParser
import Blur
import BlurMeasurement
import BlurRecords
import BlurScenes
import Foundation

/// `blurbench run`: a suite verified, timed, recorded, and shown as a table.
struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Verify and time the cases of a suite, beside a memcpy of the same image.",
    discussion: """
      Lists are separated by commas. A list given here takes the place of the suite's in each of its products.

      With --output FILE.csv, FILE.csv and FILE.json are whole after every workload, so that a killed run \
      keeps what it measured and --resume goes on; FILE.txt says where the results come from. Ctrl-C shows \
      what is measured and saved so far.

      A suite may set limits for its cases: `limit: 2 ms` or `limit: 9x memcpy`, and `levels: 1`. --save \
      NAME keeps the records, this program and the plug-ins as a baseline; `compare NAME` measures later \
      ones beside it.

      Examples:
        blurbench run --kernel simd,dct --format rgba8 --sigma 2,10 --threads 1,all
        blurbench run --suite standard --output standard.csv --resume
        blurbench run --target ./blur-worker --kernel simd --sigma 2

      Exit codes: 0 measured, 1 could not do it, 3 a result was wrong or over a limit, 4 every case was \
      skipped, or some are over a limit in disturbed samples alone, 64 usage, 130 interrupted.
      """)

  @Option(
    help:
      "A suite by name, or a .yml file (default: quick; scenes with --scene, variable with --mask).",
    completion: .suite)
  var suite: String?
  @OptionGroup var lists: CaseOptions
  @OptionGroup var plugins: PluginOptions
  @OptionGroup var target: TargetOptions
  @Option(
    help: ArgumentHelp(
      "Measure only some of the cases: a regular expression on names, or key=value,….",
      valueName: "regex|key=value,…"))
  var filter: String?
  @Option(help: "Samples of each case, instead of the suite's number.") var repetitions: Int?
  @Option(help: ArgumentHelp("Seconds of one sample at least, instead of the suite's.", valueName: "seconds"))
  var minTime: Double?
  @Option(
    help: ArgumentHelp(
      "Skip cases of which a single blur takes longer, and say so in the records.", valueName: "seconds"))
  var maxCaseSeconds = 3.0
  @Option(
    help: ArgumentHelp(
      "Leave certified_levels empty where a certificate would take longer; 0 for none.", valueName: "seconds")
  )
  var certifySeconds = 5.0
  @Option(
    help: ArgumentHelp("Write FILE.csv, FILE.json and FILE.txt.", valueName: "FILE.csv"), completion: .records
  )
  var output: String?
  @Flag(help: "Go on with the files of --output: cases that are complete there are not measured again.")
  var resume = false
  @Option(
    help: ArgumentHelp(
      "Measure one of n shares of the suite; auto or auto/n asks Slurm or Kubernetes which.", valueName: "i/n"
    ), completion: .list(["auto"]))
  var shard: String?
  @Option(
    help:
      "Measure everything in N processes, one after the other; records prove regressions with 5 or more."
  )
  var processes: Int?
  @Flag(help: "Mark the times as unusable: this machine is one of several virtual nodes.")
  var virtualNode = false
  @Option(
    help: ArgumentHelp("Keep this run and this program as a baseline for `compare`.", valueName: "NAME"),
    completion: .baselines)
  var save: String?
  @Option(
    help: ArgumentHelp("Write the tables as Markdown.", valueName: "FILE.md"),
    completion: .file(extensions: ["md"]))
  var markdown: String?
  @Flag(help: "Print the tables of all cases, not only the fastest of each workload.") var verbose = false
  @Flag(help: "Print Google Benchmark's JSON document instead of tables.") var json = false
  @Flag(help: "Print the records as CSV instead of tables.") var csv = false

  func validate() throws {
    if json && csv { throw ValidationError("--json and --csv exclude each other") }
    if resume && output == nil { throw ValidationError("--resume needs --output FILE.csv") }
    if resume && target.isGiven {
      throw ValidationError(
        "--resume excludes --target: nothing tells whether the worker is the same build still")
    }
    do throws(MeasurementError) {
      if let output { _ = try RecordFiles.Paths(output) }
      if let save { try SavedRuns.check(save) }
    } catch { throw ValidationError("\(error)") }
    if let repetitions, !(1...10_000).contains(repetitions) {
      throw ValidationError("--repetitions \(repetitions): must be from 1 to 10000")
    }
    if let minTime, !(1e-6...3600).contains(minTime) {
      throw ValidationError("--min-time \(minTime): must be from 1e-6 to 3600 seconds")
    }
    if let processes, !(1...1000).contains(processes) {
      throw ValidationError("--processes \(processes): must be from 1 to 1000")
    }
    if save != nil && target.isGiven {
      throw ValidationError(
        "--save excludes --target: the worker there is not kept, and cannot be measured again")
    }
    if processes != nil && shard != nil {
      throw ValidationError("--processes and --shard exclude each other")
    }
    guard maxCaseSeconds > 0 else { throw ValidationError("--max-case-seconds: must be above 0") }
    guard certifySeconds >= 0 else { throw ValidationError("--certify-seconds: must not be below 0") }
  }

  func run() throws {
    if let failure = try measure() { throw failure }
  }

  /// Measures what is asked for, and returns what is wrong with the results, if anything.
  private func measure() throws(MeasurementError) -> ExitCode? {
    var machine = target.target.map { Machine(target: $0) } ?? .current
    machine.isVirtualNode = machine.isVirtualNode || virtualNode
    let (kernels, launcher, described) = try plugins.kernels(target)
    let plan = try plan(on: machine, kernels)
    if !target.isGiven && !plugins.peers { warnOfUnmeasured(described.map(\.name), plan) }
    let provenance = try provenance(of: plan, on: machine, kernels)
    for warning in provenance.warnings { Terminal.say("warning: \(warning)") }
    let files = try openFiles(plan, provenance)
    for note in files?.notes ?? [] { Terminal.say("note: \(note)") }
    // Peers and targets bring many kernels, which stand in the tables.
    let own = plugins.isGiven && !plugins.peers ? described.map(\.name) : []
    let journal = RunJournal(files, build: provenance.build.hash) {
      RunOutput(json: json, csv: csv, verbose: verbose, output: output, plugins: own).show($0, provenance)
    }
    journal.endOnInterrupt { [output] records in
      Terminal.progress("")
      let cases = Set(records.map(\.name)).count
      let saved =
        output.map { "are saved in \($0); --resume goes on with them" } ?? "are shown above; none are saved"
      Terminal.say("interrupted: \(cases) cases \(saved)")
    }
    let options = RunnerOptions(
      settings: plan.suite.settings, maxCaseSeconds: maxCaseSeconds, certifySeconds: certifySeconds,
      machineKey: machine.key)
    try measure(plan.jobs, options, launcher, done: journal.done(inProcess:)) {
      (new) throws(MeasurementError) in
      Terminal.progress("")
      for failure in new where failure.errorOccurred { sayWrong(failure) }
      try journal.add(new)
    }
    let records = journal.finish()
    if let markdown {
      try TextFile.write(RunOutput.markdown(records, provenance, plugins: own), to: markdown)
    }
    let after = AfterRun(records: records, provenance: provenance, plan: plan, kernels: plugins.external)
    after.say(output: output, showsNext: !json && !csv)
    if let save { try after.save(as: save) }
    return verdict(on: records, plan, cores: machine.cores)
  }

  /// A plug-in is named to be measured, and suites may name kernels of their own.
  private func warnOfUnmeasured(_ names: [String], _ plan: MeasurementPlan) {
    let measured = Set(plan.jobs.flatMap(\.cases).map(\.kernel))
    let left = names.filter { !measured.contains($0) }
    if names.isEmpty, plan.suite.entries.contains(where: { $0.kernels?.contains(Suite.plugins) == true }) {
      Terminal.say(
        "warning: `plugins` stands for nothing here: add --plugin FILE.so, --python FILE.py or --peers")
    }
    if left.isEmpty { return }
    Terminal.say(
      "warning: \(left.listed) not measured: the suite names its kernels; add --kernel plugins, or "
        + "--kernel plugins,simd to compare")
  }

  /// What is asked for.
  private func plan(on machine: Machine, _ kernels: [Kernel]) throws(MeasurementError) -> MeasurementPlan {
    let plan = try MeasurementPlan(
      suite: suite ?? lists.workload.usualSuite, lists: lists.given, filter: filter,
      repetitions: repetitions, minTime: minTime,
      shard: try shard.map { (text) throws(MeasurementError) in try Shard(text) },
      cores: machine.cores, kernels: kernels, catalog: .interface)
    if target.isGiven, plan.jobs.contains(where: { !$0.workload.isPlain }) {
      throw .usage("--target: scenes, masks and paces other than warm are timed on this machine only")
    }
    return plan
  }

  /// What is wrong with the results, if anything, and says so.
  private func verdict(on records: [Record], _ plan: MeasurementPlan, cores: Int) -> ExitCode? {
    let violations = plan.suite.violations(in: records, cores: cores)
    for violation in violations {
      let words = violation.isDoubtful ? "over its limit, but its samples were disturbed" : "over its limit"
      Terminal.say("\(words): \(violation.text)")
    }
    if violations.contains(where: { !$0.isDoubtful }) || records.contains(where: \.errorOccurred) {
      return .checkFailed
    }
    if !violations.isEmpty { return .cannotTell }
    let blurs = records.filter { !$0.isCopy }
    guard let skipped = blurs.first, !blurs.contains(where: \.isMeasured) else { return nil }
    Terminal.say("nothing was measured: every case is skipped, the first because: \(skipped.errorMessage)")
    return .cannotTell
  }

  private func provenance(
    of plan: MeasurementPlan, on machine: Machine, _ kernels: [Kernel]
  ) throws(MeasurementError) -> Provenance {
    let files = try plugins.launcher.files() + target.files
    var provenance = Provenance(
      machine: machine, build: .current(files: files), suite: plan.suite.name,
      suiteText: plan.suiteText, command: CommandLine.arguments, date: Date())
    provenance.files = files.map { (URL(filePath: $0).lastPathComponent, BuildIdentity.hash(ofFile: $0)) }
    let measured = Set(plan.jobs.flatMap { $0.cases.map(\.kernel) })
    provenance.externalKernels = kernels.external.filter { measured.contains($0.name) }.map {
      ($0.name, $0.summary)
    }
    provenance.shardPlan = plan.shardPlan
    provenance.probeCores(threads: plan.threads)
    return provenance
  }

  /// In this process, or in others when they are asked for or external kernels take part.
  private func measure(
    _ jobs: [Job], _ options: RunnerOptions, _ launcher: WorkerLauncher,
    done: (_ process: Int?) -> Set<String>,
    record: ([Record]) throws(MeasurementError) -> Void
  ) throws(MeasurementError) {
    let progress = { (progress: RunProgress) in Terminal.step(progress.line) }
    let scenes = jobs.filter { $0.workload.scene != nil }
    if !scenes.isEmpty {
      guard processes == nil else { throw .usage("--processes: scenes are measured in one process") }
      let runner = SceneRunner(
        passes: options.settings.repetitions, machineKey: options.machineKey, progress: progress)
      try runner.run(scenes, done: done(nil), record: record)
    }
    let jobs = jobs.filter { $0.workload.scene == nil }
    guard !jobs.isEmpty else { return }
    guard !launcher.isEmpty || processes != nil else {
      return try Runner(GoogleBenchmark(watch: DisturbanceWatch()), options, progress: progress)
        .run(jobs, done: done(nil), record: record)
    }
    let numbers: [Int?] = processes.map { Array(0..<$0) } ?? [nil]
    for process in numbers {
      let title = process.map { "process \($0 + 1) of \(processes ?? 1) " } ?? ""
      let runner = IsolatedRunner(
        options, libraries: try launcher.libraries(), timeout: launcher.timeout,
        launch: { try launcher.process(["measure", $0]) },
        progress: { Terminal.step(title + $0.line) })
      try runner.run(jobs, done: done(process)) { (records) throws(MeasurementError) in
        try record(records.map { $0.inProcess(process) })
      }
    }
  }

  private func sayWrong(_ record: Record) {
    Terminal.say("WRONG \(record.name): \(record.errorMessage)")
    guard let item = record.item, !record.isCopy else { return }
    Terminal.say("  " + ([item.command] + plugins.words + target.words).joined(separator: " "))
  }

  private func openFiles(
    _ plan: MeasurementPlan, _ provenance: Provenance
  ) throws(MeasurementError) -> RecordFiles? {
    guard let output else { return nil }
    let files = try RecordFiles(
      try RecordFiles.Paths(output), resume: resume, repetitions: plan.suite.settings.repetitions,
      machineKey: provenance.machine.key, build: provenance.build.hash, context: provenance.context,
      provenance: provenance.text)
    if let kept = files.kept.first, (kept.process == nil) != (processes == nil) {
      throw .usage("--resume: \(output) was recorded \(kept.process == nil ? "without" : "with") --processes")
    }
    return files
  }
}
