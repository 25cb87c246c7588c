import Blur
import BlurRecords
import BlurText

extension Record {
  /// Returns the record of one repetition, with the times of `sample` filled in.
  func with(
    _ sample: Sample, repetition: Int, _ layout: ImageLayout, _ baseline: MemcpyBaseline?
  ) -> Record {
    var record = self
    let seconds = sample.realTime / 1e9
    record.repetition = repetition
    record.iterations = sample.iterations
    record.disturbance = sample.disturbance ?? Disturbance()
    record.realTime = sample.realTime.finite
    record.cpuTime = sample.cpuTime.finite
    record.bytesPerSecond = (Double(2 * layout.rowBytes * layout.height) / seconds).finite
    record.itemsPerSecond = (Double(layout.pixelCount) / seconds).finite
    record.megapixelsPerSecond = record.itemsPerSecond.map { $0 / 1e6 }
    record.frames = sample.frames
    baseline?.measure(&record)
    record.ceilingShare = baseline.flatMap { ($0.fastest / sample.realTime).finite }
    return record
  }
}
