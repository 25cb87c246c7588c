import Blur
import BlurMeasurement
import BlurRecords
import BlurServer
import BlurText
import Foundation

/// Runs the command `blurbench compare`, which compares two versions of the program or of a plug-in, or
/// several kernels of one version.
public struct ComparisonRun {
  /// The name or path of a suite, the comma-separated lists from the command line, and a filter for the
  /// cases. Each list replaces a list of the suite, for example its sizes. If no suite is named, a comparison
  /// with a saved baseline uses the cases of the baseline, and any other comparison uses the suite `compare`.
  public var suite: String?, lists: [CaseDimension: String], filter: String?
  /// The kernels that the user named, or an empty array for the kernels of the suite.
  public var kernels: [String] = []
  /// The options for comparing times.
  public var options = ComparisonOptions()
  /// Whether instructions are counted in addition to measuring times.
  public var countsInstructions = false
  /// Starts the server processes, which load the external kernels of the comparison, such as plug-ins.
  public var launcher = ServerLauncher()
  /// Prints a message that says that a program is being built.
  public var say: (String) -> Void = { _ in }
  /// Shows a line of progress in place of the previous one.
  public var show: (String) -> Void = { _ in }
  /// Shows the progress of a paired comparison.
  public var progress: (PairedComparison.Progress) -> Void = { _ in }
  private let machine: Machine
  private let catalog: SceneCatalog
  private let placeholders: (ServerLauncher) throws(MeasurementError) -> [Kernel]

  /// Creates a comparison.
  ///
  /// - Parameters:
  ///   - machine: The machine on which the comparison runs.
  ///   - catalog: The interface scenes (user interface effects) that the user can name in `lists`.
  ///   - placeholders: Returns a stand-in for each external kernel. External kernels are loaded only in
  ///     server processes, so this process needs stand-ins to plan the cases.
  public init(
    suite: String?, lists: [CaseDimension: String], filter: String?, machine: Machine, catalog: SceneCatalog,
    placeholders: @escaping (ServerLauncher) throws(MeasurementError) -> [Kernel]
  ) {
    self.suite = suite
    self.lists = lists
    self.filter = filter
    self.machine = machine
    self.catalog = catalog
    self.placeholders = placeholders
  }

  /// Compares two builds, plug-ins or record files. The arguments can be paths or git revisions.
  /// ``ComparisonSide`` lists what can be compared.
  public func compare(_ first: String, with second: String) throws(MeasurementError) -> Comparison {
    let (base, head) = (try ComparisonSide(first), try ComparisonSide(second))
    if base.isRecords || head.isRecords {
      guard options.instructionGate == nil else {
        throw .usage("--gate-instructions cannot be used with records, which have no instruction counts")
      }
      guard suite == nil else {
        throw .usage("--suite cannot be used with records, because the records determine the cases")
      }
      if let dimension = lists.keys.sorted(by: { $0.key < $1.key }).first {
        throw .usage(
          "--\(dimension.key) cannot be used with records, because the records determine the cases; use "
            + "--filter")
      }
      return try compareRecords((base, first), (head, second))
    }
    let (all, new) = try external(base, head)
    var chosen = try chosen(all, isPlugin: head.plugin != nil)
    let added = new.filter { name in chosen.cases.contains { $0.kernel == name } }
    chosen.cases.removeAll { added.contains($0.kernel) }
    var result = try compare(
      chosen, base: try processes(of: base, first), head: try processes(of: head, second))
    if let hint = Self.renaming(result, base, head, added) { result.notes.append(hint) }
    if !added.isEmpty {
      result.notes.insert(
        "not compared, because only the new version (head) has them: \(added.listed)", at: 0)
    }
    return result
  }

  /// Returns a hint on how to compare a kernel with its renamed version, or nil if no kernel seems to have
  /// been renamed in the newer plug-in (the head).
  private static func renaming(
    _ result: Comparison, _ base: ComparisonSide, _ head: ComparisonSide, _ added: [String]
  ) -> String? {
    let gone = result.cases.first { $0.faults.contains { $0.kind == .gone } }.flatMap {
      try? Case(name: $0.name)
    }
    guard let gone, let new = added.first, let old = base.plugin, let plugin = head.plugin else { return nil }
    return "if kernel \(gone.kernel) was renamed to \(new), compare the two with `blurbench compare --plugin "
      + "\(old) --plugin \(plugin) --kernel \(gone.kernel) --kernel \(new)`"
  }

