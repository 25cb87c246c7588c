import Blur
import BlurRecords
import Dispatch

/// Something that writes an image over and over while it is timed, and must write the same each time.
protocol TimedCase: AnyObject {
  var item: Case { get }
  /// Writes the output once.
  func iterate()
  /// Drops what is read and written from all caches.
  func evict()
  /// What went wrong meanwhile, in a line.
  var violation: String? { get }
}

extension PreparedCase: TimedCase {}

/// A plain copy of the image, divided among threads as a kernel's rows are.
final class PlainCopy: TimedCase {
  let item: Case
  private(set) var output: Image
  private let input: Image, inputHash: String

  init(_ workload: Workload, _ shared: WorkloadPicture) throws(BlurError) {
    item = .copying(workload)
    input = shared.input
    inputHash = shared.inputHash
    output = try Image(workload.layout)
  }

  var violation: String? {
    let hash = PixelHash.of(output)
    return hash == inputHash ? nil : "the copy differs from its source: hash \(hash), not \(inputHash)"
  }

  /// The record without times.
  func record(machineKey: String) -> Record {
    var record = Record(item, machineKey: machineKey)
    record.maxErrorLevels = 0
    record.outputHash = inputHash
    return record
  }

  func iterate() {
    let threads = item.workload.threads
    input.withView { source in
      output.withMutableView { target in
        if threads == 1 { return Self.copy(0, of: 1, source, target) }
        DispatchQueue.concurrentPerform(iterations: threads) { Self.copy($0, of: threads, source, target) }
      }
    }
  }

  func evict() {
    input.evict()
    output.evict()
  }

  /// Copies one strip of rows: at one go where there is no padding.
  private static func copy(_ piece: Int, of pieces: Int, _ source: ImageView, _ target: MutableImageView) {
    let layout = source.layout
    let rows = layout.height * piece / pieces..<layout.height * (piece + 1) / pieces
    // SAFETY: both images have this layout, and the rows are inside it.
    if layout.stride == layout.rowBytes {
      target.row(rows.lowerBound).copyMemory(
        from: source.row(rows.lowerBound), byteCount: rows.count * layout.rowBytes)
    } else {
      for y in rows { target.row(y).copyMemory(from: source.row(y), byteCount: layout.rowBytes) }
    }
  }
}
