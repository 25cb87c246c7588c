import Blur
import BlurMeasurement
import BlurRecords
import BlurVerification
import CLinux

extension SceneCatalog {
  /// The scenes and devices of this module.
  public static let interface = SceneCatalog(
    scenes: Scenes.all.map { $0.name }, devices: Device.all.map(\.name)
  ) { (name) throws(BlurError) in
    guard let scene = Scenes.named(name.scene), let device = Device.named(name.device) else {
      throw .invalidLayout("no scene or device is called \(name.text)")
    }
    let player = try ScenePlayer(scene, on: device, kernel: nil)
    return Workload(
      threads: 1, layout: player.blurred, sigma: player.sigma, edge: player.edge, scene: name)
  }
}

/// Measures scenes: holds some frames of each case to the truth, then plays all cases of a workload frame by frame,
/// in another order for each frame.
public struct SceneRunner {
  private let kernels: [Kernel], devices: [Device]
  private let passes: Int, seed: UInt64, machineKey: String
  private let progress: (BlurMeasurement.Progress) -> Void

  /// - Parameters:
  ///   - passes: how often each scene is played while it is timed.
  ///   - seed: what contents grow from.
  public init(
    kernels: [Kernel] = Registry.kernels, devices: [Device] = Device.all, passes: Int, seed: UInt64 = 1,
    machineKey: String,
    progress: @escaping (BlurMeasurement.Progress) -> Void = { _ in }
  ) {
    self.kernels = kernels
    self.devices = devices
    self.passes = passes
    self.seed = seed
    self.machineKey = machineKey
    self.progress = progress
  }

  /// Measures each job, and hands its records on before the next begins; see ``BlurMeasurement/Runner``.
  public func run(
    _ jobs: [Job], done: Set<String> = [], record: ([Record]) throws(MeasurementError) -> Void
  ) throws(MeasurementError) {
    let jobs = jobs.filtered { !done.contains($0.name) }
    let start = ContinuousClock.now
    for (index, job) in jobs.enumerated() {
      let elapsed = (ContinuousClock.now - start) / .seconds(1)
      progress(
        BlurMeasurement.Progress(index: index, count: jobs.count, title: job.workload.title, elapsed: elapsed)
      )
      try record(measure(job).filter { !done.contains($0.name) })
    }
  }

  private func measure(_ job: Job) -> [Record] {
    guard let name = job.workload.scene, let scene = Scenes.named(name.scene),
      let device = devices.first(where: { $0.name == name.device })
    else { return job.cases.map { blank($0).skipped("there is no such scene") } }
    var records: [Record] = []
    var performers: [Performer] = []
    for item in job.cases {
      guard let kernel = kernels.first(where: { $0.name == item.kernel }) else {
        records.append(blank(item).skipped("no kernel is called \(item.kernel)"))
        continue
      }
      do throws(BlurError) {
        let truth = try SceneTruth(scene, on: device, beside: item.kernel, seed: seed)
        performers.append(try Performer(item, kernel, scene, device, seed: seed, truth: truth))
      } catch { records.append(blank(item).skipped("\(error)")) }
    }
    guard !performers.isEmpty, let copy = try? FrameCopy(job.workload) else { return records }
    guard let passes = allPasses(performers, copy, frames: scene.frames) else {
      return records + performers.map { blank($0.item).skipped(Heartbeat.excuse) }
    }
    return records + performers.flatMap { self.records(of: $0, passes, beside: copy) }
      + copy.records(machineKey: machineKey)
  }

  /// The times of each pass by case; nil where the process stood still in every attempt at one of them.
  private func allPasses(
    _ performers: [Performer], _ copy: FrameCopy, frames: Int
  ) -> [[String: FrameTimes]]? {
    var all: [[String: FrameTimes]] = []
    while all.count < passes {
      let pass = Heartbeat.shared.undisturbed {
        play(performers, copy, frames: frames, isFirst: all.isEmpty)
      }
      guard let pass else { return nil }
      all.append(pass)
      copy.end()
    }
    return all
  }

  /// One pass through the scene.
  private func play(
    _ performers: [Performer], _ copy: FrameCopy, frames: Int, isFirst: Bool
  ) -> [String: FrameTimes] {
    for performer in performers { performer.begin(countsAllocations: isFirst) }
    copy.begin()
    for frame in 0..<frames {
      copy.copy()
      for performer in performers.shuffled() {
        performer.play(frame, countsAllocations: isFirst && frame > 0)
      }
    }
    return Dictionary(uniqueKeysWithValues: performers.map { ($0.item.name, $0.end()) })
  }

