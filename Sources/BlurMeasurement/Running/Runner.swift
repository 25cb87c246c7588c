import Blur
import BlurRecords
import BlurServer
import BlurText
import BlurVerification

/// The options for measuring cases.
public struct RunnerOptions: Codable, Sendable {
  /// The number and length of the samples, and the duration of the warm-up.
  public var settings: TimingSettings
  /// The maximum time of a single blur, in seconds. A case that takes longer is skipped.
  public var maxCaseSeconds: Double
  /// The maximum time in seconds for making a certificate. A certificate that would take longer is not made.
  public var certifySeconds: Double
  /// The seed of the random input images.
  public var seed: UInt64
  /// The key that identifies the machine in the records.
  public var machineKey: String
  /// Whether a kernel that keeps more threads busy than the case allows is reported as wrong. Set this to
  /// true only if nothing else runs in the process.
  public var countsThreads = false
  /// The command-line options that name the external kernels. Error messages repeat these options in the
  /// commands that they suggest. The value is nil in requests from older builds.
  public var kernelOptions: [String]?
  /// The maximum number of threads for the memcpy with which the kernels are compared.
  public var cores: Int

  /// Creates options.
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

/// Measures jobs. A job consists of cases that blur the same image with different kernels. The runner first
/// verifies the output of each case. Then it times the cases and a plain copy of the image alternately, and
/// finally checks that the output of each case is still equal to the verified output.
public struct Runner: CaseRunner {
  private let sampler: Sampler
  private let kernels: [Kernel]
  private let options: RunnerOptions
  /// The shared memory page through which another process learns which case is running, or nil if there is no
  /// such process.
  var page: SharedPage?
  private let progress: (RunProgress) -> Void
  private let certificates: CertificateCache
  private let meter = EnergyMeter()
  /// The number of plans that are made to compute the median planning time.
  private static let plans = 5

  /// Creates a runner for the given kernels.
  ///
  /// - Parameters:
  ///   - sampler: Measures the times.
  ///   - options: The options for measuring.
  ///   - kernels: The kernels that a case can name.
  ///   - progress: A function that is called before each job is measured.
  public init(
    _ sampler: Sampler, _ options: RunnerOptions, kernels: [Kernel] = Registry.all,
    progress: @escaping (RunProgress) -> Void = { _ in }
  ) {
    self.sampler = sampler
    self.kernels = kernels
    self.options = options
    self.progress = progress
    certificates = CertificateCache(limit: options.certifySeconds)
  }

  public func run(
    _ jobs: [Job], done: Set<String>, record: ([Record]) throws(MeasurementError) -> Void
  ) throws(MeasurementError) {
    // In a large image, only some rows are verified. The choice of these rows depends on the largest number
    // of threads of all cases that blur the image, including cases that an earlier run has already measured.
    // The number is therefore determined before those cases are removed.
    let threads = Dictionary(jobs.map { ($0.workload.picture, $0.workload.threads) }, uniquingKeysWith: max)
    let jobs = jobs.filtered { !done.contains($0.name) }
    let start = sampler.now()
    var shared: WorkloadPicture?
    for (index, job) in jobs.enumerated() {
      progress(
        RunProgress(
          index: index, count: jobs.count, title: job.workload.fullTitle, elapsed: sampler.now() - start))
      do throws(BlurError) {
        if shared?.picture != job.workload.picture {
          shared = nil
          shared = try WorkloadPicture(
            job.workload.picture, threads: threads[job.workload.picture] ?? 1, seed: options.seed,
            copy: sampler.copy)
        }
      } catch {
        try record(job.cases.map { blank($0).skipped("\(error)") })
        continue
      }
      guard let shared else { continue }
      let records = try measure(job, shared)
      let probe = sampler.isHere ? CoreProbe.meanTime : nil
      try record(
        records.filter { !done.contains($0.name) }.map { record in
          var record = record
          record.probeTime = probe
          return record
        })
    }
  }

