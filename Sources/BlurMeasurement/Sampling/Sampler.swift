import Blur
import BlurRecords
import Foundation

/// Takes the samples of all measurements in this program.
///
/// Usually, Google Benchmark times many iterations of a task together as one sample. If something must happen
/// between the iterations, such as emptying the caches or waiting for the next frame of a screen,
/// ``oneByOne(_:rate:while:)`` times every iteration by itself.
///
/// The properties describe the machine that runs the iterations: this machine, another machine (a target), or
/// a simulated machine in a test.
public struct Sampler {
  /// Times iterations that follow each other directly. Returns the wall time and the CPU time of all threads
  /// per iteration, in nanoseconds.
  var time: (_ task: TimedTask, _ iterations: Int) throws(MeasurementError) -> (real: Double, cpu: Double) =
    GoogleBenchmark.time
  /// Returns the number of seconds since a fixed moment.
  var now: () -> Double = { ContinuousClock.seconds }
  /// Sleeps until the given moment on the clock `now`, or slightly longer.
  var wait: (_ moment: Double) -> Void = { moment in
    Thread.sleep(forTimeInterval: max(0, moment - ContinuousClock.seconds))
  }
  /// Reads the clocks that show how other programs disturb a sample.
  var clocks: () -> SystemClocks
  /// Detects that the process was suspended, for example because the computer slept. Samples that were
  /// interrupted in this way are discarded.
  public var suspensions = SuspendDetector.shared
  /// Whether the tasks run on this machine, so that their energy and cache misses can be read from its
  /// counters.
  private(set) var isHere = true
  /// Whether the caches can be emptied before an iteration. This is necessary for timing cold blurs.
  var canEvict = ImageView.canEvict
  /// The kernel that copies images without blurring them, so that the times of blurs can be compared with the
  /// times of copies. It runs on the same machine as the other kernels.
  private(set) var copy = MemcpyRuns.kernel
  /// Reports how other programs disturbed each sample, or nil if disturbances are not reported.
  private let watch: DisturbanceWatch?

  /// The largest number of iterations in a sample.
  private static let most = 1e9
  /// The planned duration of a sample as a multiple of its minimum duration. The plan includes some surplus
  /// because the number of iterations is computed from the warm-up, and the iterations of the sample may turn
  /// out faster.
  private static let surplus = 1.25
  /// The smallest number of frames in a sample. Percentiles of fewer frames would be meaningless.
  private static let fewestFrames = 30

  /// Creates a sampler for tasks that run on this machine.
  ///
  /// - Parameter watch: Reports for each sample how other programs disturbed it. By default, disturbances are
  ///   not reported.
  public init(watch: DisturbanceWatch? = nil) {
    self.watch = watch
    if let watch {
      clocks = watch.clocks
    } else {
      let files = MachineFiles()
      clocks = { .now(files) }
    }
  }

  /// Creates a sampler for kernels that run on another machine, the target. The sampler uses the target's
  /// clock, so the time for sending images to the target does not count.
  ///
  /// - Parameters:
  ///   - kernel: Any kernel of the target. It makes the plain copies of images, because every kernel copies
  ///     its input if sigma is 0.
  ///   - time: Runs `body` once, but makes the target run each blur in it `turns` times. Returns the total
  ///     time of these blurs in nanoseconds.
  public init(target kernel: Kernel, time: @escaping (_ turns: Int, _ body: () -> Void) -> UInt64) {
    self.init()
    isHere = false
    copy = Kernel(name: Case.memcpy, summary: "a plain copy", promise: .exact()) {
      (problem) throws(BlurError) in
      var problem = problem
      problem.sigma = try Sigma(0)
      return try kernel.plan(problem)
    }
    self.time = { (task, iterations) throws(MeasurementError) in
      let each = Double(time(iterations, task.iterate)) / Double(iterations)
      return (real: each, cpu: each)
    }
  }

  /// Returns the number of iterations that take about `nanoseconds` in total if one iteration takes `once`
  /// nanoseconds. The result is at least 1.
  public static func iterations(lasting nanoseconds: Double, each once: Double) -> Int {
    Int(min(most, max(1, nanoseconds / once)).rounded(.up))
  }

  /// Calls `take` for all items in several rounds, in a new random order each round. Stops as soon as
  /// `goesOn` returns false.
  public static func interleaved<Item>(
    _ items: some Collection<Item>, rounds: Int, while goesOn: () -> Bool = { true },
    _ take: (Item) throws(MeasurementError) -> Void
  ) throws(MeasurementError) {
    for _ in 0..<rounds {
      for item in items.shuffled() {
        guard goesOn() else { return }
        try take(item)
      }
    }
  }

  // MARK: Iterations that are timed together

  /// Takes one sample by timing `iterations` iterations of a task together.
  ///
  /// If other programs disturb the sample, it is taken again, up to `attempts` times in total. The result is
  /// the attempt with the fewest interruptions by other programs, even if another attempt was faster.
  /// Interruptions by other threads of this process do not count (see ``SystemClocks/OutsideLoad``).
  ///
  /// - Parameter fillsCaches: Whether a few untimed iterations run first, so that the caches hold the data of
  ///   this task.
  public func sample(
    _ task: TimedTask, iterations: Int, attempts: Int = 5, fillsCaches: Bool = true
  ) throws(MeasurementError) -> Sample {
    if fillsCaches { for _ in 0..<(iterations + 7) / 8 { task.iterate() } }
    let beginning = watch?.begin(threads: task.threads)
    var start = beginning?.clocks ?? clocks()
    var best: (sample: Sample, load: SystemClocks.OutsideLoad)?
    for _ in 0..<attempts {
      let time = try self.time(task, iterations)
      let now = clocks()
      let load = now.load(since: start)
      start = now
      if load.disturbances < best?.load.disturbances ?? .max {
        best = (Sample(iterations: iterations, realTime: time.real, cpuTime: time.cpu), load)
      }
      if load.disturbances == 0 { break }
    }
    guard let best else { throw .failed("internal error: no sample was taken") }
    task.inspect(best.sample.realTime * Double(iterations) / 1e9)
    var sample = best.sample
    if let watch, let beginning {
      sample.disturbance = watch.disturbance(best.load, beginning, threads: task.threads)
    }
    return sample
  }

