import Blur
import BlurText

/// The memory layout of a source image and a destination image: the padding after their rows, and their
/// alignment.
struct BufferPadding {
  /// The number of padding bytes after each row.
  let source: Int, target: Int
  /// The number of bytes between a 64-byte boundary and the first pixel of the source. For the destination,
  /// the distance is twice this number plus one.
  let shift: Int

  /// The memory layouts to check: rows with and without padding, at even and at odd addresses.
  static let all = [
    (0, 0, 0), (0, 3, 1), (5, 0, 0), (1, 1, 0), (64, 64, 1), (64, 33, 3), (3, 2, 1), (1000, 501, 0),
  ].map { BufferPadding(source: $0.0, target: $0.1, shift: $0.2) }

  /// A description of the padding and the address, for messages.
  var name: String {
    "source rows padded by \(source.of("byte")), result rows by \(target.of("byte")), at address +\(shift)"
  }

  /// Returns a copy of the image and a black destination of the same size, both with guard bytes.
  func buffers(for image: Image) throws -> (source: GuardedCopy, target: GuardedCopy) {
    (
      try GuardedCopy(image, extraStride: source, shift: shift, isSource: true),
      try GuardedCopy(Image(image.layout), extraStride: target, shift: 2 * shift + 1)
    )
  }
}

extension KernelUnderTest {
  /// Places a source and a destination at random addresses in one block of memory, with equal or different
  /// strides. If they overlap in the sense of ``Blur/BlurPlan/blur(_:into:epilogue:)``, the plan must refuse
  /// them and must not write anything. If they do not overlap, the result must be right, and no byte outside
  /// of the result may change.
  func expectOverlapsRefused() throws {
    let image = try image(.noise, 7, 5)
    let (expected, plan) = (try blurred(image), try plan(image.layout))
    let rowBytes = image.layout.rowBytes
    let memory = try UnreadableMemory(blocks: 1, bytes: 40 * rowBytes)
    let block = UnsafeMutableRawBufferPointer(
      start: memory.block(0, bytes: 40 * rowBytes, .after), count: 40 * rowBytes)
    var random = SplitMix64(seed: UInt64(rowBytes))
    for turn in 0..<200 {
      // Half of the strides leave room for another row between two rows of an image, so that the rows of the
      // two images can alternate.
      let (least, most) = turn % 2 == 0 ? (2 * rowBytes, 2) : (rowBytes, 2 * rowBytes)
      let stride = least + random.next(below: most)
      let other = turn % 3 == 0 ? rowBytes + random.next(below: 2 * rowBytes) : stride
      for byte in block.indices { block[byte] = UInt8(truncatingIfNeeded: byte &* 37 &+ turn) }
      let source = try place(image.layout, stride, in: block, &random)
      let target = try place(image.layout, other, in: block, &random)
      source.copyPixels(of: image)
      let before = Array(block)
      let overlaps = Self.overlap(source.readOnly, target)
      let isSame = source.unsafeBase == target.unsafeBase && stride == other
      let isRefused = try Self.isRefused(plan, source.readOnly, target)
      let places =
        "source at byte \(source.unsafeBase - block.start) with stride \(stride), destination at byte "
        + "\(target.unsafeBase - block.start) with stride \(other)"
      guard isRefused == (overlaps && !(kernel.worksInPlace && isSame)) else {
        throw Violation(
          "\(places): the plan \(isRefused ? "refused" : "accepted") these images, which "
            + (overlaps ? "overlap" : "do not overlap"))
      }
      guard !isSame else { continue }
      if !isRefused { try expectSame(target.readOnly.image(), expected, of: image, places) }
      let written = isRefused ? [] : Self.bytes(target.readOnly)
      let changed = block.indices.first { block[$0] != before[$0] && !written.contains(block.start + $0) }
      if let changed { throw Violation("\(places): byte \(changed) of the memory around them has changed") }
    }
    withExtendedLifetime(memory) {}
  }

  /// Blurs `source` into `target`, and returns whether the plan refused the views because they overlap.
  private static func isRefused(
    _ plan: BlurPlan, _ source: ImageView, _ target: MutableImageView
  ) throws(BlurError) -> Bool {
    do throws(BlurError) { try plan.blur(source, into: target) } catch {
      guard case .overlap = error else { throw error }
      return true
    }
    return false
  }

  /// Returns a view of an image at a random address in the block.
  private func place(
    _ packed: ImageLayout, _ stride: Int, in block: UnsafeMutableRawBufferPointer,
    _ random: inout SplitMix64
  ) throws -> MutableImageView {
    let layout = try ImageLayout(format, width: packed.width, height: packed.height, stride: stride)
    // SAFETY: the block has room for 40 packed rows, and the image needs the space of at most 15 of them, so
    // the image ends inside the block.
    return MutableImageView(
      block.start + random.next(below: block.count - layout.byteCount + 1), layout)
  }

  /// Returns whether the two views overlap in the sense that the documentation of ``Blur/BlurPlan`` defines.
  private static func overlap(_ source: ImageView, _ target: MutableImageView) -> Bool {
    guard source.layout.stride == target.layout.stride else {
      let to = UnsafeRawPointer(target.unsafeBase)
      return source.unsafeBase < to + target.layout.byteCount
        && to < source.unsafeBase + source.layout.byteCount
    }
    return !bytes(source).isDisjoint(with: bytes(target.readOnly))
  }

  /// Returns the addresses of all bytes of the pixels.
  private static func bytes(_ view: ImageView) -> Set<UnsafeRawPointer> {
    Set((0..<view.layout.height).flatMap { y in (0..<view.layout.rowBytes).map { view.unsafeRow(y) + $0 } })
  }
}
