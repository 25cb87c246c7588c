import Blur
import BlurVerification

/// An image on the heap in a block that ends with its last pixel, so that AddressSanitizer sees every access
/// behind it; a few bytes in front make the address odd.
final class ExactBuffer {
  let view: MutableImageView
  private let memory: UnsafeMutableRawBufferPointer
  private let offset: Int

  /// How many bytes the block is too short: more than 0 only to prove that overruns are seen.
  private static let shortage = Int(environment("BLURBENCH_FUZZ_SHORT") ?? "") ?? 0

  /// Takes offset and pixels from `choices`: random bytes, or bytes of one value.
  init(_ layout: ImageLayout, _ choices: inout Choices) {
    offset = choices.number(0...17)
    memory = .allocate(byteCount: offset + layout.byteCount - Self.shortage, alignment: 16)
    // SAFETY: the block holds the layout's bytes after the offset, but where that is to be found out.
    view = MutableImageView(memory.baseAddress! + offset, layout)
    let value = choices.byte()
    var random = SplitMix64(seed: choices.bits())
    for i in memory.indices { memory[i] = value == 0 ? UInt8(truncatingIfNeeded: random.next()) : value }
  }

  deinit { memory.deallocate() }

  /// All of the block.
  var bytes: [UInt8] { Array(memory) }

  /// Whether all bytes that are no pixels are as in `before`.
  func hasSameMargins(as before: [UInt8]) -> Bool {
    let layout = view.layout
    return memory.indices.allSatisfy { i in
      let inRow = i < offset ? layout.rowBytes : (i - offset) % layout.stride
      return inRow < layout.rowBytes || memory[i] == before[i]
    }
  }

  /// Whether both hold the same pixels; one number that is none is as good as another.
  func hasSamePixels(as other: ExactBuffer) -> Bool {
    let layout = view.layout
    return (0..<layout.height).allSatisfy { y in
      // SAFETY: both views hold rows of this size.
      let a = UnsafeRawBufferPointer(start: view.row(y), count: layout.rowBytes)
      let b = UnsafeRawBufferPointer(start: other.view.row(y), count: layout.rowBytes)
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
