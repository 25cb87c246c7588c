import Blur
import BlurMeasurement
import BlurRecords
import BlurVerification

/// A plain memory copy of an image that is as large as the blurred image. The copy is timed once per frame
/// and serves as the baseline for the blurs.
final class FrameCopy {
  private let workload: Workload
  private let source: Image
  private var target: Image
  /// The times of the copies in each finished pass, and in the current pass, in nanoseconds.
  private var passes: [[Double]] = []
  private var times: [Double] = []

  init(_ workload: Workload) throws(BlurError) {
    self.workload = workload
    source = try TestImage.deadLeaves.image(workload.layout, seed: 1)
    target = try Image(workload.layout)
  }

  func begin() { times = [] }
  func end() { passes.append(times) }

  func copy() {
    let bytes = source.layout.byteCount
    let start = ContinuousClock.now
    source.withView { from in
      target.withMutableView { to in
        // SAFETY: both images have the same layout, and `bytes` is the number of bytes in that layout.
        to.base.copyMemory(from: from.base, byteCount: bytes)
      }
    }
    times.append((ContinuousClock.now - start) / .nanoseconds(1))
  }

  /// The time of a plain memory copy, which blur times are compared with. It is computed from the copies in
  /// all frames, each of which ran on one thread. It is nil if no copy was timed.
  var baseline: MemcpyBaseline? { MemcpyBaseline(passes.flatMap { $0 }, threads: 1) }

  func records(machineKey: String) -> [Record] {
    let baseline = baseline
    return passes.enumerated().map { number, times in
      var record = Record(.copying(workload), machineKey: machineKey)
      record.maxErrorLevels = 0
      record.setFrames(times, pass: number)
      baseline?.measure(&record)
      return record
    }
  }
}
