import ArgumentParser
import Blur
import BlurMeasurement
import BlurRecords
import BlurScenes
import BlurServer
import BlurText
import Foundation

/// The verb `blurbench run`, which verifies and times a suite, records the results and shows them as a table.
struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Verify and time the cases of a suite, and time a memcpy of each image for comparison.",
    discussion: """
      Lists are separated by commas. A list on the command line replaces the list in the suite.

      With --output FILE.csv, the files FILE.csv and FILE.json are complete after every workload. A run that \
      is killed keeps what it has measured, and --resume continues this run. FILE.txt says where the results \
      come from. Ctrl-C ends the run, and shows what has been measured and saved so far.

      A suite may limit the time of its cases with `limit: 2 ms` or `limit: 9x memcpy` (nine times the \
      duration of a memcpy of the image), and the error with `levels: 1`. --save NAME keeps the records, \
      this program and the plug-ins as a baseline. Later, `compare NAME` compares newer versions with this \
      baseline.

      Examples:
        blurbench run --kernel simd,dct --format rgba8 --sigma 2,10 --threads 1,all
        blurbench run --suite standard --output standard.csv --resume
        blurbench run --target ./blur-worker --kernel simd --sigma 2

      Exit codes: 0 success, 1 the command could not be carried out, 3 a result was wrong or over a limit, 4 \
      every case was skipped, or cases were over a limit only in disturbed samples, 64 wrong usage, 130 \
      interrupted.
      """)

  @Option(
    help: ArgumentHelp(
      "The name of a suite, or the path of a .yml file. "
        + "The default is `quick`. With --scene, the default is `scenes`. With --mask, it is `variable`."),
    completion: .suite)
  var suite: String?
  @Option(help: CaseDimension.kernel.argumentHelp, completion: .dimension(.kernel))
  var kernel: String?
  @OptionGroup var lists: WorkloadOptions
  @Option(help: CaseDimension.pace.argumentHelp, completion: .dimension(.pace)) var pace: String?
  @Option(help: CaseDimension.mask.argumentHelp, completion: .dimension(.mask)) var mask: String?
  @OptionGroup var plugins: PluginOptions
  @OptionGroup var target: TargetOptions
  @Option(help: .filter) var filter: String?
  @Option(help: "The number of samples per case. It replaces the number that the suite states.")
  var repetitions: Int?
  @Option(
    help: ArgumentHelp(
      "The minimum duration of one sample, in seconds. It replaces the duration that the suite states.",
      valueName: "seconds"))
  var minTime: Double?
  @Option(
    help: ArgumentHelp(
      "The time limit for a single blur. Cases with a slower blur are skipped, and the reason is recorded.",
      valueName: "seconds"))
  var maxCaseSeconds = 3.0
  @Option(
    help: ArgumentHelp(
      "The time limit for computing a certificate, which is the largest error of a kernel on any image. "
        + "If a certificate would exceed this limit, 8-bit formats are certified with smaller images, "
        + "which is faster but less accurate. "
        + "For other formats, the column certified_levels then stays empty. "
        + "With 0, no certificates are computed.",
      valueName: "seconds"))
  var certifySeconds = 5.0
  @Option(
    help: ArgumentHelp(
      "Write the records to FILE.csv and FILE.json, and a description of the run to FILE.txt.",
      valueName: "FILE.csv"), completion: .records)
  var output: String?
  @Flag(help: "Keep the results that the --output files already hold, and measure only the other cases.")
  var resume = false
  @Option(
    help: ArgumentHelp(
      "Measure only shard i of n: every n-th image of the suite, beginning with image i. "
        + "The command `merge` joins the records of all shards.",
      valueName: "i/n"))
  var shard: String?
  @Option(
    help: ArgumentHelp(
      "The number of processes. Each process measures all cases, after the previous process has ended. "
        + "`compare` can prove a regression from records only if they come from at least 5 processes."))
  var processes: Int?
  @Flag(help: "Mark the times as unusable. Use this option if several virtual nodes share one machine.")
  var virtualNode = false
  @Option(
    help: ArgumentHelp("Keep this run and this program as a baseline for `compare`.", valueName: "NAME"),
    completion: .baselines)
  var save: String?
  @Option(
    help: ArgumentHelp("Write the tables as Markdown.", valueName: "FILE.md"),
    completion: .file(extensions: ["md"]))
  var markdown: String?
  @Flag(help: "Print the tables of all cases, not only the fastest kernel of each workload.")
  var verbose = false
  @Flag(help: "Print the records in Google Benchmark's JSON format instead of tables.") var json = false
  @Flag(help: "Print the records as CSV instead of tables.") var csv = false

  func validate() throws {
    if json && csv { throw ValidationError("--json and --csv cannot be combined") }
    if resume && output == nil { throw ValidationError("--resume needs --output FILE.csv") }
    try require(
      !resume || !target.isGiven,
      "--resume and --target cannot be combined, because the blur-worker may have been built again")
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
    try require(
      save == nil || !target.isGiven,
      "--save and --target cannot be combined, because the blur-worker cannot be saved with the baseline")
    try require(processes == nil || shard == nil, "--processes and --shard cannot be combined")
    try require(maxCaseSeconds > 0, "--max-case-seconds \(maxCaseSeconds): must be above 0")
    try markdown.map(OptionValue.checkOutput)
    // A suite may name an instruction set that this machine lacks, because the same suites run on all
    // machines. On the command line, naming such an instruction set is a mistake.
    if let isa = lists.isa, !target.isGiven { _ = try OptionValue.instructionSets(isa) }
    try require(certifySeconds >= 0, "--certify-seconds \(certifySeconds): must be at least 0")
  }

  mutating func run() throws {
    let external = try plugins.load()
    if let failure = try measure(external.kernels) { throw failure }
    try external.expectComplete()
  }

  /// Measures the cases. Returns nil if the run succeeded, or an exit code if a result is wrong or over its
  /// limit, or if every case was skipped.
  ///
  /// - Parameter external: Placeholders for the kernels of plug-ins.
  private func measure(_ external: [Kernel]) throws(MeasurementError) -> ExitCode? {
    var machine = self.target.target.map { Machine(target: $0) } ?? .current
    machine.isVirtualNode = machine.isVirtualNode || virtualNode
    let target = try self.target.kernels(besides: plugins, isTimed: true)
    let kernels = target?.kernels ?? (Registry.all + external)
    let plan = try plan(on: machine, kernels)
    if target == nil && !plugins.peers { warnOfUnmeasured(external.map(\.name), plan) }
    let provenance = try provenance(of: plan, on: machine, kernels)
    for warning in provenance.warnings { Terminal.say("warning: \(warning)") }
    let files = try openFiles(plan, provenance)
    for note in files?.notes ?? [] { Terminal.say("note: \(note)") }
    // Kernels that the user added with `--plugin` or `--python` also get summaries of their own. Kernels from
    // `--peers` or `--target` get no summaries, because there are many of them, and the tables show them
    // anyway.
    let own = plugins.isGiven && !plugins.peers ? external.map(\.name) : []
    let journal = RunJournal(files, build: provenance.build.hash) {
      RunOutput(json: json, csv: csv, verbose: verbose, output: output, plugins: own).show($0, provenance)
    }
    journal.endOnInterrupt { [output] records in
      Terminal.progress("")
      let cases = Set(records.map(\.name)).count
      let saved =
        output.map { "are saved in \($0), and --resume measures the remaining cases" }
        ?? "are shown above, but none are saved"
      Terminal.say("interrupted: \(cases) cases \(saved)")
    }
    var options = RunnerOptions(
      settings: plan.suite.settings, maxCaseSeconds: maxCaseSeconds, certifySeconds: certifySeconds,
      machineKey: machine.key)
    options.kernelOptions = plugins.words
    try measure(plan.jobs, options, target, done: journal.done(inProcess:)) {
      (new) throws(MeasurementError) in
      Terminal.progress("")
      for failure in new where failure.errorOccurred { sayWrong(failure) }
      try journal.add(new)
    }
    let records = journal.finish()
    if let markdown {
      try TextFile.write(RunOutput.markdown(records, provenance, plugins: own), to: markdown)
    }
    sayNotes(on: records, plan)
    if let save { try keep(records, provenance, as: save) }
    return verdict(on: records, plan, cores: machine.cores)
  }

  /// Warns if some plug-in kernels are not measured, because the suite or the option `--kernel` lists other
  /// kernels. Also warns if the suite uses the word `plugins` to ask for all plug-in kernels, but the user
  /// named no plug-in.
  private func warnOfUnmeasured(_ names: [String], _ plan: MeasurementPlan) {
    let measured = Set(plan.jobs.flatMap(\.cases).map(\.kernel))
    let left = names.filter { !measured.contains($0) }
    if names.isEmpty, plan.suite.entries.contains(where: { $0.kernels?.contains(Suite.plugins) == true }) {
      Terminal.say(
        "warning: the suite asks for the kernels of plug-ins, but you named no plug-in; "
          + "add --plugin FILE.so, --python FILE.py or --peers")
    }
    if left.isEmpty { return }
    Terminal.say(
      "warning: these plug-in kernels are not measured, because other kernels were chosen: \(left.listed); "
        + "add --kernel plugins, or --kernel plugins,simd to measure simd as well")
  }

  /// Returns the plan of this run: the benchmark cases that the suite and the options ask for. Options such
  /// as `--sigma 2,10` replace lists in the suite, and `--filter` and `--shard` leave out cases.
  private func plan(on machine: Machine, _ kernels: [Kernel]) throws(MeasurementError) -> MeasurementPlan {
    let plan = try MeasurementPlan(
      suite: suite ?? lists.usualSuite(mask: mask),
      lists: lists.given(kernels: kernel, mask: mask, pace: pace), filter: filter,
      repetitions: repetitions, minTime: minTime,
      shard: try shard.map { (text) throws(MeasurementError) in try Shard(text) },
      cores: machine.cores, kernels: kernels, catalog: .interface)
    if target.isGiven, plan.jobs.contains(where: { !$0.workload.isPlain }) {
      throw .usage(
        "--target cannot be combined with a scene, a mask, straight or opaque alpha, or a pace other than "
          + "`warm`, because these cases can only be timed on this machine")
    }
    return plan
  }

  /// Returns the exit code of the run: nil for success, or a code if a result is wrong, a result exceeds its
  /// limit, or every case was skipped. Prints each exceeded limit, and a message if every case was skipped.
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
    Terminal.say(
      "nothing was measured, because every case was skipped. The reason for the first case: "
        + skipped.errorMessage)
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
    provenance.shard = plan.shard
    provenance.probeCores(threads: plan.threads)
    return provenance
  }

  /// Measures the benchmark jobs of this run.
  private func measure(
    _ jobs: [Job], _ options: RunnerOptions, _ target: TargetKernels?,
    done: (_ process: Int?) -> Set<String>,
    record: ([Record]) throws(MeasurementError) -> Void
  ) throws(MeasurementError) {
    let (scenes, blurs) = (jobs.filter { $0.workload.scene != nil }, jobs.filter { $0.workload.scene == nil })
    guard scenes.isEmpty || processes == nil else {
      throw .usage("--processes cannot be used for scenes, which are always measured in one process")
    }
    let numbers: [Int?] = processes.map { Array(0..<$0) } ?? [nil]
    for process in numbers {
      let title = process.map { "process \($0 + 1) of \(numbers.count) " } ?? ""
      let progress = { (progress: RunProgress) in Terminal.step(title + progress.line) }
      let ofScenes = SceneRunner(
        passes: options.settings.repetitions, machineKey: options.machineKey, progress: progress)
      // The first process of a run on a target is the worker that is already running. For each further
      // process, a new worker is started on the target.
      let target = try process ?? 0 == 0 ? target : self.target.kernels(besides: plugins, isTimed: true)
      let runners: [(jobs: [Job], runner: any CaseRunner)] = [
        (scenes, ofScenes), (blurs, blurRunner(options, target, progress)),
      ]
      for (jobs, runner) in runners {
        try runner.run(jobs, done: done(process)) { (records) throws(MeasurementError) in
          try record(records.map { $0.inProcess(process) })
        }
      }
    }
  }

  /// Returns the runner that measures blurs. If there is a target, the blurs run on the target. Without a
  /// target, the blurs run in server processes if the user gave `--processes` or external kernels. In all
  /// other cases, they run in this process.
  private func blurRunner(
    _ options: RunnerOptions, _ target: TargetKernels?, _ progress: @escaping (RunProgress) -> Void
  ) -> any CaseRunner {
    if let target, let any = target.kernels.first {
      let sampler = Sampler(target: any, time: TargetClock.nanoseconds)
      return Runner(sampler, options, kernels: target.kernels, progress: progress)
    }
    let launcher = plugins.launcher
    guard launcher.isEmpty, processes == nil else {
      return IsolatedRunner(
        options, connect: { () throws(MeasurementError) in try launcher.connect() }, progress: progress)
    }
    return Runner(Sampler(watch: DisturbanceWatch()), options, progress: progress)
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
      throw .usage(
        "--resume: \(output) was recorded \(kept.process == nil ? "without" : "with") --processes; "
          + "resume the run with the same options, or write to another file")
    }
    return files
  }
}