  private func measure(_ job: Job, _ shared: WorkloadPicture) throws(MeasurementError) -> [Record] {
    if job.workload.pace.emptiesCaches, !sampler.canEvict {
      let reason = "cold blurs cannot be timed, because programs cannot empty the caches on this system"
      return job.cases.map { blank($0).skipped(reason) }
    }
    let prepared = job.cases.map { item in
      sampler.suspensions.undisturbed { prepare(item, shared) }
        ?? .settled(blank(item).skipped(SuspendDetector.reason))
    }
    let ready = prepared.compactMap(\.ready)
    guard !ready.isEmpty else { return prepared.compactMap(\.settled) }
    let threads = try shared.copies.fastestThreads(job.workload, upTo: options.cores, sampler)
    let copy: PreparedCase
    let fastest: PreparedCase
    do throws(BlurError) {
      copy = try shared.copies.copy(job.workload, threads: job.workload.threads)
      fastest =
        threads == job.workload.threads ? copy : try shared.copies.copy(job.workload, threads: threads)
    } catch { return prepared.map { $0.settled(as: "the memcpy for comparison failed: \(error)") } }
    var copied = blank(copy.item)
    copied.maxErrorLevels = 0
    copied.outputHash = copy.verified?.outputHash
    let beside = Ready(subject: copy, record: copied)
    let cases = ready.map(\.subject) + [copy]
    let tasks = (fastest === copy ? cases : cases + [fastest]).map(task)
    let timed = try sampler.suspensions.undisturbed { () throws(MeasurementError) in
      try sampler.samples(of: tasks, options.settings, at: job.workload.pace)
    }
    guard let timed else { return prepared.map { $0.settled(as: SuspendDetector.reason) } }
    let samples = Dictionary(zip(tasks.map(\.name), timed)) { first, _ in first }
    let times = samples[fastest.item.name, default: []].map(\.realTime).filter { $0 > 0 }
    let baseline = MemcpyBaseline(times, threads: fastest.item.workload.threads)
    return prepared.flatMap { outcome in
      switch outcome {
      case .settled(let record): [record]
      case .ready(let ready): records(of: ready, samples, baseline)
      }
    } + records(of: beside, samples, baseline)
  }

  private func task(of subject: PreparedCase) -> TimedTask {
    let number = page?.number(of: subject.item.name) ?? 0
    let workload = subject.item.workload
    let attributed = { [page] (work: () -> Void) in
      page?.begins(number)
      work()
      page?.ends()
    }
    return TimedTask(
      name: subject.item.name, threads: workload.threads, at: workload.pace, evict: subject.evict,
      inspect: { time in attributed { subject.inspect(after: time) } },
      iterate: { attributed { subject.iterate() } })
  }

  private func records(
    of ready: Ready, _ samples: [String: [Sample]], _ baseline: MemcpyBaseline?
  ) -> [Record] {
    let (record, workload) = (ready.record, ready.subject.item.workload)
    let samples = samples[record.name] ?? []
    if let violation = ready.subject.violation { return [record.wrong(violation)] }
    guard samples.allSatisfy({ Record.possibleTimes.contains($0.realTime) }) else {
      return [record.wrong("the clock showed no elapsed time, or an impossible time")]
    }
    // Only blurs are checked for using too many threads. Plain copies (memcpy) do not need this check,
    // because their code is our own. Besides, a copy can be so short that other work in the process would
    // look like extra threads.
    if options.countsThreads, !record.isCopy,
      let busy = Statistics.median(samples.map { $0.cpuTime / $0.realTime }),
      busy > Double(workload.threads) + 0.5
    {
      let count = (busy * 10).rounded() / 10
      return [record.wrong("uses \(count.short) threads, but may use only \(workload.threads)")]
    }
    let consumed =
      sampler.isHere
      ? Consumption(of: task(of: ready.subject), at: workload.pace, meter: meter, sampler)
      : Consumption()
    return samples.enumerated().map { repetition, sample in
      record.with(sample, repetition: repetition, workload.layout, baseline).with(consumed)
    }
  }

