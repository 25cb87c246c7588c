import Blur
import BlurRecords
import BlurText
import BlurVerification

/// How cases are measured.
public struct RunnerOptions: Sendable {
  /// Repetitions and times.
  public var settings: TimingSettings
  /// A case whose single blur takes longer is skipped, in seconds.
  public var maxCaseSeconds: Double
  /// Certificates that would take more seconds are left out.
  public var certifySeconds: Double
  /// The seed of the input images.
  public var seed: UInt64
  /// The machine's key for the records.
  public var machineKey: String
  /// Whether a kernel that keeps more threads busy than were asked for is wrong. Only where nothing else runs
  /// in the process.
  public var countsThreads = false
  /// On at most how many threads the memcpy may be that times are compared with.
  public var cores: Int

  /// Makes options.
  public init(
    settings: TimingSettings, maxCaseSeconds: Double = 3, certifySeconds: Double = 5, seed: UInt64 = 1,
    cores: Int = Machine.current.cores, machineKey: String
  ) {
    self.settings = settings
    self.cores = cores
    self.certifySeconds = certifySeconds
    self.maxCaseSeconds = maxCaseSeconds
    self.seed = seed
    self.machineKey = machineKey
  }
}

/// Is told which case runs, so that what a process died of is known outside.
public protocol ProgressObserver: Sendable {
  /// The number under which a case begins.
  func number(of name: String) -> Int
  /// A case begins one step: planning, verification, or an iteration.
  func begins(_ number: Int)
  /// The step has ended.
  func ends()
}

/// Observes nothing: runs in the same process.
public struct NoObserver: ProgressObserver {
  /// Makes one.
  public init() {}
  public func number(of name: String) -> Int { 0 }
  public func begins(_ number: Int) {}
  public func ends() {}
}

/// Measures jobs: verifies each case, times the kernels of a workload interleaved with a memcpy, and checks
/// that the timed output is the verified one.
public struct Runner<Watch: Stopwatch> {
  private let stopwatch: Watch
  private let kernels: [Kernel]
  private let options: RunnerOptions
  private let observer: any ProgressObserver
  private let progress: (RunProgress) -> Void
  private let certificates: CertificateCache
  private let meter = EnergyMeter()
  /// Plans that give a median time.
  private static var plans: Int { 5 }

  /// Makes a runner of these kernels; `progress` is called before each job that is measured, and the observer
  /// is told which case runs at each moment.
  public init(
    _ stopwatch: Watch, _ options: RunnerOptions, kernels: [Kernel] = Registry.all,
    observer: any ProgressObserver = NoObserver(), progress: @escaping (RunProgress) -> Void = { _ in }
  ) {
    self.observer = observer
    self.stopwatch = stopwatch
    self.kernels = kernels
    self.options = options
    self.progress = progress
    certificates = CertificateCache(limit: options.certifySeconds)
  }

  /// Measures each job, and hands its records on before the next begins.
  ///
  /// - Parameters:
  ///   - done: names of cases that are not measured again.
  ///   - record: receives the records of a job: all repetitions of each kernel, then of the memcpy.
  public func run(
    _ jobs: [Job], done: Set<String> = [],
    record: ([Record]) throws(MeasurementError) -> Void
  ) throws(MeasurementError) {
    // Which rows are checked depends on the threads of a picture's cases, measured in this run or in an
    // earlier one.
    let threads = Dictionary(jobs.map { ($0.workload.picture, $0.workload.threads) }, uniquingKeysWith: max)
    let jobs = jobs.filtered { !done.contains($0.name) }
    let start = stopwatch.now
    var shared: WorkloadPicture?
    for (index, job) in jobs.enumerated() {
      progress(
        RunProgress(index: index, count: jobs.count, title: job.title, elapsed: stopwatch.now - start))
      do throws(BlurError) {
        if shared?.picture != job.workload.picture {
          shared = nil
          shared = try WorkloadPicture(
            job.workload.picture, threads: threads[job.workload.picture] ?? 1, seed: options.seed,
            copy: stopwatch.copy)
        }
      } catch {
        try record(job.cases.map { blank($0).skipped("\(error)") })
        continue
      }
      guard let shared else { continue }
      let records = try measure(job, shared)
      let probe = stopwatch.probe.finite
      try record(
        records.filter { !done.contains($0.name) }.map { record in
          var record = record
          record.probeTime = probe
          return record
        })
    }
  }

