import Blur
import BlurRecords
import BlurText

/// The memcpy beside the kernels of a workload: what their times are compared with.
struct Copying {
  /// Median and smallest wall time in nanoseconds; nil where the copy has no time.
  let median: Double?, fastest: Double?

  init(_ samples: [Sample]) {
    let times = samples.filter { $0.failure == nil }.map(\.realTime)
    median = Statistics.median(times)
    fastest = times.min()
  }
}

extension Record {
  /// The record of one repetition.
  func with(_ sample: Sample, _ layout: ImageLayout, _ copying: Copying) -> Record {
    var record = self
    let seconds = sample.realTime / 1e9
    record.repetition = sample.repetition
    record.iterations = sample.iterations
    record.realTime = sample.realTime.finite
    record.cpuTime = sample.cpuTime.finite
    record.bytesPerSecond = (Double(2 * layout.rowBytes * layout.height) / seconds).finite
    record.itemsPerSecond = (Double(layout.pixelCount) / seconds).finite
    record.megapixelsPerSecond = record.itemsPerSecond.map { $0 / 1e6 }
    record.memcpyRatio = copying.median.flatMap { (sample.realTime / $0).finite }
    record.frames = sample.frames
    record.ceilingShare = copying.fastest.flatMap { ($0 / sample.realTime).finite }
    return record
  }
}
