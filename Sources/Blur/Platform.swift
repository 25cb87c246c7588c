// The only file of this module that knows of an operating system. Where there is none (Embedded Swift), the
// program that links the library supplies the few functions that `BlurPlatform.h` declares.

import CBlurVectors
import Synchronization

#if canImport(Dispatch) && !hasFeature(Embedded)
  import Dispatch
#endif

/// Memory, time and turns.
enum Platform {
  /// Memory that begins at a multiple of `alignment`, a power of two; nil where there is not enough.
  static func allocate(_ bytes: Int, alignment: Int) -> UnsafeMutableRawPointer? {
    blur_allocate(bytes, alignment)
  }

  /// Gives back what ``allocate(_:alignment:)`` gave.
  static func free(_ address: UnsafeMutableRawPointer) { blur_free(address) }

  /// Lets other threads run.
  static func yield() { blur_yield() }

  /// Waits for some nanoseconds without letting other threads run.
  @inline(__always) static func pause() { blur_pause() }

  /// How many CPUs this process may use.
  static var cpus: Int { Int(blur_cpu_count()) }

  /// A clock that never goes back.
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
  /// Work for a sleeping thread of the system, which a signal wakes. It costs nothing meanwhile, and a signal
  /// takes no memory, as `DispatchQueue.concurrentPerform` does each time.
  final class WakeSignal: Sendable {
    // SAFETY: sources of Dispatch may be used from any thread; the protocol just does not say so.
    nonisolated(unsafe) private let source: any DispatchSourceUserDataAdd

    /// Whether there are threads beside the caller's.
    static let exists = true

    /// Does `work` after each signal, several of which may become one, on one thread at a time. Work that
    /// returns true is done again, after what else waits for a thread of the system.
    init(_ work: @escaping @Sendable () -> Bool) {
      // SAFETY: as above.
      nonisolated(unsafe) let source = DispatchSource.makeUserDataAddSource(
        queue: .global(qos: .userInitiated))
      source.setEventHandler { if work() { source.add(data: 1) } }
      source.activate()
      self.source = source
    }

    // This also frees the handler, which holds the source.
    deinit { source.cancel() }

    func send() { source.add(data: 1) }
  }
#elseif BLUR_PTHREADS
  /// Work for a sleeping thread, which a signal wakes. Where no thread can be had, nothing is lost but time.
  final class WakeSignal: Sendable {
    private final class Work: Sendable {
      let run: @Sendable () -> Bool
      init(_ run: @escaping @Sendable () -> Bool) { self.run = run }
    }

    // SAFETY: the functions of `BlurSignal.h` may be called from any thread.
    nonisolated(unsafe) private let signal: OpaquePointer?

    /// Whether there are threads beside the caller's.
    static let exists = true

    /// Does `work` after each signal, several of which may become one, on another thread. Work that
    /// returns true is done again.
    init(_ work: @escaping @Sendable () -> Bool) {
      // SAFETY: the context is the work, which is retained until the thread releases it.
      signal = blur_signal_start(
        { $0.map { Unmanaged<Work>.fromOpaque($0).takeUnretainedValue().run() } ?? false },
        { $0.map { Unmanaged<Work>.fromOpaque($0).release() } },
        Unmanaged.passRetained(Work(work)).toOpaque())
    }

    deinit { blur_signal_end(signal) }

    func send() { blur_signal_send(signal) }
  }
#else
  /// There are no threads beside the caller's.
  final class WakeSignal: Sendable {
    static let exists = false

    init(_ work: @escaping @Sendable () -> Bool) {}

    func send() {}
  }
#endif

#if hasFeature(Embedded)
  /// Lends a value to one caller at a time. There is no system to sleep in: others spin.
  struct Lock<Value: Sendable>: ~Copyable, Sendable {
    private final class Box {
      var value: Value
      init(_ value: Value) { self.value = value }
    }

    private let isTaken = Atomic(false)
    // SAFETY: read and written only by the caller that has taken the lock.
    nonisolated(unsafe) private let box: Box

    init(_ value: Value) { box = Box(value) }

    func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
      while isTaken.exchange(true, ordering: .acquiring) { Platform.yield() }
      defer { isTaken.store(false, ordering: .releasing) }
      return body(&box.value)
    }
  }
#else
  typealias Lock = Mutex
#endif
