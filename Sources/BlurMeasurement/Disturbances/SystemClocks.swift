import BlurRecords
import Foundation

/// Where CPU time went until now, and what slowed CPUs down: nil where the system does not say.
struct SystemClocks {
  /// Seconds since some moment.
  var wall = 0.0
  /// CPU seconds of this process, and of the calling thread.
  var process = 0.0, thread = 0.0
  /// Involuntary context switches of all threads of this process.
  var interruptions = 0
  /// CPU seconds of all programs of this machine, and those that other virtual machines took.
  var busy: Double?, stolen: Double?
  /// How often CPUs were slowed down for their heat.
  var throttles: Int?

  /// Reads the clocks.
  static func now(_ files: MachineFiles) -> SystemClocks {
    var clocks = own()
    if let ticks = files.ticks {
      (clocks.busy, clocks.stolen) = (ticks.busy * tick, ticks.stolen.map { $0 * tick })
    }
    clocks.throttles = files.throttles
    return clocks
  }

  /// Reads the clocks of this process alone, which takes a microsecond.
  static func own() -> SystemClocks {
    var clocks = SystemClocks()
    clocks.interruptions = Interruptions.count
    clocks.process = seconds(CLOCK_PROCESS_CPUTIME_ID)
    clocks.thread = seconds(CLOCK_THREAD_CPUTIME_ID)
    clocks.wall = GoogleBenchmark().now
    return clocks
  }

  /// Seconds of a tick, in which the system counts.
  static let tick = 1 / Double(max(1, sysconf(Int32(_SC_CLK_TCK))))
  /// The counts of ticks are rounded one by one: so much of what seems to be other programs' time may be
  /// nothing.
  private static let unsure = 3 * tick

  /// What one of the system's clocks says.
  static func seconds(_ clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// What others took between two moments.
  ///
  /// Threads of this process that wait for each other are not others: a kernel that starts more threads than
  /// there are CPUs is interrupted by itself. So interruptions count only where no thread but the calling one
  /// ran.
  struct OutsideLoad {
    var seconds = 0.0
    /// How often other programs interrupted the calling thread.
    var interruptions = 0
    /// CPU seconds that other virtual machines took, and that other programs took at least.
    var stolen: Double?, others: Double?
    var throttles: Int?

    /// How much speaks for taking the sample again: interruptions, and ticks of time that others took.
    var disturbances: Int { interruptions + Int(((stolen ?? 0) + (others ?? 0)) / SystemClocks.tick + 0.5) }
  }

  /// What others took since an earlier moment.
  func load(since start: SystemClocks) -> OutsideLoad {
    var load = OutsideLoad()
    let own = (process: process - start.process, thread: thread - start.thread)
    load.seconds = wall - start.wall
    // The two clocks are not read at once.
    let isAlone = own.process - own.thread < 0.01 * own.thread + 20e-6
    load.interruptions = isAlone ? interruptions - start.interruptions : 0
    if let stolen, let before = start.stolen { load.stolen = max(0, stolen - before) }
    if let busy, let before = start.busy {
      let others = busy - before - own.process
      load.others = others > Self.unsure ? others : 0
    }
    if let throttles, let before = start.throttles { load.throttles = max(0, throttles - before) }
    return load
  }
}
