// The only file of this module that knows of an operating system. Where there is none (Embedded Swift), the program
// that links the library supplies the few functions that `BlurPlatform.h` declares.

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

  /// A clock that never goes back.
  static var nanoseconds: UInt64 { blur_nanoseconds() }
}

extension Double {
  @inline(__always) static func atan2(_ y: Double, _ x: Double) -> Double { blur_atan2(y, x) }
  @inline(__always) static func cos(_ angle: Double) -> Double { blur_cos(angle) }
  @inline(__always) static func exp(_ power: Double) -> Double { blur_exp(power) }
  @inline(__always) static func hypot(_ x: Double, _ y: Double) -> Double { blur_hypot(x, y) }
  @inline(__always) static func log(_ number: Double) -> Double { blur_log(number) }
  @inline(__always) static func pow(_ base: Double, _ power: Double) -> Double { blur_pow(base, power) }
  @inline(__always) static func sin(_ angle: Double) -> Double { blur_sin(angle) }
}

#if canImport(Dispatch) && !hasFeature(Embedded)
  /// A thread that sleeps until it is woken: it costs nothing meanwhile, and waking it takes no memory, as
  /// `DispatchQueue.concurrentPerform` does each time.
  final class HelperThread: Sendable {
    // SAFETY: sources of Dispatch may be used from any thread; the protocol just does not say so.
    nonisolated(unsafe) private let source: any DispatchSourceUserDataAdd

    /// Whether there are threads beside the caller's.
    static let exists = true

    /// Makes a thread that does `work` each time it is woken.
    init(_ work: @escaping @Sendable () -> Void) {
      source = DispatchSource.makeUserDataAddSource(queue: .global(qos: .userInitiated))
      source.setEventHandler(handler: work)
      source.activate()
    }

    deinit { source.cancel() }

    /// Wakes the thread, which may come late.
    func wake() { source.add(data: 1) }
  }
#else
  /// There are no threads beside the caller's.
  final class HelperThread: Sendable {
    static let exists = false

    init(_ work: @escaping @Sendable () -> Void) {}

    func wake() {}
  }
#endif

#if hasFeature(Embedded)
  /// Lends a value to one caller at a time. There is no system to sleep in: others spin.
  struct Lock<Value: Sendable>: ~Copyable, Sendable {
    private let isTaken = Atomic(false)
    private let value: Value

    init(_ value: Value) { self.value = value }

    func withLock<Result>(_ body: (Value) -> Result) -> Result {
      while isTaken.exchange(true, ordering: .acquiring) { Platform.yield() }
      defer { isTaken.store(false, ordering: .releasing) }
      return body(value)
    }
  }
#else
  typealias Lock = Mutex
#endif
