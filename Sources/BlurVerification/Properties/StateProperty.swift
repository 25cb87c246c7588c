import Blur
import BlurText
import CLinux
import Foundation

extension Property {
  /// Checks that plans and blurs leave no traces in the calling thread and in the process.
  static let state = Property(
    "state",
    "after a hundred plans and blurs, the CPU's modes, signal mask, threads, files and memory are as before",
    scope: Scope(formats: [.gray8, .rgba8, .grayf32], sigmas: [6], edges: ["mirror", "clamp"])
  ) { test in
    try test.skipClampIfMirrored()
    try test.skipDefinition(ifSigmaAbove: 2.5)
    let image = try test.image(.noise, 11, 9)
    for threads in [test.subject.threads, 3] {
      do { _ = try test.plan(image.layout, threads: threads) } catch BlurError.unsupported
        where threads != test.subject.threads
      { continue }
      try test.expectThreadUnchanged(image, threads)
      try test.expectNoGrowth(image, threads)
    }
    return nil
  }
}

extension KernelUnderTest {
  /// Plans a blur, and blurs the image with all threads of the plan, even if the image is small.
  private func planAndBlur(_ image: Image, _ threads: Int) throws {
    let parameters = parameters()
    let plan = try BlurPlan(
      kernel.plan(parameters, for: image.layout, threads: threads), kernel, nil, for: image.layout,
      parameters, threads: threads, sharing: .always)
    var result = try Image(image.layout)
    try plan.blur(image, into: &result)
  }

  /// Checks that the thread that plans and blurs keeps its signal mask and the modes of its CPU. The caller
  /// has chosen unusual modes, so that resetting them to the usual ones is noticed too.
  fileprivate func expectThreadUnchanged(_ image: Image, _ threads: Int) throws {
    let callers = ThreadState.current
    defer { callers.restore() }
    for (name, state) in [("usual", ThreadState.usual), ("unusual", .unusual)] {
      state.restore()
      let before = ThreadState.current
      try planAndBlur(image, threads)
      let after = ThreadState.current
      callers.restore()
      guard let change = after.change(from: before) else { continue }
      throw Violation("\(threads.of("thread")), with the \(name) modes of the CPU: the blur \(change)")
    }
  }

  /// Checks that a hundred plans and blurs leave no threads, open files or memory behind. Other parts of the
  /// process may be at work at the same time, so only growth in ten attempts in a row counts.
  fileprivate func expectNoGrowth(_ image: Image, _ threads: Int) throws {
    let repetitions = 100
    // The smallest block of the allocator takes 32 bytes. Threads of the system keep up to 64 KiB each of the
    // memory that they have used to call each other.
    let bytes = (threads > 1 ? 1024 : 24) * repetitions
    var growth: String?
    for _ in 0..<5 { try planAndBlur(image, threads) }
    for _ in 0..<10 {
      let before = ProcessUsage.current
      for _ in 0..<repetitions { try planAndBlur(image, threads) }
      // Helper threads free their memory some time after the plan that owned them is gone.
      for _ in 0..<20 {
        growth = ProcessUsage.current.growth(since: before, units: repetitions / 2, bytes)
        if growth == nil { return }
        usleep(5000)
      }
    }
    guard let growth else { return }
    throw Violation("\(repetitions) plans and blurs on \(threads.of("thread")) have left \(growth) behind")
  }
}

/// The state of the calling thread that a function of a library must not change.
private struct ThreadState {
  private var environment = fenv_t()
  /// The modes of `environment`, if it is the state of a thread.
  private var modes: UInt64 = 0
  private var signals = sigset_t()

  static var current: ThreadState {
    var state = ThreadState()
    fegetenv(&state.environment)
    state.modes = float_modes()
    pthread_sigmask(SIG_SETMASK, nil, &state.signals)
    return state
  }

  /// A state with the modes in which a program starts, without raised exception flags or blocked signals.
  /// Blurs that were made earlier may have changed the current modes, and threads of Dispatch block signals.
  static var usual: ThreadState {
    var state = current
    sigemptyset(&state.signals)
    #if arch(x86_64) && os(Linux)
      state.environment.__mxcsr = 0x1F80
      state.environment.__control_word = 0x037F
      state.environment.__status_word = 0
    #endif
    return state
  }

  /// A state that rounds upwards, replaces denormal numbers by 0, has raised all exception flags, and blocks
  /// the signal SIGUSR2.
  static var unusual: ThreadState {
    var state = usual
    sigaddset(&state.signals, SIGUSR2)
    #if arch(x86_64) && os(Linux)
      state.environment.__mxcsr |= 0xC07F
      state.environment.__control_word |= 0x0800
      state.environment.__status_word |= 0x3F
    #endif
    return state
  }

  /// Gives the calling thread this state.
  func restore() {
    var copy = self
    fesetenv(&copy.environment)
    pthread_sigmask(SIG_SETMASK, &copy.signals, nil)
  }

  /// Returns a description of the first difference from the state before, or nil if there is none. A blur may
  /// raise the exception flags for inexact and for very small results, but must not clear any flag.
  func change(from before: ThreadState) -> String? {
    if let change = float_modes_change(before.modes, modes) { return String(cString: change) }
    #if arch(x86_64) && os(Linux)
      let (old, new) = (before.environment, environment)
      if old.__mxcsr & ~new.__mxcsr & 0x3F != 0 { return "has cleared exception flags of the CPU" }
      if new.__mxcsr & ~old.__mxcsr & 0x0D != 0 {
        return "has raised exception flags of the CPU (invalid, division by zero or overflow)"
      }
    #endif
    let bytes = { (set: sigset_t) in withUnsafeBytes(of: set) { Array($0) } }
    return bytes(signals) == bytes(before.signals) ? nil : "has changed the signal mask"
  }
}

/// The threads, open files and allocated bytes of the process.
private struct ProcessUsage {
  private let threads = Self.entries("/proc/self/task")
  private let files = Self.entries("/proc/self/fd")
  private let bytes = allocations_held()

  static var current: ProcessUsage { ProcessUsage() }

  /// Returns a description of what has grown since `old`, or nil if nothing has grown by more than the given
  /// numbers of threads and files and of bytes.
  func growth(since old: ProcessUsage, units most: Int, _ mostBytes: Int) -> String? {
    if threads - old.threads > most { return (threads - old.threads).of("thread") }
    if files - old.files > most { return (files - old.files).of("open file") }
    return bytes - old.bytes > mostBytes ? (bytes - old.bytes).of("byte") : nil
  }

  private static func entries(_ folder: String) -> Int {
    (try? FileManager.default.contentsOfDirectory(atPath: folder).count) ?? 0
  }
}
