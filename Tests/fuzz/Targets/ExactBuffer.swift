import Blur
import BlurVerification

/// An image in a heap block that ends with the image's last pixel, so that AddressSanitizer detects every
/// access beyond it. A few bytes before the image may make its address odd.
final class ExactBuffer {
  let view: MutableImageView
  private let memory: UnsafeMutableRawBufferPointer
  private let offset: Int

  /// The number of bytes by which the block is too short. It is more than 0 only to prove that overruns are
  /// detected.
  private static let shortage = Int(environment("BLURBENCH_FUZZ_SHORT") ?? "") ?? 0

  /// Takes the offset and the pixels from `choices`. The pixels are random bytes, or bytes with a single
  /// value.
  init(_ layout: ImageLayout, _ choices: inout Choices) {
    offset = choices.number(0...17)
    memory = .allocate(byteCount: offset + layout.byteCount - Self.shortage, alignment: 16)
    // SAFETY: the block holds the layout's bytes after the offset, unless `shortage` makes it too short on
    // purpose.
    view = MutableImageView(memory.baseAddress! + offset, layout)
    let value = choices.byte()
    var random = SplitMix64(seed: choices.bits())
    for i in memory.indices { memory[i] = value == 0 ? UInt8(truncatingIfNeeded: random.next()) : value }
  }

  deinit { memory.deallocate() }

  /// A copy of all bytes of the buffer.
  var bytes: [UInt8] { Array(memory) }

  /// Returns whether all bytes that do not belong to pixels are the same as in `before`.
  func hasSameMargins(as before: [UInt8]) -> Bool {
    let layout = view.layout
    return memory.indices.allSatisfy { i in
      let inRow = i < offset ? layout.rowBytes : (i - offset) % layout.stride
      return inRow < layout.rowBytes || memory[i] == before[i]
    }
  }

  /// Returns whether both buffers hold the same pixels. All NaN values count as the same.
  func hasSamePixels(as other: ExactBuffer) -> Bool {
    let layout = view.layout
    return (0..<layout.height).allSatisfy { y in
      // SAFETY: both images have the same format and width, so each row has `rowBytes` bytes.
      let a = UnsafeRawBufferPointer(start: view.unsafeRow(y), count: layout.rowBytes)
      let b = UnsafeRawBufferPointer(start: other.view.unsafeRow(y), count: layout.rowBytes)
      guard layout.format.component == .float32 else { return a.elementsEqual(b) }
      return stride(from: 0, to: a.count, by: 4).allSatisfy { i in
        let (a, b) = (
          a.loadUnaligned(fromByteOffset: i, as: Float.self),
          b.loadUnaligned(fromByteOffset: i, as: Float.self)
        )
        return a == b || (a.isNaN && b.isNaN)
      }
    }
  }
}
