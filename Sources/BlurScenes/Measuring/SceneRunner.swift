import Blur
import BlurMeasurement
import BlurRecords
import BlurVerification
import CLinux

/// Measures scenes, which are animations of user interfaces with blurs. First, each kernel plays the scene,
/// and some of its frames are compared with the reference. Then all cases of a workload are timed frame by
/// frame, in a different random order for each frame.
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
    // The times of the blurs are compared with the time of a plain memory copy on one thread.
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

  /// Plays the scene several times, and returns the frame times of each playback, which is called a pass. If
  /// the process was suspended during a pass, for example because the computer slept, the pass is repeated.
  /// The result is nil if every attempt at a pass was interrupted in this way.
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

  /// Returns one copy of the record for each pass. Each copy also contains the frame times of its pass.
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

  /// The times that were measured when all cases of a scene were played once from beginning to end.
  private struct Pass {
    /// The frame times of each case in nanoseconds.
    let times: [[Double]]
    /// For each frame, the time in nanoseconds of the memcpy that runs once per frame.
    let ofCopy: [Double]
    let disturbance: Disturbance?
  }

  private func blank(_ item: Case) -> Record { Record(item, machineKey: machineKey) }
}

/// A benchmark case that is measured by rendering all frames of an animated scene.
private final class PlayedCase {
  let item: Case
  let finding: SceneTruth.Finding
  /// The time for planning the whole scene, and the time for presenting the first frame after that, in
  /// nanoseconds.
  let planning: Double, firstFrame: Double
  private(set) var failure: String?
  /// The total number of bytes that were allocated while the frames were presented, without the first frame,
  /// or nil if allocations were not counted.
  private(set) var allocated: Int?
  /// The size in bytes of all memory that the scene keeps allocated: its images, plans and scratch memory. It
  /// is nil if memory was not counted.
  let held: Int?
  private let player: ScenePlayer
  /// The index of the frame that is presented, or -1 before the first frame.
  private var frame = -1
  private var countsAllocations = false

  init(
    _ item: Case, _ kernel: Kernel, _ scene: Scene, _ device: Device, truth: SceneTruth
  ) throws(BlurError) {
    self.item = item
    let before = allocations_held()
    let start = ContinuousClock.now
    let stage = Stage(device, kernel: kernel, isa: item.isa, threads: item.workload.threads)
    player = try ScenePlayer(scene, stage)
    planning = (ContinuousClock.now - start) / .nanoseconds(1)
    try player.prepare(0)
    let presenting = ContinuousClock.now
    try player.present(0)
    firstFrame = (ContinuousClock.now - presenting) / .nanoseconds(1)
    held = before < 0 ? nil : allocations_held() - before
    finding = try truth.judge(player)
  }

  /// Starts a new playback of the scene, from the first frame.
  func begin(countsAllocations: Bool) {
    frame = -1
    self.countsAllocations = countsAllocations
    if countsAllocations { allocated = nil }
  }

  /// The task whose iterations present the frames of the scene in order. The content of each frame is drawn
  /// before it is presented.
  var task: TimedTask {
    TimedTask(name: item.name, threads: item.workload.threads) {
      self.frame += 1
      self.attempt { () throws(BlurError) in try self.player.prepare(self.frame) }
    } iterate: {
      self.attempt(self.present)
    }
  }

  /// Runs one step of the playback and records its error, unless an earlier step has already failed.
  private func attempt(_ step: () throws(BlurError) -> Void) {
    guard failure == nil else { return }
    do throws(BlurError) { try step() } catch { failure = "frame \(frame): \(error)" }
  }

  /// Presents a frame. If allocations are counted, this adds the number of bytes that the frame allocates to
  /// `allocated`, unless it is the first frame.
  private func present() throws(BlurError) {
    guard countsAllocations, frame > 0 else { return try player.present(frame) }
    allocations_begin(item.workload.threads > 1)
    defer {
      let bytes = allocations_end()
      allocated = bytes < 0 ? nil : (allocated ?? 0) + bytes
    }
    try player.present(frame)
  }

  /// Ends one playback of the scene. The pixels of the last frame must be the same as when the scene was
  /// played for verification. Otherwise, the case is marked as failed.
  func end() {
    if failure == nil, player.screen.pixelHash != finding.hash {
      failure = "the last frame had different pixels when it was verified"
    }
  }
}

/// A plain memory copy of an image that is as large as the blurred image. The copy is timed once per frame
/// and serves as the baseline for the blurs.
private final class FrameCopy {
  private let source: Image
  private var target: Image

  init(_ layout: ImageLayout) throws(BlurError) {
    source = try TestImage.deadLeaves.image(layout, seed: 1)
    target = try Image(layout)
  }

  var task: TimedTask { TimedTask(name: Case.memcpy) { self.copy() } }

  private func copy() {
    let bytes = source.layout.byteCount
    source.withViews(into: &target) { from, to in
      // SAFETY: both images have the same layout, and `bytes` is the number of bytes in that layout.
      to.unsafeBase.copyMemory(from: from.unsafeBase, byteCount: bytes)
    }
  }
}

extension Record {
  /// Stores the index of a pass and its frame times, in nanoseconds.
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