  private func measure(_ job: Job, _ shared: WorkloadPicture) throws(MeasurementError) -> [Record] {
    if job.workload.pace == .cold, !stopwatch.canEvict {
      return job.cases.map { blank($0).skipped("cold: this system lets no program empty the caches") }
    }
    let prepared = job.cases.map { item in
      stopwatch.heartbeat.undisturbed { prepare(item, shared) }
        ?? .settled(blank(item).skipped(SuspendDetector.reason))
    }
    let ready = prepared.compactMap(\.ready)
    guard !ready.isEmpty else { return prepared.compactMap(\.settled) }
    let threads = try shared.copies.fastestThreads(job.workload, upTo: options.cores, stopwatch)
    let beside: Ready
    let fastest: PreparedCase
    do throws(BlurError) {
      beside = Ready(copy: try shared.copies.copy(job.workload, threads: job.workload.threads), options)
      fastest =
        threads == job.workload.threads
        ? beside.subject : try shared.copies.copy(job.workload, threads: threads)
    } catch { return prepared.map { $0.settled(as: "the copy beside it: \(error)") } }
    let cases = (ready + [beside]).map(\.subject)
    let tasks = (fastest === beside.subject ? cases : cases + [fastest]).map(task)
    let timed = try stopwatch.heartbeat.undisturbed { () throws(MeasurementError) in
      try stopwatch.time(tasks, options.settings, at: job.workload.pace)
    }
    guard let timed else { return prepared.map { $0.settled(as: SuspendDetector.reason) } }
    let samples = Dictionary(grouping: timed, by: \.name)
    let times = samples[fastest.item.name, default: []].filter { $0.failure == nil }.map(\.realTime)
    let baseline = MemcpyBaseline(times, threads: fastest.item.workload.threads)
    return prepared.flatMap { outcome in
      switch outcome {
      case .settled(let record): [record]
      case .ready(let ready): records(of: ready, samples, baseline)
      }
    } + records(of: beside, samples, baseline)
  }

  private func task(of subject: PreparedCase) -> TimedTask {
    let number = observer.number(of: subject.item.name)
    let threads = subject.item.workload.threads
    return TimedTask(name: subject.item.name, threads: threads, evict: subject.evict) { [observer] in
      observer.begins(number)
      subject.iterate()
      observer.ends()
    }
  }

  private func records(
    of ready: Ready, _ samples: [String: [Sample]], _ baseline: MemcpyBaseline?
  ) -> [Record] {
    let (record, workload) = (ready.record, ready.subject.item.workload)
    let samples = samples[record.name] ?? []
    if let violation = ready.subject.violation ?? samples.compactMap(\.failure).first {
      return [record.wrong(violation)]
    }
    guard !samples.isEmpty else { return [record.wrong("no time was reported")] }
    if options.countsThreads, let busy = Statistics.median(samples.map { $0.cpuTime / $0.realTime }),
      busy > Double(workload.threads) + 0.5
    {
      let count = (busy * 10).rounded() / 10
      return [record.wrong("keeps \(count.short) threads busy, where \(workload.threads) was asked for")]
    }
    let consumed =
      stopwatch.isHere
      ? Consumption(
        of: task(of: ready.subject), on: workload.threads, at: workload.pace, meter: meter, stopwatch)
      : Consumption()
    return samples.map { record.with($0, workload.layout, baseline).with(consumed) }
  }

  // MARK: Before timing

  /// A case that can be timed, and its record without times.
  private struct Ready {
    let subject: PreparedCase
    let record: Record

