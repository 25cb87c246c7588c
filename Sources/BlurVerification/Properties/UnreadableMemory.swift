import Blur
import CSharedWords
import Foundation
import Synchronization

/// Blocks of memory, all of one size, between pages that cannot be touched: what reads or writes a byte too
/// far ends the process. One side of a block is exactly at such a page, the other within a page of one.
final class UnreadableMemory: @unchecked Sendable {
  /// On which side a block touches the page that cannot be touched.
  enum Side: CaseIterable { case before, after }

  let count: Int
  /// Bytes from one block to the next.
  let pitch: Int
  private let start: UnsafeMutableRawPointer
  private let pagesBytes: Int
  private let byteCount: Int

  private static let page = Int(getpagesize())

  /// Reserves `count` blocks of up to `bytes` bytes.
  ///
  /// - Throws: ``Blur/BlurError/outOfMemory(bytes:)``.
  init(blocks count: Int, bytes: Int) throws(BlurError) {
    self.count = count
    pagesBytes = (max(bytes, 1) + Self.page - 1) / Self.page * Self.page
    pitch = pagesBytes + Self.page
    // Where one more block would be, before the first and after the last, nothing can be touched either.
    byteCount = (count + 2) * pitch
    let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
    guard let memory = mmap(nil, byteCount, PROT_NONE, flags, -1, 0), memory != MAP_FAILED else {
      throw .outOfMemory(bytes: byteCount)
    }
    // With huge pages, the first touch of each row would clear 2 MiB.
    madvise(memory, byteCount, MADV_NOHUGEPAGE)
    start = memory + pitch
    for block in 0..<count {
      // SAFETY: the pages lie inside the reserved memory.
      guard mprotect(start + block * pitch, pagesBytes, PROT_READ | PROT_WRITE) == 0 else {
        munmap(memory, byteCount)
        throw .outOfMemory(bytes: byteCount)
      }
    }
  }

  deinit { munmap(start - pitch, byteCount) }

  /// Whether blocks for this number of bytes would have the pages that these blocks have.
  func holdsExactly(_ bytes: Int) -> Bool { bytes <= pagesBytes && bytes > pagesBytes - Self.page }

  /// Block number `index`, of `bytes` bytes.
  func block(_ index: Int, bytes: Int, _ side: Side) -> UnsafeMutableRawPointer {
    // SAFETY: a block holds `pagesBytes` bytes, no fewer than were asked for.
    start + index * pitch + (side == .after ? pagesBytes - bytes : 0)
  }
}

/// What rows between pages that cannot be touched are to the kernel that runs.
package enum UnreadableRows: Int32, Sendable {
  case source, destination
}

/// Rows that a fault beside them names, as long as this lives.
final class NamedRows {
  private let number: Int32

  init(_ view: ImageView, as kind: UnreadableRows) {
    let layout = view.layout
    number = faults_name(
      view.base, Int64(layout.stride), Int64(layout.rowBytes), Int64(layout.height), kind.rawValue)
  }

  deinit { faults_forget(number) }
}

/// Pixels whose every row lies between pages that cannot be touched. A fault beside them names them.
final class UnreadableFrame {
  /// The pixels.
  let view: MutableImageView
  private let rows: NamedRows
  private let memory: UnreadableMemory
  /// Memory that is free again: making it takes longer than most blurs in it.
  private static let pool = Mutex<[UnreadableMemory]>([])
  private static let mostInPool = 12, mostBlocksInPool = 10_000
  /// Rows that memory has at least, so that it serves all small images.
  private static let leastRows = 40
  /// Rows that get pages of their own at most.
  private static let mostRows = 5000

  /// Room for an image; what is in it is no pixel of anything.
  init(
    _ format: PixelFormat, _ width: Int, _ height: Int, _ side: UnreadableMemory.Side,
    as kind: UnreadableRows = .destination
  ) throws(BlurError) {
    let bytes = width * format.bytesPerPixel
    // Linux allows 65,530 mappings, and each row takes two: rows of a very high image touch each other.
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
    // A lower image than the memory is for is at its end or start, so that no row beyond it can be touched.
    let first = side == .after ? memory.count - (isHigh ? 1 : height) : 0
    view = MutableImageView(
      memory.block(first, bytes: blockBytes, side),
      try ImageLayout(format, width: width, height: height, stride: isHigh ? bytes : memory.pitch))
    rows = NamedRows(view.readOnly, as: kind)
    for y in 0..<height { memset(view.row(y), 0xA5, bytes) }
  }

  /// A copy of an image, to be blurred.
  convenience init(_ image: Image, _ side: UnreadableMemory.Side) throws(BlurError) {
    try self.init(image.layout.format, image.layout.width, image.layout.height, side, as: .source)
    image.withView { view.copyPixels(of: $0) }
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

  /// The pixels as an image of their own.
  func image() throws(BlurError) -> Image {
    var copy = try Image(view.layout.format, width: view.layout.width, height: view.layout.height)
    copy.withMutableView { $0.copyPixels(of: view.readOnly) }
    return copy
  }
}
