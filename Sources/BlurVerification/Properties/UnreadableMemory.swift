import Blur
import CLinux
import Foundation
import Synchronization

/// Blocks of memory of equal size, separated by inaccessible pages. An access to an inaccessible page ends
/// the process, which reveals a kernel that reads or writes beyond a block.
///
/// Either the start or the end of a block lies exactly at an inaccessible page. At the other end, less than a
/// page of accessible memory lies between the block and the next inaccessible page.
final class UnreadableMemory: @unchecked Sendable {
  /// The side on which an inaccessible page lies directly next to a block.
  enum Side: CaseIterable { case before, after }

  let count: Int
  /// The number of bytes from the start of one block to the start of the next.
  let pitch: Int
  private let start: UnsafeMutableRawPointer
  private let pagesBytes: Int
  private let byteCount: Int

  private static let page = Int(getpagesize())

  /// Reserves `count` blocks of up to `bytes` bytes each.
  ///
  /// - Throws: ``Blur/BlurError/outOfMemory(bytes:)``.
  init(blocks count: Int, bytes: Int) throws(BlurError) {
    self.count = count
    pagesBytes = (max(bytes, 1) + Self.page - 1) / Self.page * Self.page
    pitch = pagesBytes + Self.page
    // There is an inaccessible gap before the first block and after the last one, each as large as a block.
    byteCount = (count + 2) * pitch
    let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
    guard let memory = mmap(nil, byteCount, PROT_NONE, flags, -1, 0), memory != MAP_FAILED else {
      throw .outOfMemory(bytes: byteCount)
    }
    // Huge pages are disabled, because the operating system would have to clear 2 MiB at the first access to
    // each row.
    madvise(memory, byteCount, MADV_NOHUGEPAGE)
    start = memory + pitch
    for block in 0..<count {
      // SAFETY: `mprotect` changes only the pages of this block. They lie inside the memory that was just
      // reserved, because it has room for `count + 2` blocks.
      guard mprotect(start + block * pitch, pagesBytes, PROT_READ | PROT_WRITE) == 0 else {
        munmap(memory, byteCount)
        throw .outOfMemory(bytes: byteCount)
      }
    }
  }

  deinit { munmap(start - pitch, byteCount) }

  /// Returns whether `bytes` bytes fit into a block of this object and need all of its pages.
  func holdsExactly(_ bytes: Int) -> Bool { bytes <= pagesBytes && bytes > pagesBytes - Self.page }

  /// Returns the address at which `bytes` bytes must begin in block number `index`, so that an inaccessible
  /// page lies directly next to these bytes on the given side.
  func block(_ index: Int, bytes: Int, _ side: Side) -> UnsafeMutableRawPointer {
    // SAFETY: the result points into block number `index`, which exists because `index` is below `count`. A
    // block holds `pagesBytes` bytes, which are at least as many as `bytes`.
    start + index * pitch + (side == .after ? pagesBytes - bytes : 0)
  }
}

/// An object that registers the rows of an image with the fault handler. As long as the object lives, the
/// report of a memory fault near one of these rows contains the index of the row.
final class NamedRows {
  private let number: Int32

  /// Registers the rows of an image. The argument `group` says whether the image is a source, a destination
  /// or a mask.
  init(_ view: ImageView, _ group: fault_group) {
    let layout = view.layout
    number = faults_name(
      view.unsafeBase, Int64(layout.stride), Int64(layout.rowBytes), Int64(layout.height),
      Int32(group.rawValue))
  }

  /// Registers the rows of an image. The argument `isSource` says whether the running kernel reads the image
  /// (true) or writes it (false).
  convenience init(_ view: ImageView, isSource: Bool) {
    self.init(view, isSource ? FAULT_SOURCE : FAULT_DESTINATION)
  }

  deinit { faults_forget(number) }
}

/// An image in which each row lies between two inaccessible pages of memory. If a kernel accesses one of
/// these pages, a memory fault occurs, and the report of the fault contains the index of the row next to the
/// page.
final class UnreadableFrame {
  /// A view of the pixels.
  let view: MutableImageView
  private let rows: NamedRows
  private let memory: UnreadableMemory
  /// Memory that is kept for later images, because reserving new memory takes longer than most blurs.
  private static let pool = Mutex<[UnreadableMemory]>([])
  private static let mostInPool = 12, mostBlocksInPool = 10_000
  /// The minimum number of rows for which memory is reserved, so that the memory can be reused for any small
  /// image.
  private static let leastRows = 40
  /// The largest image height for which there is an inaccessible page of memory before and after each row.
  private static let mostRows = 5000

  /// Reserves memory for an image and fills it with arbitrary bytes.
  init(
    _ format: PixelFormat, _ width: Int, _ height: Int, _ side: UnreadableMemory.Side, isSource: Bool = false
  ) throws(BlurError) {
    let bytes = width * format.bytesPerPixel
    // Linux allows a process 65,530 mappings, and each row takes two of them. The rows of a very high image
    // therefore follow each other directly, and only the image as a whole borders on inaccessible pages.
    let isHigh = height > Self.mostRows
    let (blocks, blockBytes) = isHigh ? (1, height * bytes) : (max(height, Self.leastRows), bytes)
    let spare = Self.pool.withLock { pool in
      let fitting = pool.indices.filter { pool[$0].count >= blocks && pool[$0].holdsExactly(blockBytes) }
      return fitting.min { pool[$0].count < pool[$1].count }.map { pool.remove(at: $0) }
    }
    if let spare {
      memory = spare
    } else {
      memory = try UnreadableMemory(blocks: blocks, bytes: blockBytes)
    }
    // The memory may have more blocks than the image has rows. The image occupies the last blocks if `side`
    // is `.after`, so that an inaccessible page follows the last row, and the first blocks otherwise.
    let first = side == .after ? memory.count - (isHigh ? 1 : height) : 0
    view = MutableImageView(
      memory.block(first, bytes: blockBytes, side),
      try ImageLayout(format, width: width, height: height, stride: isHigh ? bytes : memory.pitch))
    rows = NamedRows(view.readOnly, isSource: isSource)
    for y in 0..<height { memset(view.unsafeRow(y), 0xA5, bytes) }
  }

  /// Creates a copy of an image that is to be blurred.
  convenience init(_ image: Image, _ side: UnreadableMemory.Side) throws(BlurError) {
    try self.init(image.layout.format, image.layout.width, image.layout.height, side, isSource: true)
    view.copyPixels(of: image)
  }

  deinit {
    let memory = memory
    Self.pool.withLock { pool in
      while pool.count >= Self.mostInPool
        || pool.reduce(memory.count, { $0 + $1.count }) > Self.mostBlocksInPool, !pool.isEmpty
      {
        pool.removeFirst()
      }
      pool.append(memory)
    }
  }

  /// Returns a copy of the pixels as a separate image.
  func image() throws(BlurError) -> Image { try view.readOnly.image() }
}
