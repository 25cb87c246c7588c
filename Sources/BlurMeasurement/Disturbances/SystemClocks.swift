import BlurRecords
import Foundation

/// A reading of the system's clocks and counters. They show which programs used CPU time, and whether CPUs
/// were slowed down. A counter that the system does not offer is nil.
struct SystemClocks {
  /// The real time in seconds since a fixed moment.
  var wall = 0.0
  /// The CPU time of this process and of the calling thread, in seconds.
  var process = 0.0, thread = 0.0
  /// The number of involuntary context switches of all threads of this process.
  var interruptions = 0
  /// The CPU time that all programs on this machine have used, and the CPU time that other virtual machines
  /// have taken from this machine. Both are in seconds, counted from the start of the system.
  var busy: Double?, stolen: Double?
  /// The number of times that CPUs have been slowed down because they were too hot.
  var throttles: Int?

  /// Returns a reading of all clocks and counters, including the counters of the whole system.
  static func now(_ files: MachineFiles) -> SystemClocks {
    var clocks = own()
    if let ticks = files.ticks {
      (clocks.busy, clocks.stolen) = (ticks.busy * tick, ticks.stolen.map { $0 * tick })
    }
    clocks.throttles = files.throttles
    return clocks
  }

  /// Returns a reading of only the clocks of this process. Reading them takes about a microsecond.
  static func own() -> SystemClocks {
    var clocks = SystemClocks()
    var usage = rusage()
    // The 0 stands for `RUSAGE_SELF`. This constant is not used, because its type differs between operating
    // systems.
    getrusage(0, &usage)
    clocks.interruptions = usage.ru_nivcsw
    clocks.process = seconds(CLOCK_PROCESS_CPUTIME_ID)
    clocks.thread = seconds(CLOCK_THREAD_CPUTIME_ID)
    clocks.wall = ContinuousClock.seconds
    return clocks
  }

  /// The length of a tick in seconds. The system counts CPU time in ticks.
  static let tick = 1 / Double(max(1, sysconf(Int32(_SC_CLK_TCK))))
  /// The largest error of ``OutsideLoad/others``, in seconds. The system rounds its counts to ticks, so it
  /// can look as if other programs took a few ticks although no other program ran.
  private static let unsure = 3 * tick

  /// Returns the time that one of the system's clocks shows, in seconds.
  static func seconds(_ clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// The CPU time that other programs and other virtual machines took between two readings of the clocks, and
  /// the number of times that they interrupted the calling thread.
  ///
  /// Interruptions are counted only if no other thread of this process ran. Otherwise, the threads may have
  /// interrupted each other, for example because a kernel had started more threads than there are CPUs.
  struct OutsideLoad {
    var seconds = 0.0
    /// The number of times that other programs interrupted the calling thread.
    var interruptions = 0
    /// The CPU seconds that other virtual machines took, and a lower bound for the CPU seconds that other
    /// programs took.
    var stolen: Double?, others: Double?
    var throttles: Int?

    /// A measure of how much the sample was disturbed. It is the number of interruptions, plus the CPU time
    /// in clock ticks that other programs and other virtual machines took. If a sample is measured several
    /// times, the measurement with the smallest value is used.
    var disturbances: Int { interruptions + Int(((stolen ?? 0) + (others ?? 0)) / SystemClocks.tick + 0.5) }
  }

  /// Returns the load that other programs and virtual machines have caused since an earlier reading.
  func load(since start: SystemClocks) -> OutsideLoad {
    var load = OutsideLoad()
    let own = (process: process - start.process, thread: thread - start.thread)
    load.seconds = wall - start.wall
    // A small difference between the CPU times of the process and of the thread is accepted, because the two
    // times are read one after the other.
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