  /// Returns the external kernels of the base and the head (`all`), and the names of the kernels that only
  /// the head has (`new`). `all` includes the kernels that only the base has, so that their absence in the
  /// head is reported as a regression.
  private func external(
    _ base: ComparisonSide, _ head: ComparisonSide
  ) throws(MeasurementError) -> (all: [Kernel], new: [String]) {
    let heads = try placeholders(launcher.adding(head))
    guard base.plugin != nil, head.plugin != nil else { return (heads, []) }
    let bases = try placeholders(launcher.adding(base))
    let new = heads.filter { kernel in !bases.contains { $0.name == kernel.name } }
    return (bases + new, new.map(\.name))
  }

  /// Compares a saved baseline with the current program. The baseline includes a copy of its program and of
  /// its external kernels. The cases of the baseline are compared, or the cases of a suite if one is named.
  ///
  /// - Parameters:
  ///   - baseline: The saved baseline.
  ///   - program: The path of the current program. It loads the external kernels that the command line names.
  ///     If the command line names no external kernels, the program loads the original files of the
  ///     baseline's external kernels. The baseline itself contains copies of these files.
  /// - Throws: ``MeasurementError/usage(_:)`` if one of the files with external kernels no longer exists.
  public func compare(_ baseline: Baseline, with program: String) throws(MeasurementError) -> Comparison {
    let now = launcher.isEmpty ? ServerLauncher(baseline.origins, timeout: launcher.timeout) : launcher
    let files = now.kernels.plugins + now.kernels.python
    if let gone = files.first(where: { !FileManager.default.fileExists(atPath: $0) }) {
      throw .usage(
        "baseline '\(baseline.name)' was saved with \(gone), which no longer exists; use "
          + (now.kernels.python.contains(gone) ? "--python" : "--plugin") + " to name the file to compare")
    }
    let title = files.isEmpty ? "this program" : files.map { URL(filePath: $0).lastPathComponent }.listed
    let old = try SideProcesses(
      title: baseline.name, executable: baseline.program,
      ServerLauncher(baseline.kernels, timeout: launcher.timeout))
    let new = try SideProcesses(title: title, executable: program, now)
    // If the baseline has no cases of the external kernels, these kernels would not be compared, and a
    // regression in them would go unnoticed.
    let external = try placeholders(now)
    let named = external.map(\.name)
    let hasThem = baseline.cases.contains { named.contains($0.kernel) }
    guard suite != nil || named.isEmpty || hasThem else {
      throw .usage(
        "baseline '\(baseline.name)' has no case of \(named.listed); save it again with "
          + "`run --kernel plugins --save`, or with a suite that names `plugins`")
    }
    return try compare(try chosen(of: baseline, external), base: old, head: new)
  }

  /// Returns the cases of a saved baseline that match the lists and the filter, or the cases of the suite if
  /// one is named.
  private func chosen(of baseline: Baseline, _ external: [Kernel]) throws(MeasurementError) -> Chosen {
    guard suite == nil else { return try chosen(external, isPlugin: !external.isEmpty) }
    var lists = lists
    if !kernels.isEmpty { lists[.kernel] = kernels.joined(separator: ",") }
    let known = Registry.kernels.map(\.name) + external.map(\.name) + baseline.cases.map(\.kernel)
    return Chosen(
      cases: try baseline.cases(
        lists: lists, filter: filter, cores: machine.cores, Vocabulary(kernels: known, catalog: catalog)))
  }

