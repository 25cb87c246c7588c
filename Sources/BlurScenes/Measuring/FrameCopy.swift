import Blur
import BlurMeasurement
import BlurRecords
import BlurVerification

/// A plain memory copy of an image that is as large as the blurred image. The copy is timed once per frame
/// and serves as the baseline for the blurs.
final class FrameCopy {
  private let source: Image
  private var target: Image

  init(_ layout: ImageLayout) throws(BlurError) {
    source = try TestImage.deadLeaves.image(layout, seed: 1)
    target = try Image(layout)
  }

  var task: TimedTask { TimedTask(name: Case.memcpy) { self.copy() } }

  private func copy() {
    let bytes = source.layout.byteCount
    source.withView { from in
      target.withMutableView { to in
        // SAFETY: both images have the same layout, and `bytes` is the number of bytes in that layout.
        to.base.copyMemory(from: from.base, byteCount: bytes)
      }
    }
  }
}