    init(_ subject: PreparedCase, _ record: Record) { (self.subject, self.record) = (subject, record) }

    init(copy: PreparedCase, _ options: RunnerOptions) {
      var record = Record(copy.item, machineKey: options.machineKey)
      record.maxErrorLevels = 0
      record.outputHash = copy.verified?.outputHash
      self.init(copy, record)
    }
  }

  /// A case that can be timed, or the record that says why not.
  private enum Preparation {
    case ready(Ready)
    case settled(Record)

    var ready: Ready? { if case .ready(let ready) = self { ready } else { nil } }
    var settled: Record? { if case .settled(let record) = self { record } else { nil } }

    /// The record that says why not, or else that the case was skipped for this reason.
    func settled(as reason: String) -> Record {
      switch self {
      case .settled(let record): record
      case .ready(let ready):
        Record(ready.subject.item, machineKey: ready.record.machineKey).skipped(reason)
      }
    }
  }

  private func prepare(_ item: Case, _ shared: WorkloadPicture) -> Preparation {
    guard let kernel = kernels.first(where: { $0.name == item.kernel }) else {
      return .settled(blank(item).skipped("no kernel is called \(item.kernel)"))
    }
    observer.begins(observer.number(of: item.name))
    defer { observer.ends() }
    do throws(BlurError) {
      let estimate = try BlurEstimate(item, kernel, shared.input, stopwatch, limit: options.maxCaseSeconds)
      if let seconds = estimate.beyondLimit { return .settled(blank(item).skipped(tooLong(seconds))) }
      return try prepare(item, kernel, shared)
    } catch .failed(_, let reason) {
      return .settled(blank(item).wrong(reason))
    } catch {
      return .settled(blank(item).skipped("\(error)"))
    }
  }

  private func prepare(
    _ item: Case, _ kernel: Kernel, _ shared: WorkloadPicture
  ) throws(BlurError) -> Preparation {
    let checks = PreparedCase.Checks(inputHash: shared.inputHash) { output, hash in
      shared.judge(output, hash: hash, of: item, by: kernel)
    }
    let prepared = try PreparedCase(
      item, kernel, CaseBuffers(shared.input), plans: Self.plans, checks: checks, stopwatch)
    guard let verified = prepared.verified else { return .settled(blank(item)) }
    if verified.isInputSpoiled { try shared.restore() }
    var record = blank(item)
    record.planTime = prepared.planTime
    record.maxErrorLevels = verified.deviation?.maxLevels.finite
    record.psnr = verified.deviation?.psnr.finite
    record.outputHash = verified.outputHash
    // No more is asked of a kernel that is found out: it may write where nothing guards.
    if let violation = verified.violation { return .settled(record.wrong(violation)) }
    let certificate = try certificates.certificate(kernel, item)
    record.certifiedLevels = certificate?.worst?.levels.finite
    record.achievedSigma = (certificate?.achievedSigma ?? achieved(item, kernel))?.finite
    // What differs from one blur to the next is shown by the timed output.
    if let certificate, certificate.linearity != .stateful, let broken = certificate.violation {
      return .settled(record.wrong("breaks its promise, by its certificate: \(broken)"))
    }
    guard verified.seconds <= options.maxCaseSeconds else {
      return .settled(record.skipped(tooLong(((verified.seconds * 10).rounded() / 10).short)))
    }
    return .ready(Ready(prepared, record))
  }

  /// The standard deviation that the kernel really has, in pixels.
  private func achieved(_ item: Case, _ kernel: Kernel) -> Double? {
    guard item.workload.mask == nil, let sigma = try? Sigma(item.workload.sigma) else { return nil }
    return achievedSigma(
      of: kernel, format: item.workload.layout.format, sigma: sigma, instructionSet: item.isa)
  }

  private func tooLong(_ seconds: String) -> String {
    "one blur takes \(seconds) s, and --max-case-seconds is \(options.maxCaseSeconds.short)"
  }

  private func blank(_ item: Case) -> Record { Record(item, machineKey: options.machineKey) }
}
