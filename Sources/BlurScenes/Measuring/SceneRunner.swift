import Blur
import BlurMeasurement
import BlurRecords

/// Measures scenes, which are animations of user interfaces with blurs. Some frames that each kernel renders
/// are first compared with the reference. Then all cases of a workload are played frame by frame, in a
/// different random order for each frame.
public struct SceneRunner: CaseRunner {
  private let kernels: [Kernel], devices: [Device]
  private let passes: Int, machineKey: String
  private let progress: (RunProgress) -> Void
  private let sampler = Sampler(watch: DisturbanceWatch())

  /// Creates a runner.
  ///
  /// - Parameter passes: The number of times that each scene is played while it is timed.
  public init(
    kernels: [Kernel] = Registry.kernels, devices: [Device] = Device.all, passes: Int,
    machineKey: String,
    progress: @escaping (RunProgress) -> Void = { _ in }
  ) {
    self.kernels = kernels
    self.devices = devices
    self.passes = passes
    self.machineKey = machineKey
    self.progress = progress
  }

  public func run(
    _ jobs: [Job], done: Set<String>, record: ([Record]) throws(MeasurementError) -> Void
  ) throws(MeasurementError) {
    let jobs = jobs.filtered { !done.contains($0.name) }
    let start = ContinuousClock.seconds
    for (index, job) in jobs.enumerated() {
      let elapsed = ContinuousClock.seconds - start
      progress(
        RunProgress(index: index, count: jobs.count, title: job.workload.title, elapsed: elapsed)
      )
      try record(measure(job).filter { !done.contains($0.name) })
    }
  }

  private func measure(_ job: Job) -> [Record] {
    guard let name = job.workload.scene, let scene = Scene.named(name.scene),
      let device = devices.first(where: { $0.name == name.device })
    else { return job.cases.map { blank($0).skipped("there is no scene or device with this name") } }
    var records: [Record] = []
    var cases: [PlayedCase] = []
    for item in job.cases {
      guard let kernel = kernels.first(where: { $0.name == item.kernel }) else {
        records.append(blank(item).skipped("no kernel is called \(item.kernel)"))
        continue
      }
      do throws(BlurError) {
        let truth = try SceneTruth(scene, on: device, beside: item.kernel)
        cases.append(try PlayedCase(item, kernel, scene, device, truth: truth))
      } catch { records.append(blank(item).skipped("\(error)")) }
    }
    guard !cases.isEmpty, let copy = try? FrameCopy(job.workload.layout) else { return records }
    guard let passes = allPasses(cases, copy, frames: scene.frames) else {
      return records + cases.map { blank($0.item).skipped(SuspendDetector.reason) }
    }
    // The time of a plain memory copy, which blur times are compared with. Each copy ran on one thread.
    let baseline = MemcpyBaseline(passes.flatMap(\.ofCopy), threads: 1)
    var copied = Record(.copying(job.workload), machineKey: machineKey)
    copied.maxErrorLevels = 0
    for (index, played) in cases.enumerated() {
      let times = passes.map { (times: $0.times[index], disturbance: $0.disturbance) }
      records += self.records(of: played, times, baseline)
    }
    return records
      + self.records(copied, passes.map { (times: $0.ofCopy, disturbance: nil) }, baseline)
  }

  /// Plays the scene several times, and returns the frame times of each time, which is called a pass. A pass
  /// is repeated if the process was suspended during it, for example because the computer slept. The result
  /// is nil if all repetitions of a pass were disturbed in this way.
  private func allPasses(_ cases: [PlayedCase], _ copy: FrameCopy, frames: Int) -> [Pass]? {
    var all: [Pass] = []
    while all.count < passes {
      let pass = sampler.suspensions.undisturbed {
        play(cases, copy, frames: frames, countsAllocations: all.isEmpty)
      }
      guard let pass else { return nil }
      all.append(pass)
    }
    return all
  }

  /// Plays the scene once with every case.
  private func play(
    _ cases: [PlayedCase], _ copy: FrameCopy, frames: Int, countsAllocations: Bool
  ) -> Pass {
    for played in cases { played.begin(countsAllocations: countsAllocations) }
    let (times, disturbance) = sampler.oneByOne(cases.map(\.task) + [copy.task]) { turns, _ in
      turns < frames
    }
    for played in cases { played.end() }
    return Pass(
      times: times.dropLast().map(\.times), ofCopy: times[cases.count].times, disturbance: disturbance)
  }

  private func records(
    of played: PlayedCase, _ passes: [(times: [Double], disturbance: Disturbance?)],
    _ baseline: MemcpyBaseline?
  ) -> [Record] {
    var blank = blank(played.item)
    blank.planTime = played.planning
    blank.maxErrorLevels = played.finding.error.isFinite ? played.finding.error : nil
    blank.outputHash = played.finding.hash
    if let failure = played.failure { return [blank.wrong(failure)] }
    return records(blank, passes, baseline).map { record in
      var record = record
      record.frames.first = played.planning + played.firstFrame
      record.frames.allocatedBytes = played.allocated
      record.frames.heldBytes = played.held
      record.frames.flickerLevels = played.finding.flicker
      record.frames.jumpLevels = played.finding.jump
      record.frames.truthJumpLevels = played.finding.truthJump
      record.frames.staleLevels = played.finding.stale
      return record
    }
  }

  /// Returns a copy of the record for each pass, with the times of the frames filled in.
  private func records(
    _ blank: Record, _ passes: [(times: [Double], disturbance: Disturbance?)], _ baseline: MemcpyBaseline?
  ) -> [Record] {
    passes.enumerated().map { number, pass in
      var record = blank
      record.setFrames(pass.times, pass: number)
      if let disturbance = pass.disturbance { record.disturbance = disturbance }
      baseline?.measure(&record)
      return record
    }
  }

  /// The results of playing the scene once from beginning to end, for all cases that use this scene.
  private struct Pass {
    /// The frame times of each case in nanoseconds.
    let times: [[Double]]
    /// The time in nanoseconds of the memory copy in each frame.
    let ofCopy: [Double]
    let disturbance: Disturbance?
  }

  private func blank(_ item: Case) -> Record { Record(item, machineKey: machineKey) }
}

extension Record {
  /// Stores the number of a pass and the times of its frames, in nanoseconds.
  mutating func setFrames(_ times: [Double], pass: Int) {
    repetition = pass
    iterations = times.count
    realTime = times.reduce(0, +) / Double(max(1, times.count))
    frames = FrameFigures(times: times)
  }
}

extension SceneCatalog {
  /// The catalog of the scenes and devices in this module.
  public static let interface = SceneCatalog(
    scenes: Scene.all.map(\.name), devices: Device.all.map(\.name), usualDevice: "phone-3x"
  ) { (name) throws(BlurError) in
    guard let scene = Scene.named(name.scene), let device = Device.named(name.device) else {
      throw .invalidLayout("there is no scene or device with the name \(name.text)")
    }
    let player = try ScenePlayer(scene, Stage(device))
    return Workload(
      threads: 1, layout: player.blurred, sigma: player.sigma, edge: player.edge, scene: name)
  }
}