  // MARK: Preparing cases

  /// A case that is ready to be timed, together with its record. The record is complete except for the times.
  private struct Ready {
    let subject: PreparedCase
    let record: Record
  }

  /// The result of preparing a case: either a case that is ready to be timed, or a record that says why it
  /// cannot be timed.
  private enum Preparation {
    case ready(Ready)
    case settled(Record)

    var ready: Ready? { if case .ready(let ready) = self { ready } else { nil } }
    var settled: Record? { if case .settled(let record) = self { record } else { nil } }

    /// Returns the record of this case after the timing of its whole job has failed. If the case was ready to
    /// be timed, the record says that it was skipped for `reason`. Otherwise, the record still says why the
    /// case could not be timed.
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
    page?.begins(page?.number(of: item.name) ?? 0)
    defer { page?.endsPreparing() }
    do throws(BlurError) {
      let seconds = try PreparedCase.secondsBeyondLimit(
        item, kernel, shared.input, limit: options.maxCaseSeconds, now: sampler.now)
      if let seconds { return .settled(blank(item).skipped(tooLong(seconds))) }
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
    let kernelOptions = options.kernelOptions ?? []
    let checks = PreparedCase.Checks(
      inputHash: shared.inputHash,
      judge: { shared.judge($0, hash: $1, of: item, by: kernel, kernelOptions) },
      kernelOptions: kernelOptions)
    let prepared = try PreparedCase(
      item, kernel, CaseBuffers(shared.input), plans: Self.plans, checks: checks, now: sampler.now)
    guard let verified = prepared.verified else { return .settled(blank(item)) }
    if verified.isInputSpoiled { try shared.restore() }
    var record = blank(item)
    record.planTime = prepared.planTime
    record.maxErrorLevels = verified.deviation?.maxLevels.finite
    record.psnr = verified.deviation?.psnr.finite
    record.outputHash = verified.outputHash
    // A kernel that has failed is not run again. Making a certificate, for example, would run the kernel on
    // images without guard bytes, where it could damage other memory.
    if let violation = verified.violation { return .settled(record.wrong(violation)) }
    let certificate = try certificates.certificate(kernel, item)
    record.certifiedLevels = certificate?.worst?.levels.finite
    record.achievedSigma = (certificate?.achievedSigma ?? achieved(item, kernel))?.finite
    // A certificate is valid only for a kernel that always computes the same output from the same image. The
    // output of a `stateful` kernel changes from blur to blur. Such a kernel is detected later, when the
    // timed output is compared with the verified output.
    if let certificate, certificate.linearity != .stateful, let broken = certificate.violation {
      return .settled(record.wrong("breaks its promise, as its certificate shows: \(broken)"))
    }
    guard verified.seconds <= options.maxCaseSeconds else {
      return .settled(record.skipped(tooLong(((verified.seconds * 10).rounded() / 10).short)))
    }
    return .ready(Ready(subject: prepared, record: record))
  }

  /// Returns the standard deviation of the kernel's actual blur in pixels, which can differ from the
  /// requested sigma.
  private func achieved(_ item: Case, _ kernel: Kernel) -> Double? {
    guard item.workload.mask == nil, let sigma = try? Sigma(item.workload.sigma) else { return nil }
    return achievedSigma(
      of: kernel, format: item.workload.blurredFormat, sigma: sigma, instructionSet: item.isa)
  }

  private func tooLong(_ seconds: String) -> String {
    "one blur takes \(seconds) s, but --max-case-seconds allows only \(options.maxCaseSeconds.short)"
  }

  private func blank(_ item: Case) -> Record { Record(item, machineKey: options.machineKey) }
}