  /// Takes as many samples of each task as `settings` asks for. The samples of all tasks are interleaved at
  /// random. Returns the samples of each task, in the order of the tasks.
  ///
  /// The pace says when each iteration begins. If iterations follow each other directly (pace `warm` or
  /// `once`), many iterations are timed together. If the caches are emptied before each iteration, or if each
  /// iteration waits for the next frame, every iteration is timed by itself.
  func samples(
    of tasks: [TimedTask], _ settings: TimingSettings, at pace: Pace = .warm
  ) throws(MeasurementError) -> [[Sample]] {
    var counts: [Int] = []
    if pace.isSteady { for task in tasks { counts.append(try warmUp(task, settings)) } }
    var samples = tasks.map { _ in [Sample]() }
    try Self.interleaved(tasks.indices, rounds: settings.repetitions) { (number) throws(MeasurementError) in
      let task = tasks[number]
      samples[number].append(
        try pace.isSteady
          ? sample(task, iterations: counts[number], attempts: 1, fillsCaches: false)
          : pacedSample(task, rate: pace.frameRate, seconds: settings.minTime))
    }
    return samples
  }

  /// Warms a task up with runs of more and more iterations, until a run takes at least as long as the
  /// required warm-up, and at least half as long as a sample. Returns the number of iterations for a sample,
  /// which is computed from the last run.
  private func warmUp(_ task: TimedTask, _ settings: TimingSettings) throws(MeasurementError) -> Int {
    let least = max(settings.warmUp, settings.minTime / 2) * 1e9
    var count = 1
    while true {
      let each = try time(task, count).real
      // If the clock stands still, the number of iterations would otherwise grow forever.
      if each == 0 { return 1 }
      if each * Double(count) >= least || Double(count) >= Self.most {
        return Self.iterations(lasting: settings.minTime * 1e9 * Self.surplus, each: each)
      }
      // The time of very few iterations is imprecise, so the number of iterations grows at most tenfold at a
      // time.
      let wanted = Self.iterations(lasting: least * Self.surplus, each: each)
      count = min(max(wanted, count + 1), 10 * count)
    }
  }

  // MARK: Iterations that are timed one by one

  /// Times every iteration by itself. In each turn, every task runs once, in a random order.
  ///
  /// - Parameters:
  ///   - tasks: The tasks to time. A task is prepared before each of its iterations.
  ///   - rate: The number of frames per second if each iteration waits for the next frame, or nil if no
  ///     iteration waits.
  ///   - goesOn: Returns whether to run another turn. Its arguments are the number of turns so far and the
  ///     number of seconds since the first turn began.
  /// - Returns: The times of each task, in the order of the tasks, and the disturbances. The disturbances are
  ///   nil if they are not reported.
  public func oneByOne(
    _ tasks: [TimedTask], rate: Double? = nil, while goesOn: (_ turns: Int, _ seconds: Double) -> Bool
  ) -> (times: [IterationTimes], disturbance: Disturbance?) {
    let threads = tasks.map(\.threads).max() ?? 1
    let beginning = watch?.begin(threads: threads)
    let first = now()
    var times = tasks.map { _ in IterationTimes() }
    var turns = 0
    while goesOn(turns, now() - first) {
      for number in tasks.indices.shuffled() {
        let due = begin(tasks[number], rate: rate, since: first)
        let cpuStart = SystemClocks.seconds(CLOCK_PROCESS_CPUTIME_ID)
        let start = now()
        tasks[number].iterate()
        let end = now()
        let cpuTime = SystemClocks.seconds(CLOCK_PROCESS_CPUTIME_ID) - cpuStart
        times[number].add(time: end - start, delay: end - due, cpuTime: cpuTime)
      }
      turns += 1
    }
    return (times, beginning.flatMap { watch?.end($0, threads: threads) })
  }

  /// Prepares the next iteration and returns the moment at which it is due. If there is a frame rate, this
  /// method waits for the next frame.
  ///
  /// - Parameter first: The moment at which the first frame was due.
  func begin(_ task: TimedTask, rate: Double?, since first: Double) -> Double {
    task.prepare()
    let now = self.now()
    guard let rate else { return now }
    // The iteration is due at the beginning of the next frame. If the previous iteration took longer than one
    // frame, the frames that it missed are skipped.
    let due = first + (((now - first) * rate).rounded(.down) + 1) / rate
    wait(due)
    return due
  }

  private func pacedSample(_ task: TimedTask, rate: Double?, seconds: Double) -> Sample {
    // The first iteration is not timed, because it is slow: it touches new memory pages and starts threads.
    task.iterate()
    let (times, disturbance) = oneByOne([task], rate: rate) { turns, elapsed in
      turns < Self.fewestFrames || elapsed < seconds
    }
    task.inspect(seconds)
    var sample = times[0].sample(hasFrames: rate != nil)
    sample.disturbance = disturbance
    return sample
  }
}

extension ContinuousClock {
  private static let beginning = ContinuousClock.now

  /// The number of seconds since a fixed moment. It also grows while the computer sleeps.
  package static var seconds: Double { (now - beginning) / .seconds(1) }
}
