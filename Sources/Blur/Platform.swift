// This is the only file of the module that depends on an operating system. On a platform without an operating
// system (Embedded Swift), the program that links the library supplies the few functions that
// `BlurPlatform.h` declares.

import CBlurVectors
import Synchronization

#if canImport(Dispatch) && !hasFeature(Embedded)
  import Dispatch
#endif

/// The memory, clock and scheduling functions of the platform.
enum Platform {
  /// Allocates `bytes` bytes that begin at a multiple of `alignment`, which is a power of two. Returns their
  /// address, or nil if there is not enough memory.
  static func allocate(_ bytes: Int, alignment: Int) -> UnsafeMutableRawPointer? {
    blur_allocate(bytes, alignment)
  }

  /// Frees memory that ``allocate(_:alignment:)`` returned.
  static func free(_ address: UnsafeMutableRawPointer) { blur_free(address) }

  /// Lets other threads run on this CPU.
  static func yield() { blur_yield() }

  /// Waits for some nanoseconds without letting other threads run on this CPU.
  @inline(__always) static func pause() { blur_pause() }

  /// The number of CPUs that this process may use.
  static var cpus: Int { Int(blur_cpu_count()) }

  /// The time in nanoseconds on a clock that never goes back.
  static var nanoseconds: UInt64 { blur_nanoseconds() }
}

extension Double {
  @inline(__always) static func atan2(_ y: Double, _ x: Double) -> Double { blur_atan2(y, x) }
  @inline(__always) static func cos(_ angle: Double) -> Double { blur_cos(angle) }
  @inline(__always) static func exp(_ power: Double) -> Double { blur_exp(power) }
  @inline(__always) static func log(_ number: Double) -> Double { blur_log(number) }
  @inline(__always) static func pow(_ base: Double, _ power: Double) -> Double { blur_pow(base, power) }
  @inline(__always) static func sin(_ angle: Double) -> Double { blur_sin(angle) }
}

#if canImport(Dispatch) && !hasFeature(Embedded)
  /// A signal that wakes a sleeping thread of the system, which then does some work. The thread costs nothing
  /// while it sleeps. Sending a signal allocates no memory, unlike a call of
  /// `DispatchQueue.concurrentPerform`.
  final class WakeSignal: Sendable {
    // SAFETY: any thread may use a Dispatch source, although its protocol is not declared as `Sendable`.
    nonisolated(unsafe) private let source: any DispatchSourceUserDataAdd

    /// Whether the platform has threads other than the caller's.
    static let exists = true

    /// Prepares a thread that calls `work` after each signal. If several signals arrive before the call
    /// begins, `work` may be called only once for all of them. Two calls of `work` never run at the same
    /// time. If `work` returns true, it is called again, but only after the other work that already waits in
    /// the system's queue.
    init(_ work: @escaping @Sendable () -> Bool) {
      // SAFETY: any thread may use a Dispatch source, although its protocol is not declared as `Sendable`.
      nonisolated(unsafe) let source = DispatchSource.makeUserDataAddSource(
        queue: .global(qos: .userInitiated))
      source.setEventHandler { if work() { source.add(data: 1) } }
      source.activate()
      self.source = source
    }

    // The event handler retains the source, and the source retains the event handler. Cancelling the source
    // releases the handler, which breaks this cycle.
    deinit { source.cancel() }

    func send() { source.add(data: 1) }
  }
#elseif BLUR_PTHREADS
  /// A signal that wakes a sleeping thread, which then does some work. If the system cannot start a thread,
  /// sending a signal does nothing. The caller then does all the work itself, which only takes longer.
  final class WakeSignal: Sendable {
    private final class Work: Sendable {
      let run: @Sendable () -> Bool
      init(_ run: @escaping @Sendable () -> Bool) { self.run = run }
    }

    // SAFETY: any thread may call the functions of `BlurSignal.h`.
    nonisolated(unsafe) private let signal: OpaquePointer?

    /// Whether the platform has threads other than the caller's.
    static let exists = true

    /// Prepares a thread that calls `work` after each signal. If several signals arrive before the call
    /// begins, `work` may be called only once for all of them. If `work` returns true, it is called again.
    init(_ work: @escaping @Sendable () -> Bool) {
      // SAFETY: the context is the `Work` object, which stays retained until the thread releases it.
      signal = blur_signal_start(
        { $0.map { Unmanaged<Work>.fromOpaque($0).takeUnretainedValue().run() } ?? false },
        { $0.map { Unmanaged<Work>.fromOpaque($0).release() } },
        Unmanaged.passRetained(Work(work)).toOpaque())
    }

    deinit { blur_signal_end(signal) }

    func send() { blur_signal_send(signal) }
  }
#else
  /// A replacement for platforms on which the library cannot start threads. Sending this signal does nothing,
  /// and the calling thread does all the work.
  final class WakeSignal: Sendable {
    static let exists = false

    init(_ work: @escaping @Sendable () -> Bool) {}

    func send() {}
  }
#endif

#if hasFeature(Embedded)
  /// A lock that lends a value to one caller at a time. There is no operating system that could put a waiting
  /// caller to sleep, so the other callers wait in a busy loop.
  struct Lock<Value: Sendable>: ~Copyable, Sendable {
    private final class Storage {
      var value: Value
      init(_ value: Value) { self.value = value }
    }

    private let isTaken = Atomic(false)
    // SAFETY: only the caller that holds the lock reads or writes the storage.
    nonisolated(unsafe) private let storage: Storage

    init(_ value: Value) { storage = Storage(value) }

    func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
      while isTaken.exchange(true, ordering: .acquiring) { Platform.yield() }
      defer { isTaken.store(false, ordering: .releasing) }
      return body(&storage.value)
    }
  }
#else
  typealias Lock = Mutex
#endif
