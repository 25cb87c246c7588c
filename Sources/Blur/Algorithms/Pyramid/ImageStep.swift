import BlurLoopTable

/// The sizes and offsets for halving the size of an image. This step is used instead of a ``FirstStep`` if
/// the components of the image do not have 8 bits, or if the pyramid computes in single precision.
struct ImageStep: Sendable {
  private let format: PixelFormat
  private let arithmetic: Arithmetic
  private let order: Int, shift: Int
  /// The columns of level 1, which is half as wide as the image. If the components of the image have another
  /// type than the values of the levels, all pixels are copied and converted first.
  let columns: EdgeColumns
  private let converts: Bool
  private let copies: PixelCopies
  /// The number of bytes from one row of copied pixels to the next (`copyStride`), and from one row of
  /// computed edge columns to the next (`endStride`).
  private let copyStride: Int, endStride: Int
  /// The number of values that are computed for the columns at the edges, rounded up to a multiple of the
  /// loop's block size.
  private let endValues: Int

  /// Computes the sizes and offsets.
  ///
  /// - Parameters:
  ///   - x: The columns that must be computed for each level.
  ///   - width: The number of columns of the image.
  ///   - halvesEnds: Whether the first and the last column of the image get only half their weight.
  ///   - set: The instruction set of the loop.
  init(
    _ format: PixelFormat, _ arithmetic: Arithmetic, order: Int, x: PyramidAxis, width: Int, shift: Int,
    edge: EdgeMode, halvesEnds: Bool, _ set: InstructionSet
  ) {
    (self.format, self.arithmetic, self.order, self.shift) = (format, arithmetic, order, shift)
    let (groups, lanes) = (PixelGroups(ratio: 2, order: order), set.vectorBytes / arithmetic.levelBytes)
    converts = arithmetic.levelComponent != format.component
    columns = EdgeColumns(
      groups, early: groups.lead, block: format.channels == 3 ? lanes : lanes / format.channels,
      copiesAll: converts, stored: x.stored[1], width: width, shift: shift,
      edge: edge, halvesEnds: halvesEnds)
    copies = PixelCopies(columns.positions, width, edge, pixelBytes: format.bytesPerPixel)
    let block = format.channels == 3 ? 3 * lanes : lanes
    endValues = (columns.ends * format.channels + block - 1) / block * block
    copyStride = PyramidLevel.stride(2 * endValues) * arithmetic.levelBytes
    endStride = PyramidLevel.stride(endValues) * arithmetic.levelBytes
  }

  /// The number of rows of copied pixels that are kept. It is a power of two, and at least the number of rows
  /// that one call reads.
  private static let kept = 16

  /// The number of scratch bytes that this step needs. They hold the rows of copied pixels, one row of copied
  /// pixels before its conversion, and two rows of computed edge columns.
  var scratchBytes: Int { (Self.kept + 1) * copyStride + 2 * endStride }

  /// In the edge mode `constant`, sets all pixels outside the image to the constant colour, in each row of
  /// copied pixels. Later copies leave these pixels unchanged, so one call is enough for a whole blur.
  ///
  /// - Parameter colour: A pixel of the constant colour.
  func begin(_ scratch: UnsafeMutableRawPointer, _ colour: UnsafeRawPointer) {
    // SAFETY: the scratch memory begins with `kept + 1` rows of copied pixels.
    for row in 0...Self.kept { copies.begin(scratch + row * copyStride, colour) }
  }

  /// Computes two rows of level 1.
  ///
  /// - Parameters:
  ///   - addresses: The addresses of `order + 3` rows of the image, and of four more rows to prefetch. The
  ///     method changes the array, which has space for 32 addresses.
  ///   - first: The index of the first image row in `addresses`.
  ///   - copied: The index of the first image row whose pixels at the edges have not been copied yet. The
  ///     method updates it.
  ///   - isSingle: Whether only the first of the two rows is needed. The second row then gets wrong values.
  ///   - targets: The addresses at which to store the two rows.
  ///   - scratch: The scratch memory of this step.
  func downsample(
    _ addresses: UnsafeMutablePointer<UnsafeRawPointer>, from first: Int,
    copied: UnsafeMutablePointer<Int>, isSingle: Bool,
    to targets: (UnsafeMutableRawPointer, UnsafeMutableRawPointer), _ scratch: UnsafeMutableRawPointer,
    _ loop: Loop<Downsample>, _ convert: Loop<ConvertRow>
  ) {
    // SAFETY: the scratch memory holds `kept + 1` rows of copied pixels and two rows of computed edge
    // columns. There are at most 15 addresses of image rows. The addresses of the copied rows begin at index
    // 16 of the array, which has 32 elements.
    let (channels, ends, line) = (format.channels, addresses + 16, scratch + (Self.kept + 1) * copyStride)
    let needed = isSingle ? order + 1 : order + 3
    for i in 0..<needed {
      let row = scratch + ((first + i) & (Self.kept - 1)) * copyStride
      if first + i >= copied.pointee {
        copy(addresses[i], to: row, scratch + Self.kept * copyStride, convert)
      }
      ends[i] = UnsafeRawPointer(row)
    }
    copied.pointee = first + needed
    // If only one row is needed, the additional image rows for the second row must not be read, because they
    // are not in the region that the plan reports as read. The loop reads another image row in their place.
    for i in needed..<order + 3 { addresses[i] = addresses[order] }
    for i in needed..<order + 7 { ends[i] = ends[order] }
    if columns.hasInner {
      let skipped = (2 * columns.inner.lowerBound - shift) * format.bytesPerPixel
      for i in 0..<order + 7 { addresses[i] += skipped }
      let start = columns.innerStart * channels * arithmetic.levelBytes
      loop(
        (
          rows: UnsafePointer(addresses), channels: channels, order: order, target: targets.0 + start,
          next: targets.1 + start, count: columns.inner.count * channels
        ))
    }
    loop(
      (
        rows: UnsafePointer(ends), channels: channels, order: order, target: line, next: line + endStride,
        count: endValues
      ))
    columns.copyEnds(line, to: targets.0, pixelBytes: channels * arithmetic.levelBytes)
    columns.copyEnds(line + endStride, to: targets.1, pixelBytes: channels * arithmetic.levelBytes)
  }

  /// Copies those pixels of an image row from which the edge columns are computed, and converts them to the
  /// number format of the levels. `spare` is memory for the pixels before the conversion.
  private func copy(
    _ row: UnsafeRawPointer, to target: UnsafeMutableRawPointer, _ spare: UnsafeMutableRawPointer,
    _ convert: Loop<ConvertRow>
  ) {
    // SAFETY: `target` and `spare` are rows of `copyStride` bytes, which is enough for all copied pixels.
    copies.copy(row, to: converts ? spare : target)
    if converts {
      convert(
        (
          source: UnsafeRawPointer(spare), sourceBytes: format.component.bytes, target: target,
          targetBytes: arithmetic.levelBytes, count: 2 * columns.ends * format.channels
        ))
    }
    if columns.halved.isEmpty { return }
    if arithmetic.isFixed {
      columns.halve(target.assumingMemoryBound(to: UInt16.self), format.channels, EdgeColumns.half)
    } else {
      columns.halve(target.assumingMemoryBound(to: Float.self), format.channels) { $0 / 2 }
    }
  }
}