  /// Compares two builds by timing them alternately in separate processes.
  private func compare(
    _ chosen: Chosen, base: SideProcesses, head: SideProcesses
  ) throws(MeasurementError) -> Comparison {
    // If the user has limited the growth of instruction counts, the instructions are counted after the times
    // have been measured. If Callgrind is needed but not installed, this line throws an error before anything
    // is measured.
    if options.instructionGate != nil { _ = try Callgrind.found(for: chosen.cases) }
    var options = chosen.limiting(options)
    options.isSameBuild = options.pairs == nil && base.isSameBuild(as: head)
    let comparison = PairedComparison(
      chosen.cases.map(\.name), base: base, head: head, options, progress: progress)
    try comparison.measure()
    var result = comparison.result(base: base.title, head: head.title, method: .processes)
    result.headOptions = head.options
    result.notes += chosen.notes
    return withInstructions(result, base, head)
  }

  /// Compares the first kernel with each of the other kernels.
  ///
  /// - Throws: ``MeasurementError/usage(_:)`` if there is no workload that all of the kernels support. A
  ///   workload is an image size and format with the settings of a blur.
  public func compareKernels() throws(MeasurementError) -> Comparison {
    let plan = try plan(placeholders(launcher), kernels)
    let cases = plan.jobs.map(\.cases).filter { $0.count == kernels.count }.map { $0.map(\.name) }
    let chosen = Chosen(plan, cores: machine.cores)
    guard let base = kernels.first, !cases.isEmpty else {
      throw .usage(
        "name at least two different kernels with --kernel, and one instruction set with --isa (best, or the "
          + "widest set to use)")
    }
    let process = try SideProcesses(title: "blurbench", launcher)
    let comparison = PairedComparison(
      kernels: cases, in: process, chosen.limiting(options), progress: progress)
    try comparison.measure()
    let heads = kernels.dropFirst().joined(separator: ", ")
    var result = comparison.result(base: base, head: heads, method: .kernels)
    result.headOptions = process.options
    result.notes += chosen.notes
    return withInstructions(result, process, process)
  }

  // MARK: Comparing records

  /// Compares two sides if at least one of them is a file of records. A side that is not a file of records is
  /// measured now. The two sides cannot be timed alternately, because the times in records come from an
  /// earlier run.
  private func compareRecords(
    _ base: (side: ComparisonSide, title: String), _ head: (side: ComparisonSide, title: String)
  ) throws(MeasurementError) -> Comparison {
    // The filter may match the records of only one side. This is not an error: the matching cases are then
    // missing on the other side.
    let sides = [try records(of: base.side), try records(of: head.side)]
    let kept = try sides.map { $0 ?? [] }.kept(by: filter)
    var (old, new) = (sides[0].map { _ in kept[0] }, sides[1].map { _ in kept[1] })
    let base = (title: base.title, process: old == nil ? try processes(of: base.side, base.title) : nil)
    let head = (title: head.title, process: new == nil ? try processes(of: head.side, head.title) : nil)
    if let process = base.process { old = try measured(by: process, as: new ?? []) }
    if let process = head.process { new = try measured(by: process, as: old ?? []) }
    var result = try RecordComparison(old ?? [], new ?? [], options).result(
      base: base.title, head: head.title)
    if let process = base.process { result.baseBuild = process.build() }
    if let process = head.process { result.headBuild = process.build() }
    return result
  }

  private func records(of side: ComparisonSide) throws(MeasurementError) -> [Record]? {
    guard case .records(let path) = side else { return nil }
    return try RecordsCSV.read(at: path)
  }

  /// Measures the cases of the records in `others`, so that the new times can be compared with the recorded
  /// times. The cases are measured in the same number of processes as the records.
  private func measured(
    by process: SideProcesses, as others: [Record]
  ) throws(MeasurementError) -> [Record] {
    let cases = try others.filter { !$0.isCopy }.inGroups(by: \.name)
      .map { (group) throws(MeasurementError) in try Case(name: group.key) }
    let jobs = cases.filter { $0.workload.scene == nil }.inGroups { $0.workload }
      .map { Job(workload: $0.key, cases: $0.elements) }
    let repetitions = others.compactMap(\.repetition).max().map { $0 + 1 } ?? 5
    let settings = TimingSettings(repetitions: repetitions, minTime: options.minTime, warmUp: 0)
    var measuring = RunnerOptions(
      settings: settings, maxCaseSeconds: 3600, certifySeconds: 0, machineKey: machine.key)
    measuring.kernelOptions = process.options
    let runner = IsolatedRunner(
      measuring, connect: { () throws(MeasurementError) in try process.start() }, progress: { show($0.line) })
    var records = cases.filter { $0.workload.scene != nil }.map {
      Record($0, machineKey: machine.key).skipped("scenes cannot be measured again for a comparison")
    }
    for number in Set(others.map(\.process)).sorted(by: { ($0 ?? 0) < ($1 ?? 0) }) {
      try runner.run(jobs) { records += $0.map { $0.inProcess(number) } }
    }
    return records
  }

