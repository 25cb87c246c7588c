import Blur
import BlurText
import CLinux
import Foundation

extension Property {
  /// Checks that plans and blurs do not change the state of the calling thread, and leave no memory, threads
  /// or open files behind in the process.
  static let state = Property(
    "state",
    "after a hundred plans and blurs, the CPU's modes, signal mask, threads, files and memory are as before",
    scope: Scope(
      formats: [.gray8, .gray16, .rgba8, .rgba16, .grayf32], sigmas: [6], edges: ["mirror", "clamp"])
  ) { test in
    try test.skipClampIfMirrored()
    if test.format == .rgba16, try test.supports([.gray16]) {
      throw NotApplicable("of the 16-bit formats, only gray16 is checked, because the kernel supports it")
    }
    try test.skipDefinition(ifSigmaAbove: 2.5)
    let image = try test.image(.noise, 11, 9)
    for threads in Set([test.subject.threads, try test.threadsUpToThree]).sorted() {
      try test.expectThreadUnchanged(image, threads)
      try test.expectBlursFreed(image, threads)
    }
    try test.expectRefusalsFreed(image.layout)
    return nil
  }
}

extension KernelUnderTest {
  /// Checks that a blur changes neither the signal mask nor the floating-point modes (such as the rounding
  /// mode) of the calling thread. The image is blurred once with the usual modes and once with unusual modes.
  /// The second blur reveals a kernel that always sets the usual modes.
  fileprivate func expectThreadUnchanged(_ image: Image, _ threads: Int) throws {
    let callers = ThreadState.current
    defer { callers.restore() }
    for (name, state) in [("usual", ThreadState.usual), ("unusual", .unusual)] {
      state.restore()
      let before = ThreadState.current
      _ = try blurredOnAll(image, threads: threads)
      let after = ThreadState.current
      callers.restore()
      guard let change = after.change(from: before) else { continue }
      throw Violation("\(threads.of("thread")), with the \(name) floating-point modes: the blur \(change)")
    }
  }

  /// Checks that a hundred plans and blurs leave no threads, open files or memory behind.
  fileprivate func expectBlursFreed(_ image: Image, _ threads: Int) throws {
    // A blur on several threads may leave more bytes behind than a blur on one thread. The system's worker
    // threads wake each other, and each of them keeps up to 64 KiB of the memory that it used for this.
    let isShared = try threadsInPhases(image.layout, threads).max() ?? 1 > 1
    try expectNoGrowth("plans and blurs on \(threads.of("thread"))", bytes: isShared ? 1024 : 24) {
      _ = try blurredOnAll(image, threads: threads)
    }
  }

  /// Checks that no threads, open files or memory are left behind if the kernel refuses to make a plan. For
  /// example, it may refuse an edge mode or a sigma that it does not support.
  fileprivate func expectRefusalsFreed(_ layout: ImageLayout) throws {
    let sigmas = try [Sigma(x: 0, y: sigma.y), Sigma(x: sigma.x, y: 0), Sigma(0.3), Sigma(1000)]
    let refused = (EdgeMode.allCases.map { parameters(edge: $0) } + sigmas.map { parameters(sigma: $0) })
      .filter { kernel.planningError(of: $0, for: layout) != nil }
    guard !refused.isEmpty else { return }
    try expectNoGrowth("refused plans", bytes: 24) {
      for parameters in refused { _ = kernel.planningError(of: parameters, for: layout) }
    }
  }

  /// Checks that a hundred calls of `body` leave no threads, open files or memory behind. Other parts of the
  /// process may allocate memory at the same time. The check is therefore repeated up to ten times, and it
  /// fails only if something is left behind each time.
  ///
  /// - Parameters:
  ///   - what: A description of the calls, for messages.
  ///   - bytes: The number of bytes that each call may leave behind on average. The allocator's smallest
  ///     block takes 32 bytes. With a limit of 24 bytes, the check therefore fails if each call leaves one
  ///     block behind.
  private func expectNoGrowth(_ what: String, bytes: Int, _ body: () throws -> Void) throws {
    let repetitions = 100
    var growth: String?
    for _ in 0..<5 { try body() }
    for _ in 0..<10 {
      let before = ProcessUsage.current
      for _ in 0..<repetitions { try body() }
      // Helper threads may free their memory a little later than the plan that owns them is freed, so the
      // growth is measured several times.
      for _ in 0..<20 {
        growth = ProcessUsage.current.growth(since: before, calls: repetitions, bytes: bytes)
        if growth == nil { return }
        usleep(5000)
      }
    }
    guard let growth else { return }
    throw Violation("\(repetitions) \(what) have left \(growth) behind")
  }
}

/// The state of a thread that a library function must not change in the thread that calls it: the signal mask
/// and the floating-point modes.
private struct ThreadState {
  private var environment = fenv_t()
  /// The floating-point modes of the thread.
  private var modes: UInt64 = 0
  private var signals = sigset_t()

  static var current: ThreadState {
    var state = ThreadState()
    fegetenv(&state.environment)
    state.modes = float_modes()
    pthread_sigmask(SIG_SETMASK, nil, &state.signals)
    return state
  }

  /// The state of a thread at the start of a program: the usual modes, no raised exception flags and no
  /// blocked signals. The current state may be different, because earlier blurs may have changed the modes,
  /// and threads of Dispatch block signals.
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

  /// A state in which the CPU rounds upwards and replaces denormal numbers by 0, all exception flags are
  /// raised, and the signal SIGUSR2 is blocked.
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

  /// Sets the floating-point environment and the signal mask of the calling thread to this state.
  func restore() {
    var copy = self
    fesetenv(&copy.environment)
    pthread_sigmask(SIG_SETMASK, &copy.signals, nil)
  }

  /// Returns a description of the first difference from the state before, or nil if there is none. A blur may
  /// raise the exception flags for inexact results, denormal numbers and underflow, but must not clear any
  /// flag.
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

/// The threads, open files, allocated bytes and mapped bytes of the process.
private struct ProcessUsage {
  private let threads = Self.entries("/proc/self/task")
  private let files = Self.entries("/proc/self/fd")
  private let bytes = allocations_held()
  private let mapped = Self.mappedBytes

  static var current: ProcessUsage { ProcessUsage() }

  /// Returns a description of what has grown since `old`, or nil if nothing has grown too much. On average,
  /// each call may add half a thread, half an open file, `most` allocated bytes, and 256 KiB of mapped
  /// memory. The limit for mapped memory is generous, because the allocator itself sometimes maps memory.
  func growth(since old: ProcessUsage, calls: Int, bytes most: Int) -> String? {
    if threads - old.threads > calls / 2 { return (threads - old.threads).of("thread") }
    if files - old.files > calls / 2 { return (files - old.files).of("open file") }
    if bytes - old.bytes > calls * most { return (bytes - old.bytes).of("byte") }
    return mapped - old.mapped > calls << 18 ? "\((mapped - old.mapped).of("byte")) of mapped memory" : nil
  }

  /// The size of the process's address space in bytes. It is 0 if the size is not known, or if a sanitizer
  /// replaces the allocator and maps memory for itself.
  private static var mappedBytes: Int {
    guard allocations_held() >= 0,
      let sizes = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8),
      let pages = Int(sizes.prefix { $0 != " " })
    else { return 0 }
    return pages * sysconf(Int32(_SC_PAGESIZE))
  }

  private static func entries(_ folder: String) -> Int {
    (try? FileManager.default.contentsOfDirectory(atPath: folder).count) ?? 0
  }
}