  private func records(
    of performer: Performer, _ passes: [[String: FrameTimes]], beside copy: FrameCopy
  ) -> [Record] {
    var blank = blank(performer.item)
    blank.planTime = performer.planning
    blank.maxErrorLevels = performer.finding.error.isFinite ? performer.finding.error : nil
    blank.outputHash = performer.finding.hash
    if let failure = performer.failure { return [blank.wrong(failure)] }
    return passes.enumerated().map { number, pass in
      let times = pass[performer.item.name]!
      var record = blank
      record.repetition = number
      record.iterations = times.all.count
      record.realTime = times.mean
      record.memcpyRatio = copy.median.map { times.mean / $0 }
      record.frames = times.figures()
      record.frames.first = performer.planning + performer.firstFrame
      record.frames.allocatedBytes = performer.allocated
      record.frames.flickerLevels = performer.finding.flicker
      record.frames.staleLevels = performer.finding.stale
      return record
    }
  }

  private func blank(_ item: Case) -> Record { Record(item, machineKey: machineKey) }
}

/// A case that plays its scene.
private final class Performer {
  let item: Case
  let finding: SceneTruth.Finding
  /// Nanoseconds of planning everything, and of the first frame after that.
  let planning: Double, firstFrame: Double
  private(set) var failure: String?
  /// Bytes that frames after the first have allocated; nil where they were not counted.
  private(set) var allocated: Int?
  private let player: ScenePlayer
  private var times = FrameTimes()

  init(
    _ item: Case, _ kernel: Kernel, _ scene: any Scene.Type, _ device: Device, seed: UInt64, truth: SceneTruth
  ) throws(BlurError) {
    self.item = item
    let start = ContinuousClock.now
    player = try ScenePlayer(
      scene, on: device, kernel: kernel, isa: item.isa, threads: item.workload.threads, seed: seed)
    planning = (ContinuousClock.now - start) / .nanoseconds(1)
    try player.prepare(0)
    let presenting = ContinuousClock.now
    try player.present(0)
    firstFrame = (ContinuousClock.now - presenting) / .nanoseconds(1)
    finding = try truth.judge(player)
  }

  func begin(countsAllocations: Bool) {
    times = FrameTimes()
    if countsAllocations { allocated = nil }
  }

  func play(_ frame: Int, countsAllocations: Bool) {
    do throws(BlurError) {
      try player.prepare(frame)
      if countsAllocations { allocations_begin() }
      let start = ContinuousClock.now
      try player.present(frame)
      let time = ContinuousClock.now - start
      if countsAllocations {
        let bytes = allocations_end()
        allocated = bytes < 0 ? nil : (allocated ?? 0) + bytes
      }
      times.add(time / .nanoseconds(1))
    } catch { failure = "frame \(frame): \(error)" }
  }

  /// The times of the pass that ends; its last frame must be the verified one.
  func end() -> FrameTimes {
    let hash = PixelHash.of(player.screen)
    if failure == nil, hash != finding.hash {
      failure = "the last frame differs from the verified one: hash \(hash), not \(finding.hash)"
    }
    return times
  }
}

/// A plain copy of what is blurred, beside every frame.
private final class FrameCopy {
  private let workload: Workload
  private let source: Image
  private var target: Image
  private var passes: [FrameTimes] = []
  private var times = FrameTimes()

  init(_ workload: Workload) throws(BlurError) {
    self.workload = workload
    source = try TestImage.deadLeaves.image(workload.layout, seed: 1)
    target = try Image(workload.layout)
  }

  func begin() { times = FrameTimes() }
  func end() { passes.append(times) }

  func copy() {
    let bytes = source.layout.byteCount
    let start = ContinuousClock.now
    source.withView { from in
      target.withMutableView { to in
        // SAFETY: both have the same layout.
        to.base.copyMemory(from: from.base, byteCount: bytes)
      }
    }
    times.add((ContinuousClock.now - start) / .nanoseconds(1))
  }

  /// The median of a copy in nanoseconds.
  var median: Double? { Statistics.median(passes.flatMap(\.all)) }

  func records(machineKey: String) -> [Record] {
    passes.enumerated().map { number, times in
      var record = Record(.copying(workload), machineKey: machineKey)
      record.maxErrorLevels = 0
      record.repetition = number
      record.iterations = times.all.count
      record.realTime = times.mean
      record.frames = times.figures()
      record.memcpyRatio = median.map { times.mean / $0 }
      return record
    }
  }
}