  // MARK: Choosing cases and processes

  private func processes(of side: ComparisonSide, _ title: String) throws(MeasurementError) -> SideProcesses {
    let executable = try side.executable(say: say)
    return try SideProcesses(title: title, executable: executable, launcher.adding(side))
  }

  /// Returns the cases to compare. They can include cases of the external kernels in `external`, which come
  /// from plug-ins. If the user compares two plug-ins and has not named any kernels, the plug-ins' own
  /// kernels are compared, even if the suite names only other kernels.
  private func chosen(_ external: [Kernel], isPlugin: Bool) throws(MeasurementError) -> Chosen {
    let chosen = Chosen(try plan(external, kernels), cores: machine.cores)
    let names = Set(external.map(\.name))
    guard isPlugin, kernels.isEmpty, !chosen.cases.contains(where: { names.contains($0.kernel) }) else {
      return chosen
    }
    return Chosen(try plan(external, [Suite.plugins]), cores: machine.cores)
  }

  private func plan(
    _ external: [Kernel], _ kernels: [String]
  ) throws(MeasurementError) -> MeasurementPlan {
    var lists = lists
    if !kernels.isEmpty { lists[.kernel] = kernels.joined(separator: ",") }
    let plan = try MeasurementPlan(
      suite: suite ?? "compare", lists: lists, filter: filter, cores: machine.cores,
      kernels: Registry.all + external, catalog: catalog)
    if let other = plan.jobs.map(\.workload.pace).first(where: { $0 != .warm }) {
      throw .usage(
        "times with pace \(other.rawValue) cannot be compared; use pace warm, or measure with blurbench run")
    }
    return plan
  }

  private func withInstructions(
    _ comparison: Comparison, _ base: SideProcesses, _ head: SideProcesses
  ) -> Comparison {
    var comparison = comparison
    (comparison.baseBuild, comparison.headBuild) = (base.build(), head.build())
    guard countsInstructions || options.instructionGate != nil else { return comparison }
    do throws(MeasurementError) {
      try comparison.countInstructions(
        base: base, head: head, gate: options.instructionGate, progress: show)
    } catch { comparison.notes.append("no instructions were counted: \(error)") }
    return comparison
  }
}

/// The cases to compare, and the limits for their times and errors.
private struct Chosen {
  var cases: [Case]
  /// Returns the limits for the time and error of a case, given the name of the case.
  var limits: @Sendable (String) -> [Limits] = { _ in [] }

  init(cases: [Case]) { self.cases = cases }

  init(_ plan: MeasurementPlan, cores: Int) {
    cases = plan.jobs.flatMap(\.cases)
    limits = { [suite = plan.suite] name in
      (try? Case(name: name)).map { suite.limits(of: $0, cores: cores) } ?? []
    }
  }

  /// Returns a copy of the options that also contains the suite's limits for times and errors.
  func limiting(_ options: ComparisonOptions) -> ComparisonOptions {
    var options = options
    options.limits = limits
    return options
  }

  /// A note if some limits were not checked, or an empty array. Only `blurbench run` can check limits that
  /// are multiples of the time of a memcpy.
  var notes: [String] {
    cases.contains { limits($0.name).contains(where: \.isOfMemcpy) }
      ? ["limits in multiples of a memcpy time were not checked; `blurbench run` checks them"] : []
  }
}

extension ServerLauncher {
  /// Returns a launcher that also loads the plug-in that the user named as one side of the comparison.
  fileprivate func adding(_ side: ComparisonSide) -> ServerLauncher {
    var all = self
    if let path = side.plugin {
      if path.hasSuffix(".py") { all.kernels.python.append(path) } else { all.kernels.plugins.append(path) }
    }
    return all
  }
}
