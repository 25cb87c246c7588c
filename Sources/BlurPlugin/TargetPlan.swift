import Blur
import BlurWorker
import Synchronization

/// A plan that a worker keeps on the target, which is another machine or an emulator. Each blur sends the
/// image to the target and reads the result back. The worker uses its own threads.
final class TargetPlan: Plan {
  let facts: PlanFacts
  private let kernel: String
  private let number: Int
  private let generation: Int
  private let reads: Region
  private let connection: TargetConnection
  private static let mostPadding = 1 << 16

  init(_ request: PlanRequest, _ connection: TargetConnection) throws(BlurError) {
    kernel = request.kernel
    self.connection = connection
    do {
      var message = MessageWriter()
      message.add(RequestKind.plan.rawValue)
      request.write(to: &message)
      var (answer, generation) = try connection.answer(to: message)
      self.generation = generation
      number = try answer.number()
      reads = try answer.region()
      guard reads.fits(request.problem.layout) else { throw WireError("its plan reads outside the image") }
      let (isSameByRegion, arithmetic) = (try answer.flag(), try answer.text())
      facts = PlanFacts(
        phases: [Phase(units: 1)], reads: reads, isSameByRegion: isSameByRegion,
        arithmetic: arithmetic.isEmpty ? nil : arithmetic, blockColumns: try answer.number(),
        blockRows: try answer.number(), halvings: try answer.number())
    } catch {
      throw Self.error(error, kernel)
    }
  }

  deinit {
    var message = MessageWriter()
    message.add(RequestKind.forget.rawValue)
    message.add(number)
    _ = try? connection.answer(to: message, from: generation)
  }

  func run(_ phase: Int, _ units: Range<Int>, _ buffers: PhaseContext) {
    do { try blur(buffers.source, buffers.destination) } catch { buffers.fail(Self.error(error, kernel)) }
  }

  private func blur(_ source: ImageView, _ target: MutableImageView) throws {
    let format = source.layout.format
    // SAFETY: `reads` is the region of the source image that this plan states in its facts. The executor
    // guarantees that every pixel of this region can be read.
    let tile = ImageView(
      source.row(reads.y) + reads.x * format.bytesPerPixel,
      try ImageLayout(format, width: reads.width, height: reads.height, stride: source.layout.stride))
    var message = MessageWriter()
    message.add(RequestKind.blur.rawValue)
    message.add(number)
    message.add(TargetClock.turns)
    for (base, layout) in [(tile.base, tile.layout), (UnsafeRawPointer(target.base), target.layout)] {
      // The worker is asked to use rows with the same padding as the rows in this process, so that the kernel
      // blurs under the same conditions. Very long padding is reduced modulo 64 KiB, because it would take
      // too much memory on the worker's machine.
      message.add(layout.rowBytes + (layout.stride - layout.rowBytes) % Self.mostPadding)
      message.add(Int(bitPattern: base) & (WorkerProtocol.alignment - 1))
    }
    message.add(pixels: tile)
    var answer = try connection.answer(to: message, from: generation).message
    TargetClock.add(try answer.bits())
    try answer.pixels(into: target)
  }

  private static func error(_ error: any Error, _ kernel: String) -> BlurError {
    switch error {
    case WorkerFailure.refused(let reason): .unsupported(kernel: kernel, reason: reason)
    case WorkerFailure.failed(let reason): .failed(kernel: kernel, reason: reason)
    case let error as WireError:
      .failed(kernel: kernel, reason: "the answer of the target is invalid: \(error.description)")
    default: .failed(kernel: kernel, reason: "\(error)")
    }
  }
}

/// A clock for blurs that run on another system, the target. It adds up the time of the blurs on the target,
/// without the time for sending images there and back.
public enum TargetClock {
  private static let state = Mutex((turns: 1, nanoseconds: UInt64(0)))

  /// Runs `body`, and returns the total time, in nanoseconds, of the blurs that it makes. These blurs run on
  /// a target, which is another machine or an emulator. The time is measured there, too. The target repeats
  /// each blur `turns` times.
  public static func nanoseconds(turns: Int, of body: () -> Void) -> UInt64 {
    state.withLock { $0 = (turns, 0) }
    body()
    return state.withLock { state in
      defer { state = (1, 0) }
      return state.nanoseconds
    }
  }

  /// The number of times that the target repeats each blur.
  static var turns: Int { state.withLock { $0.turns } }

  static func add(_ time: UInt64) { state.withLock { $0.nanoseconds &+= time } }
}
